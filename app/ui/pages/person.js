// A user's consent and profile: read, edit, grant, revoke, and see what revoking erased.
import { html, useState } from "../lib/dom.js";
import { erase, get, part } from "../lib/api.js";
import { useLoad } from "../lib/load.js";
import { useUser } from "../lib/person.js";
import { Empty, Title } from "../parts/basics.js";
import { Receipt } from "../parts/dialog.js";
import { Users } from "../parts/users.js";
import { Consent } from "./person/consent.js";
import { Everything } from "./person/everything.js";
import { Profile } from "./person/profile.js";

/** The profile, if there is one that may be read: no other is asked for. */
async function profileOf(path, signal) {
  const { purposes, has_profile: there } = await get(`${path}/consent`, {}, signal);
  return { profile: there ? await get(`${path}/profile`, {}, signal) : null, may: purposes.profile };
}

function Person({ user }) {
  const path = `/users/${part(user)}`;
  const consent = useLoad((signal) => get(`${path}/consent`, {}, signal), [path]);
  const profile = useLoad((signal) => profileOf(path, signal), [path]);
  const [receipt, setReceipt] = useState(null);
  const changed = (told) => {
    if (told?.erased) setReceipt(told);
    consent.reload();
    profile.reload();
  };
  return html`<div class="person">
    <${Consent} path=${`${path}/consent`} of=${consent} onChange=${changed} />
    <${Profile} path=${`${path}/profile`} user=${user} of=${profile} onChange=${changed} />
    <${Everything} user=${user} act=${() => erase(path)} onErased=${changed} />
    ${receipt && html`<${Receipt} receipt=${receipt} onClose=${() => setReceipt(null)} />`}
  </div>`;
}

/** A browser takes such a part out of a path, and what it asked for then would be of somebody else. */
const canBeAsked = (user) => user !== "." && user !== "..";

function Whose({ user }) {
  if (!user) return html`<${Empty}>Say at the top whose profile it is: no user has none.<//><${Users} user=${user} />`;
  if (!canBeAsked(user)) return html`<${Empty}>A browser cannot ask for who is called so; <code>foreword forget user ${user}</code> erases what there is.<//>`;
  return html`<${Person} key=${user} user=${user} />`;
}

export default function PersonPage() {
  const [user] = useUser();
  return html`<${Title}>Profile and consent${user && html` <span class="quiet">of ${user}</span>`}<//>
    <${Whose} user=${user} />`;
}

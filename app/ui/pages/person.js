// A user's consent and profile: read, edit, grant, revoke, and see what revoking erased.
import { html, useState } from "../lib/dom.js";
import { erase, get, part } from "../lib/api.js";
import { useLoad } from "../lib/load.js";
import { useUser } from "../lib/person.js";
import { Empty, Title } from "../parts/basics.js";
import { Receipt } from "../parts/dialog.js";
import { Consent } from "./person/consent.js";
import { Everything } from "./person/everything.js";
import { Profile } from "./person/profile.js";

/** Without consent that holds, and without a profile, there is none to read; neither is an error. */
async function profileOf(path, signal) {
  try {
    return { profile: await get(path, {}, signal), may: true };
  } catch (problem) {
    if (problem.status === 404) return { profile: null, may: true };
    if (problem.slug === "consent-missing") return { profile: null, may: false };
    throw problem;
  }
}

function Person({ user }) {
  const path = `/users/${part(user)}`;
  const consent = useLoad((signal) => get(`${path}/consent`, {}, signal), [path]);
  const profile = useLoad((signal) => profileOf(`${path}/profile`, signal), [path]);
  const [receipt, setReceipt] = useState(null);
  const changed = (told) => {
    if (told?.erased) setReceipt(told);
    consent.reload();
    profile.reload();
  };
  return html`<div class="person">
    <${Consent} path=${`${path}/consent`} of=${consent} onChange=${changed} />
    <${Profile} path=${`${path}/profile`} of=${profile} onChange=${changed} />
    <${Everything} user=${user} act=${() => erase(path)} onErased=${changed} />
    ${receipt && html`<${Receipt} receipt=${receipt} onClose=${() => setReceipt(null)} />`}
  </div>`;
}

export default function PersonPage() {
  const [user] = useUser();
  return html`<${Title}>Profile and consent${user && html` <span class="quiet">of ${user}</span>`}<//>
    ${user ? html`<${Person} key=${user} user=${user} />` : html`<${Empty}>Say at the top whose profile it is: no user has none.<//>`}`;
}

// What a user agreed to, by purpose.
import { html, useState } from "../../lib/dom.js";
import { put } from "../../lib/api.js";
import { useAct } from "../../lib/load.js";
import { Field, Loaded, Notice, Switch, Time } from "../../parts/basics.js";
import { Confirm } from "../../parts/dialog.js";

const MEANS = {
  profile: "The profile may be used in contexts.",
  facts: "Profile entries may be derived from facts.",
  learning: "Weights of one's own may be learned.",
};

const COVERS = {
  profile: "The profile is erased, with all that tells of it.",
  facts: "What facts added to the profile is erased; the facts stay.",
  learning: "What it covered is erased.",
};

function Grant({ grant, holds }) {
  if (!grant) return null;
  return html`<p class="quiet">${holds ? "Granted" : "Expired; granted"} <${Time} at=${grant.granted_at} />${grant.expires_at && html`, until <${Time} at=${grant.expires_at} />`}${grant.source && `, ${grant.source}`}</p>`;
}

export function Consent({ path, of, onChange }) {
  const [until, setUntil] = useState("");
  const [revoking, setRevoking] = useState(null);
  const send = (purpose, granted) => put(path, {
    purposes: { [purpose]: granted },
    ...(granted ? { source: "page", expires_at: until ? new Date(until).toISOString() : null } : {}),
  });
  const granting = useAct(async (purpose) => {
    await send(purpose, true);
    onChange();
  });
  return html`<section class="card"><h2>Consent</h2>
    <p class="quiet">Nothing is agreed to until somebody says so.</p>
    <${Notice} problem=${granting.problem} />
    <${Loaded} of=${of}>${(consent) => html`
      ${Object.entries(consent.purposes).map(([purpose, holds]) => html`<div key=${purpose}>
        <${Switch} id=${`consent-${purpose}`} label=${purpose} hint=${MEANS[purpose]} checked=${holds} busy=${granting.busy}
          onChange=${(granted) => { if (granted) granting.run(purpose); else { setRevoking(purpose); of.change((c) => ({ ...c })); } }} />
        <${Grant} grant=${consent.grants[purpose]} holds=${holds} /></div>`)}
      <${Field} label="What is granted now holds until" id="until" hint="Empty: until it is revoked."><input id="until" type="datetime-local" value=${until} onInput=${(e) => setUntil(e.currentTarget.value)} /><//>`}<//>
    ${revoking && html`<${Confirm} title=${`Revoke consent to ${revoking}?`} action="Revoke" act=${() => send(revoking, false)}
      onClose=${() => { setRevoking(null); of.reload(); }} onDone=${(told) => { setRevoking(null); onChange(told.erasure); }}>
      <p>${COVERS[revoking]}</p><//>`}
  </section>`;
}

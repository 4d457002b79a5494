// Flags: what is switched while the service runs. And the key of this tab.
import { html, useEffect, useState } from "../lib/dom.js";
import { get, put } from "../lib/api.js";
import { key, onKey, setKey } from "../lib/key.js";
import { useAct, useLoad } from "../lib/load.js";
import { Button, Chip, Field, Loaded, Notice, Switch, Title } from "../parts/basics.js";

const MEANS = {
  hybrid: "Full text beside vectors. Off: plain dense retrieval.",
  chunking: "Long messages are stored in parts. Off: whole, from then on.",
  profile: "Profiles go into bundles, with consent.",
  rerank: "The reranker is asked, where one is set.",
  token_budget: "The budget, in tokens, of requests that name none.",
  summaries: "Conversations are summed up as they grow.",
  facts: "Facts are drawn from what is said.",
  graph: "Entities and what joins them are found, and help to recall.",
  summary_frequency: "Answers of an assistant between two summaries.",
};
const names = (flags) => Object.keys(flags.defaults);

function NumberFlag({ name, flags, set, busy, why }) {
  const [text, setText] = useState(String(flags[name]));
  useEffect(() => setText(String(flags[name])), [flags[name]]);
  const submit = (event) => {
    event.preventDefault();
    set({ [name]: Number(text) });
  };
  return html`<form class="inline" onSubmit=${submit} aria-label=${name}>
    <${Field} label=${name.replaceAll("_", " ")} id=${`flag-${name}`} hint=${why || MEANS[name]}>
      <input id=${`flag-${name}`} type="number" min="1" required value=${text} disabled=${Boolean(why)} onInput=${(e) => setText(e.currentTarget.value)} /><//>
    <${Button} type="submit" busy=${busy} disabled=${!busy && text === String(flags[name])}>Set<//></form>`;
}

function Flag({ name, flags, set, busy }) {
  const why = flags.unavailable[name];
  const changed = flags[name] !== flags.defaults[name];
  return html`<div class="flag">
    ${typeof flags.defaults[name] === "boolean"
      ? html`<${Switch} id=${`flag-${name}`} label=${name.replaceAll("_", " ")} hint=${why ? `${MEANS[name] || ""} Not now: ${why}.` : MEANS[name]}
          checked=${flags[name]} busy=${busy} disabled=${Boolean(why)} onChange=${(on) => set({ [name]: on })} />`
      : html`<${NumberFlag} name=${name} flags=${flags} set=${set} busy=${busy} why=${why} />`}
    ${changed && html`<p><${Chip} tone="warn">not as usual<//> <button type="button" class="link" onClick=${() => set({ [name]: null })}>Back to ${String(flags.defaults[name])}</button></p>`}
  </div>`;
}

function Missing({ flags }) {
  const missing = Object.entries(flags.unavailable).filter(([name]) => !names(flags).includes(name));
  if (missing.length === 0) return null;
  return html`<p class="quiet">Not here: ${missing.map(([name, why]) => `${name.replaceAll("_", " ")} (${why})`).join(", ")}.</p>`;
}

function Key() {
  const [has, setHas] = useState(Boolean(key()));
  useEffect(() => onKey(() => setHas(Boolean(key()))), []);
  return html`<section class="card"><h2>Key of this tab</h2>
    <p>${has ? "This tab holds an API key. It is kept nowhere else, and is forgotten with the tab." : "This tab uses no key: the service answers it without one."}</p>
    ${has && html`<${Button} onClick=${() => { setKey(""); location.reload(); }}>Forget it now<//>`}</section>`;
}

export default function Settings() {
  const flags = useLoad((signal) => get("/flags", {}, signal), []);
  const change = useAct(async (given) => {
    const told = await put("/flags", given);
    flags.change(() => told);
  });
  return html`<${Title}>Settings<//>
    <div class="settings"><section class="card"><h2>Flags</h2>
      <p class="quiet">They hold for the whole tenant, from the next request on.</p>
      <${Notice} problem=${change.problem} />
      <p class="unseen" role="status">${change.busy ? "Saving" : ""}</p>
      <${Loaded} of=${flags}>${(told) => html`${names(told).map((name) => html`<${Flag} key=${name} name=${name} flags=${told} set=${change.run} busy=${change.busy} />`)}<${Missing} flags=${told} />`}<//>
    </section><${Key} /></div>`;
}

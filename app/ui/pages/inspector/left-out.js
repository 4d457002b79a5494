// What did not get in, by reason. Of what the search does not tell, the text is asked for by itself.
import { html, useState } from "../../lib/dom.js";
import { get } from "../../lib/api.js";
import { plural } from "../../lib/format.js";
import { useAct } from "../../lib/load.js";
import { Clipped, Empty, TypeChip } from "../../parts/basics.js";
import { Signals } from "./candidates.js";

const AT_ONCE = 12;

/** Where the text of an item is told; a part of a message has no address. */
const PATHS = { message: "/messages/", chunk: null };

function Unknown({ id, type }) {
  const [text, setText] = useState(null);
  const path = PATHS[type] === undefined ? "/memories/" : PATHS[type];
  const asking = useAct(async () => setText((await get(path + id)).content || ""));
  if (text !== null) return html`<${Clipped} text=${text} most=${180} />`;
  return html`<p class="meta"><${TypeChip} type=${type} /> <code>${id}</code>
    ${path && html`<button type="button" class="link" disabled=${asking.busy} onClick=${asking.run} aria-label=${`Show what ${id} says`}>Show what it says</button>`}
    ${asking.problem && html`<span class="bad">${asking.problem.message}</span>`}</p>`;
}

const Known = ({ memory }) => html`<div class="left-known"><div>
    <p class="meta"><${TypeChip} type=${memory.type} /> <span class="quiet">${plural(memory.tokens, "token")} · by ${memory.sources.join(", ") || "nothing"}</span></p>
    <${Clipped} text=${memory.content} most=${180} /></div><${Signals} item=${memory} /></div>`;

function Reason({ reason, some }) {
  const [shown, setShown] = useState(AT_ONCE);
  return html`<section class="left-out"><h3>${reason} <span class="quiet">${plural(some.length, "item")}</span></h3>
    <ul>${some.slice(0, shown).map(({ id, type, memory }) => html`<li key=${id}>${memory ? html`<${Known} memory=${memory} />` : html`<${Unknown} id=${id} type=${type} />`}</li>`)}</ul>
    ${some.length > shown && html`<button type="button" class="link" onClick=${() => setShown(shown + 50)}>Show more</button>`}
  </section>`;
}

export function LeftOut({ left }) {
  if (left.length === 0) return html`<${Empty}>Everything that was found is in the bundle.<//>`;
  const reasons = [...new Set(left.map((each) => each.reason))];
  return reasons.map((reason) => html`<${Reason} key=${reason} reason=${reason} some=${left.filter((each) => each.reason === reason)} />`);
}

// What did not get in, by reason. Of what the search does not tell, the text is asked for by itself.
import { html, useState } from "../../lib/dom.js";
import { get } from "../../lib/api.js";
import { plural, score } from "../../lib/format.js";
import { useAct } from "../../lib/load.js";
import { Clipped, Empty, TypeChip } from "../../parts/basics.js";

const AT_ONCE = 12;

/** A message, else a memory of its own; a part of a message has no address. */
async function read(id) {
  for (const path of [`/messages/${id}`, `/memories/${id}`]) {
    try {
      return (await get(path)).content || "";
    } catch (problem) {
      if (problem.status !== 404) throw problem;
    }
  }
  return "A part of a message, or gone by now.";
}

function Unknown({ id }) {
  const [text, setText] = useState(null);
  const asking = useAct(async () => setText(await read(id)));
  if (text !== null) return html`<${Clipped} text=${text} most=${180} />`;
  return html`<p class="meta"><code>${id}</code>
    <button type="button" class="link" disabled=${asking.busy} onClick=${asking.run} aria-label=${`Show what ${id} says`}>Show what it says</button>
    ${asking.problem && html`<span class="bad">${asking.problem.message}</span>`}</p>`;
}

const Known = ({ memory }) => html`<p class="meta"><${TypeChip} type=${memory.type} /> <span class="quiet">${score(memory.score)} · ${plural(memory.tokens, "token")}</span></p>
  <${Clipped} text=${memory.content} most=${180} />`;

function Reason({ reason, some }) {
  const [shown, setShown] = useState(AT_ONCE);
  return html`<section class="left-out"><h3>${reason} <span class="quiet">${plural(some.length, "item")}</span></h3>
    <ul>${some.slice(0, shown).map(({ id, memory }) => html`<li key=${id}>${memory ? html`<${Known} memory=${memory} />` : html`<${Unknown} id=${id} />`}</li>`)}</ul>
    ${some.length > shown && html`<button type="button" class="link" onClick=${() => setShown(shown + 50)}>Show more</button>`}
  </section>`;
}

export function LeftOut({ left }) {
  if (left.length === 0) return html`<${Empty}>Everything that was found is in the bundle.<//>`;
  const reasons = [...new Set(left.map((each) => each.reason))];
  return reasons.map((reason) => html`<${Reason} key=${reason} reason=${reason} some=${left.filter((each) => each.reason === reason)} />`);
}

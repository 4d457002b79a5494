// Two settings, side by side.
import { html } from "../../lib/dom.js";
import { begun, ms, plural, score, share } from "../../lib/format.js";
import { Button, TypeChip } from "../../parts/basics.js";
import { told } from "./asking.js";

const MOST = 10;
const LENGTH = 140;

function Side({ name, of, other }) {
  const ranks = new Map(other.bundle.retrieved_memories.map((each, at) => [each.id, at + 1]));
  const { metadata, retrieved_memories: items } = of.bundle;
  return html`<section aria-label=${name}>
    <h3>${name}</h3>
    <p class="quiet">“${of.settings.query}” · ${told(of.settings)}</p>
    <p>${plural(items.length, "memory", "memories")}, ${plural(metadata.total_tokens, "token")} (${share(metadata.total_tokens / metadata.budget_tokens, 1)}), ${ms(metadata.timings_ms.total)}</p>
    <ol class="side">${items.slice(0, MOST).map((each, at) => {
      const there = ranks.get(each.id);
      return html`<li key=${each.id} class=${there ? "" : "only"}>
        <span class="number">${at + 1}</span>
        <div><p class="said">${begun(each.content, LENGTH)}</p>
          <p class="meta"><${TypeChip} type=${each.type} /><span class="quiet">${score(each.score)}</span>
          ${!there ? html`<span class="chip chip-warn">only here</span>` : there !== at + 1 ? html`<span class="quiet">there ${there}</span>` : ""}</p></div></li>`;
    })}</ol>
    ${items.length > MOST && html`<p class="quiet">and ${plural(items.length - MOST, "more memory", "more memories")}</p>`}
    ${items.length === 0 && html`<p class="empty">No memories.</p>`}
  </section>`;
}

export function Compare({ kept, shown, onEnd }) {
  return html`<section class="card compare" aria-labelledby="compare">
    <div class="title"><h2 id="compare">Side by side</h2><${Button} kind="quiet" onClick=${onEnd}>End<//></div>
    <div class="sides"><${Side} name="Kept" of=${kept} other=${shown} /><${Side} name="Now" of=${shown} other=${kept} /></div>
  </section>`;
}

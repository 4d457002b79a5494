// What was answered: the bundle, its candidates, where tokens and time went.
import { html, useMemo, useState } from "../../lib/dom.js";
import { count, ms, plural, UNTOLD } from "../../lib/format.js";
import { Link } from "../../lib/router.js";
import { Budget, Waterfall } from "../../parts/bars.js";
import { Button, Chip, Copy } from "../../parts/basics.js";
import { Tabs } from "../../parts/tabs.js";
import { Candidates } from "./candidates.js";
import { joined, leftOut } from "./joining.js";
import { LeftOut } from "./left-out.js";

/** Tokens of a bundle by what they went to. */
export function tokensOf(bundle) {
  const by = new Map();
  const add = (name, tokens) => by.set(name, (by.get(name) || 0) + tokens);
  add("history", bundle.recent_history.reduce((sum, each) => sum + each.tokens, 0));
  for (const each of bundle.retrieved_memories) add(each.type, each.tokens);
  for (const each of bundle.related_entities) add("entity", each.tokens || 0);
  add("profile", bundle.metadata.profile?.tokens || 0);
  return [...by];
}

/** What took the tokens that nothing shown did: of what was erased since, no tokens are told. */
const restOf = (bundle) => (bundle.retrieved_memories.some((each) => each.erased) ? "layout and what was erased" : "layout");

export function Summary({ bundle, children }) {
  const { metadata } = bundle;
  return html`<div class="summary">
    <${Chip} title="What kind of question it is taken for">${bundle.intent}<//>
    <${Chip} tone=${metadata.sufficient ? "good" : "warn"}>${metadata.sufficient ? "a likely answer is there" : "no likely answer"}<//>
    ${metadata.cache_hit && html`<${Chip}>from the cache<//>`}
    ${Object.entries(metadata.respelled).map(([word, meant]) => html`<${Chip} key=${word} title=${`${word} is neither in memory nor known`}>taken for “${meant}”<//>`)}
    ${metadata.leans_on && html`<${Chip}>with what was asked before<//>`}
    ${metadata.degraded.map((each) => html`<${Chip} key=${each.source} tone="bad">without ${each.source}: ${each.reason}<//>`)}
    <span class="quiet">${plural(bundle.retrieved_memories.length, "memory", "memories")} of ${plural(metadata.candidates, "candidate")} in ${ms(metadata.timings_ms.total)}${
      metadata.deduplicated ? `, ${count(metadata.deduplicated)} left out as said twice` : ""}</span>
    <span class="summary-end">${children}</span>
  </div>`;
}

/** Who and what the question of `user` is about, and what that is joined with. */
export function Related({ bundle, user }) {
  const related = bundle.related_entities;
  if (related.length === 0) return null;
  return html`<section class="card related" aria-labelledby="related"><h2 id="related">Related</h2><ul>
    ${related.map((each) => html`<li key=${each.id}><${Link} to=${`/memory/entities/${each.id}`} query=${{ user }}>${each.name}<//> ${each.type !== UNTOLD && html`<${Chip}>${each.type}<//>`} ${each.content !== `${each.name} (${each.type})` && html`<span class="quiet">${each.content}</span>`}</li>`)}</ul></section>`;
}

export function Costs({ bundle }) {
  const { metadata } = bundle;
  return html`<div class="costs">
    <section class="card" aria-labelledby="tokens"><h2 id="tokens">Tokens</h2>
      <${Budget} parts=${tokensOf(bundle)} total=${metadata.total_tokens} budget=${metadata.budget_tokens} rest=${restOf(bundle)} /></section>
    <section class="card" aria-labelledby="sources"><h2 id="sources">Sources, in time</h2>
      <${Waterfall} timings=${metadata.timings_ms} starts=${metadata.started_ms} degraded=${metadata.degraded} /></section>
  </div>`;
}

const AsText = ({ text }) => text
  ? html`<div class="as-text"><div class="buttons"><${Copy} text=${text} label="Copy the text" /></div><pre class="plain" tabindex="0" aria-label="The bundle as the model sees it">${text}</pre></div>`
  : html`<p class="empty">Nothing would be put into the prompt.</p>`;

export function Answer({ shown, isKept, onKeep }) {
  const [tab, choose] = useState("candidates");
  const { bundle } = shown;
  const found = bundle.metadata.candidates;
  const all = useMemo(() => joined(shown), [shown]);
  const left = useMemo(() => leftOut(shown), [shown]);
  const tabs = [
    ["candidates", `Candidates (${all.length < found ? `${all.length} of ${found}` : all.length})`],
    ["bundle", "As the model sees it"],
    ["left", `Left out (${left.length})`],
  ];
  return html`<div class="answered">
    <${Summary} bundle=${bundle}>
      <${Link} to=${`/bundles/${bundle.bundle_id}`} class="permalink">Permalink<//>
      <${Button} kind="quiet" onClick=${onKeep}>${isKept ? "Compare with this instead" : "Keep, to compare"}<//>
    <//>
    <${Costs} bundle=${bundle} /><${Related} bundle=${bundle} user=${shown.user} />
    <${Tabs} label="Answer" tabs=${tabs} chosen=${tab} onChoose=${choose}>
      ${tab === "candidates" && html`<${Candidates} all=${all} before=${shown.before} weights=${shown.settings.weights} user=${shown.user} />`}
      ${tab === "bundle" && html`<${AsText} text=${bundle.text} />`}
      ${tab === "left" && html`<${LeftOut} left=${left} />`}
    <//>
  </div>`;
}

// Latency by stage, and what bundles are made of.
import { html } from "../../lib/dom.js";
import { count, ms, score, share } from "../../lib/format.js";
import { Empty, TypeChip } from "../../parts/basics.js";

export function Stages({ told }) {
  const stages = Object.entries(told.latency_ms).sort((a, b) => b[1].p50 - a[1].p50);
  return html`<section class="card"><h2>Latency by stage</h2>
    ${stages.length === 0 ? html`<${Empty}>Nothing yet.<//>` : html`<div class="scroll"><table class="list"><thead><tr><th scope="col">Stage</th><th scope="col" class="number">p50</th><th scope="col" class="number">p90</th><th scope="col" class="number">p95</th><th scope="col" class="number">p99</th></tr></thead>
    <tbody>${stages.map(([name, it]) => html`<tr key=${name}><th scope="row">${name}</th><td class="number">${ms(it.p50)}</td><td class="number">${ms(it.p90)}</td><td class="number">${ms(it.p95)}</td><td class="number">${ms(it.p99)}</td></tr>`)}</tbody></table></div>`}</section>`;
}

const Counts = ({ title, counts, tone }) => Object.keys(counts).length === 0 ? null : html`<h3>${title}</h3>
  <p class="meta">${Object.entries(counts).map(([name, n]) => html`<span key=${name} class=${`chip ${tone || ""}`}>${name} ${count(n)}</span>`)}</p>`;

export function Types({ told }) {
  const types = Object.entries(told.types).sort((a, b) => b[1].tokens - a[1].tokens);
  return html`<section class="card"><h2>What bundles are made of</h2>
    ${types.length === 0 ? html`<${Empty}>Nothing yet.<//>` : html`<div class="scroll"><table class="list"><thead><tr><th scope="col">Type</th><th scope="col" class="number">Tokens</th><th scope="col" class="number">Items</th><th scope="col" class="number">Contexts</th><th scope="col" class="number">Best score</th></tr></thead>
    <tbody>${types.map(([name, it]) => html`<tr key=${name}><th scope="row"><${TypeChip} type=${name} /></th>
      <td class="number">${share(it.share)}<span class="track" aria-hidden="true"><span class=${`fill tone-${name}`} style=${{ width: `${it.share * 100}%` }}></span></span></td>
      <td class="number">${count(it.items)}</td><td class="number">${count(it.contexts)}</td><td class="number">${score(it.top_score)}</td></tr>`)}</tbody></table></div>`}
    <${Counts} title="Questions" counts=${told.intents} /><${Counts} title="Sources that did not answer" counts=${told.degraded} tone="chip-bad" /></section>`;
}

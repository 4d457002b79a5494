// Amounts, as lengths. Each says the same in words: colour and length are never all there is.
import { html } from "../lib/dom.js";
import { count, ms, share, typeName } from "../lib/format.js";

const wide = (x) => ({ width: `${Math.max(0, Math.min(1, x)) * 100}%` });

/** One signal of 0 to 1. */
export const Bar = ({ name, value, tone }) => html`<div class="bar">
  <span class="bar-name">${name}</span>
  <span class="track" aria-hidden="true"><span class=${`fill tone-${tone || name}`} style=${wide(value)}></span></span>
  <span class="number">${value.toFixed(2)}</span>
</div>`;

/** What adds to and takes from a relevance, around a middle. */
export function Adds({ signals }) {
  const adds = Object.entries(signals)
    .filter(([name, value]) => name.startsWith("adds.") && Math.abs(value) >= 0.005)
    .sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
  const most = Math.max(...adds.map(([, value]) => Math.abs(value)), 0.001);
  if (adds.length === 0) return null;
  return html`<table class="adds"><caption class="quiet">What the relevance is made of</caption>
    <thead class="unseen"><tr><th>Feature</th><th>Effect</th><th>Adds</th><th>Value</th></tr></thead>
    <tbody>${adds.map(([name, value]) => {
      const feature = name.slice(5);
      const measured = signals[`feature.${feature}`];
      return html`<tr key=${name}><th scope="row">${feature.replaceAll("_", " ")}</th>
        <td class="both-ways" aria-hidden="true"><span class=${value < 0 ? "less" : "more"}
          style=${{ width: `${(Math.abs(value) / most) * 50}%` }}></span></td>
        <td class="number">${value > 0 ? "+" : "−"}${Math.abs(value).toFixed(2)}</td>
        <td class="number quiet">${measured == null ? "" : measured.toFixed(2).replace("-", "−")}</td></tr>`;
    })}</tbody></table>`;
}

/** What a budget went to. `parts`: [[name, tokens]]; `rest`: what took all that they do not tell of. */
export function Budget({ parts, total, budget, rest = "layout" }) {
  const known = parts.filter(([, tokens]) => tokens > 0);
  const said = known.reduce((sum, [, tokens]) => sum + tokens, 0);
  const sorted = [...known].sort((a, b) => b[1] - a[1]);
  const shown = said < total ? [...sorted, [rest, total - said]] : sorted;
  const scale = Math.max(budget, total, 1);
  return html`<div class="budget">
    <p><strong>${count(total)}</strong> of ${count(budget)} tokens <span class="quiet">${share(total / scale, 1)}</span></p>
    <div class="budget-track" aria-hidden="true">
      ${shown.map(([name, tokens]) => html`<span key=${name} class=${`tone-${name.split(" ")[0]}`} title=${`${typeName(name)}: ${count(tokens)}`}
        style=${wide(tokens / scale)}></span>`)}
    </div>
    <ul class="legend">${shown.map(([name, tokens]) =>
      html`<li key=${name}><span class=${`dot tone-${name.split(" ")[0]}`} aria-hidden="true"></span>${typeName(name)} <span class="quiet">${count(tokens)}</span></li>`)}
      <li><span class="dot" aria-hidden="true"></span>free <span class="quiet">${count(Math.max(0, budget - total))}</span></li></ul>
  </div>`;
}

const AT_ONCE = ["embed", "semantic", "lexical", "relational", "episodic", "profile"];
const AFTERWARDS = ["hydrate", "rerank", "complete", "pack"];

/** When each stage ran, by what was measured. */
const measured = (took, starts) => Object.keys(took)
  .map((name) => ({ name, from: starts[name] ?? 0, took: took[name] }))
  .sort((a, b) => a.from - b.from || b.took - a.took);

/**
 * The same of a bundle of which only durations were kept, by what waits for what: sources are asked
 * at once, meaning waits for the embedding, and the others follow one after the other.
 */
function supposed(took) {
  const named = (order) => order.filter((name) => name in took);
  const others = Object.keys(took).filter((name) => ![...AT_ONCE, ...AFTERWARDS].includes(name));
  const rows = named(AT_ONCE).map((name) => ({ name, from: name === "semantic" ? took.embed || 0 : 0, took: took[name] }));
  // The profile is read beside everything else, and nothing but packing waits for it.
  let at = Math.max(0, ...rows.filter((each) => each.name !== "profile").map((each) => each.from + each.took));
  for (const name of [...others, ...named(AFTERWARDS)]) {
    rows.push({ name, from: at, took: took[name] });
    at += took[name];
  }
  return rows;
}

export function Waterfall({ timings: { total = 0, ...told }, starts = {}, degraded = [] }) {
  const took = Object.fromEntries(Object.entries(told).filter(([name, lasted]) => lasted || name in starts));  // 0: not asked
  const known = Object.keys(starts).length > 0;
  const rows = known ? measured(took, starts) : supposed(took);
  const end = Math.max(total, ...rows.map((each) => each.from + each.took), 0.001);
  const why = new Map(degraded.map((each) => [each.source, each.reason]));
  for (const source of why.keys()) if (!rows.some((each) => each.name === source)) rows.push({ name: source, from: 0, took: 0 });
  return html`<table class="waterfall"><caption class="quiet">Total ${ms(total)}${!known && "; when each began was not measured"}</caption>
    <thead class="unseen"><tr><th>Stage</th><th>From</th><th>Took</th></tr></thead>
    <tbody>${rows.map(({ name, from, took: lasted }) => html`<tr key=${name}>
      <th scope="row">${name}</th>
      <td class="lane" title=${`from ${ms(from)}`}><span class="unseen">${ms(from)}</span><span aria-hidden="true" class=${`fill tone-${name}`}
        style=${{ marginLeft: `${(from / end) * 100}%`, width: `max(2px, ${(lasted / end) * 100}%)` }}></span></td>
      <td class="number">${why.has(name) ? html`<span class="bad">${why.get(name)}</span>` : ms(lasted)}</td></tr>`)}
    </tbody></table>`;
}

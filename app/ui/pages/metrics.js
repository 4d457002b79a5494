// How well memory does, over time.
import { html, useEffect } from "../lib/dom.js";
import { get } from "../lib/api.js";
import { useLoad } from "../lib/load.js";
import { count, ms, share, typeName } from "../lib/format.js";
import { go, useLocation } from "../lib/router.js";
import { Empty, Loaded, Title } from "../parts/basics.js";
import { Plot } from "../parts/plot.js";
import { Stages, Types } from "./metrics/tables.js";

const WINDOWS = [["1h", "1 hour"], ["24h", "24 hours"], ["7d", "7 days"], ["30d", "30 days"]];
const EVERY_MS = 15_000;

const PLOTS = [
  ["Contexts", "count", [["built", (b) => b.cache.misses, "semantic"], ["from the cache", (b) => b.cache.hits, "lexical"]], { zero: true }],
  ["Latency", "ms", [["p50", (b) => b.latency_ms?.p50, "lexical"], ["p95", (b) => b.latency_ms?.p95, "semantic"], ["p99", (b) => b.latency_ms?.p99, "importance"]], { note: "Of contexts that were built." }],
  ["Found something", "share", [["hit rate", (b) => b.hit_rate, "semantic"], ["likely answer", (b) => b.sufficient_rate, "lexical"]], { most: 1 }],
  ["Best score", "score", [["mean of the best", (b) => b.top_score, "semantic"]], { most: 1 }],
  ["Budget used", "share", [["mean", (b) => b.budget_used, "importance"]], { most: 1 }],
  ["Cache hit rate", "share", [["cache", (b) => b.cache.hit_rate, "lexical"]], { most: 1 }],
  ["Outbox", "count", [["waiting, at most", (b) => b.outbox.waiting, "semantic"], ["given up", (b) => b.outbox.dead, "bad"]], { zero: true }],
  ["Degraded", "count", [["contexts that did without a source", (b) => b.degraded, "bad"]], { zero: true }],
];

/** Tokens of each type that was there at all, over time. */
const typesOf = (told) => Object.keys(told.types).map((name) => [typeName(name), (b) => b.types[name] ?? 0, name]);

const Tile = ({ name, value, hint }) => html`<div class="tile"><span class="tile-name">${name}</span><span class="tile-value">${value}</span><span class="quiet">${hint}</span></div>`;

function Tiles({ told }) {
  const total = told.latency_ms.total;
  return html`<section class="card tiles" aria-label="In short">
    <${Tile} name="Contexts" value=${count(told.contexts)} hint=${`${count(told.built)} built`} />
    <${Tile} name="Hit rate" value=${share(told.hit_rate)} hint="with a memory" />
    <${Tile} name="Likely answer" value=${share(told.sufficient_rate)} hint="sufficient" />
    <${Tile} name="Latency" value=${ms(total?.p50)} hint=${`p95 ${ms(total?.p95)}`} />
    <${Tile} name="Best score" value=${told.top_scores ? told.top_scores.p50.toFixed(2) : "–"} hint="median" />
    <${Tile} name="Budget" value=${share(told.budget_used?.mean)} hint="used, mean" />
    <${Tile} name="Cache" value=${share(told.cache.hit_rate)} hint=${told.cache.hits ? `${ms(told.cache.mean_ms)} each` : "hit rate"} />
  </section>`;
}

function Window({ chosen }) {
  return html`<fieldset class="segments"><legend class="unseen">Window</legend>${WINDOWS.map(([value, text]) => html`<label key=${value}>
    <input type="radio" name="window" value=${value} checked=${value === chosen} onChange=${() => go("/metrics", { window: value }, { replace: true })} /><span>${text}</span></label>`)}</fieldset>`;
}

export default function Metrics() {
  const { query } = useLocation();
  const window = WINDOWS.some(([value]) => value === query.window) ? query.window : "24h";
  const told = useLoad((signal) => get("/memory/metrics", { window }, signal), [window]);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || told.look(), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return html`<${Title} aside=${html`<${Window} chosen=${window} />`}>Metrics<//>
    <${Loaded} of=${told} optional>${(data) => html`<${Tiles} told=${data} />
      ${data.contexts === 0 && html`<${Empty}>No context was asked for in this time.<//>`}
      <div class="plots">${PLOTS.map(([title, unit, series, more]) => html`<${Plot} key=${title} title=${title} unit=${unit} series=${series} buckets=${data.buckets} seconds=${data.bucket_s} ...${more} />`)}
        ${data.built > 0 && html`<${Plot} title="Content types" unit="count" series=${typesOf(data)} buckets=${data.buckets} seconds=${data.bucket_s} note="In tokens." zero />`}</div>
      <div class="tables"><${Stages} told=${data} /><${Types} told=${data} /></div>
      ${data.sampled < data.built && html`<p class="quiet">Figures other than counts are of ${count(data.sampled)} of ${count(data.built)} contexts.</p>`}`}<//>`;
}

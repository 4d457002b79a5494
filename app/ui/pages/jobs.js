// Long work, what waits for the workers, and what indexing has given up.
import { html, useEffect } from "../lib/dom.js";
import { get, post } from "../lib/api.js";
import { count, moment, plural } from "../lib/format.js";
import { useAct, useLoad } from "../lib/load.js";
import { Button, Chip, Empty, Notice, Time, Title, Waiting as Loading } from "../parts/basics.js";

const TONES = { running: "", done: "good", failed: "bad" };
const BUSY_MS = 1_000;
const IDLE_MS = 5_000;
const STARTS = [
  ["Examine everything", "/admin/doctor", { fix: false }],
  ["Make full text anew", "/admin/reindex", { projection: "fts" }],
  ["Make vectors anew", "/admin/reindex", { projection: "vectors" }],
  ["Make the graph anew", "/admin/reindex", { projection: "graph" }],
  ["Distil anew", "/admin/reindex", { projection: "distilled" }],
  ["Write a backup", "/admin/backup"],
];

function Progress({ job }) {
  const { done, total } = job.progress;
  if (job.status !== "running") return html`<span>${total ? `${count(done)} of ${count(total)}` : ""}</span>`;
  return html`<progress max=${total || 1} value=${total ? done : undefined} aria-label=${`${job.kind}: progress`}></progress> <span class="quiet">${count(done)} of ${count(total)}</span>`;
}

function Job({ job, onRetry, busy }) {
  const facts = Object.keys(job.facts).length > 0;
  return html`<tr><th scope="row">${job.kind}${job.facts.index && html` <span class="quiet">${job.facts.index}</span>`}</th><td><${Chip} tone=${TONES[job.status]}>${job.status}<//></td>
    <td><${Progress} job=${job} /></td><td><${Time} at=${job.started_at} /></td>
    <td>${job.error && html`<p class="bad">${job.error}</p>`}${facts && html`<details><summary>What came of it</summary><pre class="plain">${JSON.stringify(job.facts, null, 2)}</pre></details>`}</td>
    <td>${job.status !== "running" && html`<${Button} kind="quiet" busy=${busy} onClick=${() => onRetry(job)} aria-label=${`Once more: ${job.kind} of ${moment(job.started_at)}`}>Once more<//>`}</td></tr>`;
}

function Queue({ stats }) {
  return html`<section class="card tiles" aria-label="Index">
    <div class="tile"><span class="tile-name">Behind</span><span class="tile-value">${stats.index_lag ? `${stats.index_lag_seconds.toFixed(1)} s` : "–"}</span><span class="quiet">${stats.index_lag ? `${plural(stats.index_lag, "item")} of all tenants` : "nothing waits"}</span></div>
    <div class="tile"><span class="tile-name">Given up</span><span class="tile-value">${count(stats.dead_letters)}</span><span class="quiet">${stats.dead_letters === 1 ? "dead letter" : "dead letters"}</span></div>
    <div class="tile"><span class="tile-name">Vectors</span><span class="tile-value">${stats.vectors == null ? "–" : count(stats.vectors)}</span><span class="quiet">of all tenants</span></div>
  </section>`;
}

const WAITING = [["indexing", "To be indexed", "item", "items"], ["conversations", "To be distilled", "conversation", "conversations"],
  ["periods", "To be summed up", "day, week, month or year", "days, weeks, months and years"]];

function Waiting({ jobs }) {
  return html`<section class="card"><h2>Waiting for the workers</h2><div class="tiles">${WAITING.map(([name, title, one, several]) => html`<div class="tile" key=${name}>
    <span class="tile-name">${title}</span><span class="tile-value">${count(jobs.waiting[name])}</span><span class="quiet">${jobs.waiting[name] === 1 ? one : several}${jobs.operator ? ", of all tenants" : ""}</span></div>`)}</div></section>`;
}

function Parts({ parts }) {
  const tones = { ok: "good", healing: "warn", down: "bad" };
  return html`<section class="card"><h2>Parts</h2><ul class="parts">${Object.entries(parts).map(([name, part]) => html`<li key=${name}>
    <span class="name">${name.replaceAll("_", " ")}</span> <${Chip} tone=${tones[part.status]}>${part.status}<//><span class="quiet">${[part.lag && `${plural(part.lag, "item")} behind`, part.reason || (!part.lag && part.model)].filter(Boolean).join(", ")}</span></li>`)}</ul></section>`;
}

function Starts({ acting }) {
  return html`<div class="buttons">${STARTS.map(([text, path, body]) => html`<${Button} key=${text} busy=${acting.busy} onClick=${() => acting.run(path, body)}>${text}<//>`)}</div>`;
}

function List({ jobs, acting, onRetry }) {
  if (jobs.items.length === 0) return html`<${Empty}>No long work since this process began.<//>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Long work"><table class="list"><thead><tr><th scope="col">Work</th><th scope="col">State</th><th scope="col">Progress</th><th scope="col">Begun</th><th scope="col">Result</th><th scope="col"><span class="unseen">Actions</span></th></tr></thead>
    <tbody>${jobs.items.map((job) => html`<${Job} key=${job.id} job=${job} busy=${acting.busy} onRetry=${onRetry} />`)}</tbody></table></div>`;
}

export default function Jobs() {
  const jobs = useLoad((signal) => get("/jobs", { limit: 500 }, signal), []);
  const stats = useLoad((signal) => get("/memory/debug/stats", {}, signal), []);
  const ready = useLoad((signal) => get("/readyz", {}, signal), []);
  const acting = useAct(async (path, body) => {
    await post(path, body);
    jobs.reload();
  });
  const running = jobs.data?.items.some((each) => each.status === "running");
  useEffect(() => {
    const look = () => document.hidden || [jobs, stats, ready].forEach((each) => each.look());
    const timer = setInterval(look, running ? BUSY_MS : IDLE_MS);
    return () => clearInterval(timer);
  }, [running]);
  const problem = jobs.problem || stats.problem;
  return html`<${Title}>Jobs<//>
    <${Notice} problem=${problem} onRetry=${() => [jobs, stats, ready].forEach((each) => each.reload())} />
    ${!problem && !(jobs.data && stats.data) && html`<${Loading} />`}
    ${stats.data && html`<${Queue} stats=${stats.data} />`}
    <${Notice} problem=${acting.problem} />
    ${jobs.data?.dead_letters > 0 && html`<div class="notice" role="status">${plural(jobs.data.dead_letters, "item")} could not be indexed.
      <${Button} busy=${acting.busy} onClick=${() => acting.run("/admin/retry-dead-letters")}>Give them another try<//></div>`}
    ${jobs.data && html`<${Waiting} jobs=${jobs.data} />`}
    ${jobs.data && html`<section class="card"><h2>Long work</h2>
      ${jobs.data.operator ? html`<${Starts} acting=${acting} />` : html`<p class="quiet">What concerns every tenant is shown to, and started by, whoever operates the service.</p>`}
      <${List} jobs=${jobs.data} acting=${acting} onRetry=${(job) => acting.run(`/jobs/${job.id}/retry`)} /></section>`}
    ${ready.data && html`<${Parts} parts=${ready.data.parts} />`}`;
}

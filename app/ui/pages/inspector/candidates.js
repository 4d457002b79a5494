// Every candidate, with what spoke for it.
import { cx, html, useLayoutEffect, useRef, useState } from "../../lib/dom.js";
import { plural, score } from "../../lib/format.js";
import { Adds, Bar } from "../../parts/bars.js";
import { Chip, Clipped, Empty, Time, TypeChip } from "../../parts/basics.js";
import { Source } from "../../parts/source.js";
import { scaled } from "./asking.js";

const SIGNALS = ["relevance", "lift", "semantic", "lexical", "relational", "recency", "importance", "rerank"];
const AT_ONCE = 20;

/** What brought an item in, or up, beside what it says. */
const ASIDE = {
  completes: "completes another",
  answers: "answers the question",
  portrait: "about who asks",
  period: "of the time asked for",
  idle: "answers nothing",
};

/** What the three weights made of a score. */
function Parts({ signals, weights, value }) {
  const shares = scaled(weights);
  const told = { ...signals, relevance: (signals.relevance || 0) + (signals.lift || 0) };
  const parts = ["relevance", "recency", "importance"].map((name) => [name, (told[name] || 0) * shares[name]]);
  return html`<div class="score-parts" aria-hidden="true" title=${parts.map(([n, x]) => `${n} ${x.toFixed(3)}`).join(" + ")}>
    ${parts.map(([name, x]) => html`<span key=${name} class=${`tone-${name}`} style=${{ width: `${Math.min(1, x) * 100}%` }}></span>`)}
  </div><span class="unseen">${parts.map(([n, x]) => `${n} gives ${x.toFixed(2)}`).join(", ")}, in all ${score(value)}</span>`;
}

function Move({ now, then }) {
  if (!then || then === now) return null;
  const up = then > now;
  return html`<span class=${up ? "move up" : "move down"}><span aria-hidden="true">${up ? "▲" : "▼"}</span><span class="unseen">${up ? "up" : "down"} by </span>${Math.abs(then - now)}</span>`;
}

const FATES = { in: ["good", "in the bundle"], history: ["", "in the history already"] };

function Fate({ fate }) {
  const [tone, text] = FATES[fate] || ["warn", `left out: ${fate}`];
  return html`<${Chip} tone=${tone}>${text}<//>`;
}

/** The score, and each signal that speaks for it, as a bar. */
export function Signals({ item, weights }) {
  const signals = item.signals || {};
  const bars = SIGNALS.filter((name) => typeof signals[name] === "number" && signals[name] >= 0 && signals[name] <= 1 && (name !== "lift" || signals[name]));
  return html`<div class="signals">
    <p class="score"><strong>${score(item.score)}</strong></p>
    ${weights && html`<${Parts} signals=${signals} weights=${weights} value=${item.score} />`}
    <div class="bars">${bars.map((name) => html`<${Bar} key=${name} name=${name} value=${signals[name]} />`)}</div>
    ${Object.keys(signals).some((name) => name.startsWith("adds.")) && html`<details><summary>Why this relevance</summary><${Adds} signals=${signals} /></details>`}
  </div>`;
}

export function Candidate({ item, rank, then, weights, user }) {
  const out = item.fate && item.fate !== "in"; // what was answered once has no fate
  return html`<article class=${cx("candidate", out && "out")} aria-label=${`Candidate ${rank}`}>
    <div class="rank"><span>${rank}</span><${Move} now=${rank} then=${then} /></div>
    <div class="candidate-text">
      <p class="meta"><${TypeChip} type=${item.type} /> ${item.fate && html`<${Fate} fate=${item.fate} />`}
        ${Object.entries(ASIDE).map(([name, why]) => item.signals?.[name] ? html`<${Chip} key=${name}>${why}<//>` : "")}
        ${(item.name || item.role) && html`<span>${item.name || item.role}</span>`} <${Time} at=${item.created_at} /> <${Source} item=${item} user=${user} />
        <span class="quiet">${plural(item.tokens, "token")} · by ${item.sources.join(", ") || "nothing"}</span></p>
      ${item.erased ? html`<${Empty}>Erased since.<//>` : html`<${Clipped} text=${item.content} />`}
    </div>
    <${Signals} item=${item} weights=${weights} />
  </article>`;
}

/** Lets items that change their place be seen to move there. */
function useMoving(order) {
  const list = useRef();
  const places = useRef(new Map());
  useLayoutEffect(() => {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const now = new Map();
    for (const child of list.current?.children || []) {
      const top = child.offsetTop;
      now.set(child.dataset.id, top);
      const was = places.current.get(child.dataset.id);
      if (calm || was === undefined || was === top) continue;
      child.animate([{ transform: `translateY(${was - top}px)` }, { transform: "none" }], { duration: 260, easing: "ease-out" });
    }
    places.current = now;
  }, [order]);
  return list;
}

export function Candidates({ all, before, weights, user }) {
  const [shown, setShown] = useState(AT_ONCE);
  const some = all.slice(0, shown);
  const list = useMoving(some.map((each) => each.id).join());
  const fits = all.some(({ fate }) => fate in FATES);
  const moved = before ? all.filter((each, at) => before.get(each.id) && before.get(each.id) !== at + 1).length : 0;
  return html`<p class="quiet moved" role="status">${moved ? `${plural(moved, "candidate stands", "candidates stand")} elsewhere than with the weights of before.` : ""}</p>
    ${!fits && html`<${Empty}>Nothing in memory fits this question.${all.length > 0 && " What came near was left out:"}<//>`}
    <ol class="candidates" ref=${list}>${some.map((item, at) => html`<li key=${item.id} data-id=${item.id}>
      <${Candidate} item=${item} rank=${at + 1} then=${before?.get(item.id)} weights=${weights} user=${user} /></li>`)}</ol>
    ${all.length > shown && html`<button type="button" class="button button-plain" onClick=${() => setShown(all.length)}>Show all ${all.length}</button>`}`;
}

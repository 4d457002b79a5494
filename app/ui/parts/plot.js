// Lines over time. A pointer or the arrow keys tell the figures of a moment; a table has them all.
import { html, useId, useRef, useState } from "../lib/dom.js";
import { count, date, moment, ms, share, time } from "../lib/format.js";

const [W, H, LEFT, BOTTOM, TOP, RIGHT] = [320, 150, 54, 22, 10, 8];
const SAYS = { count, ms, share, score: (x) => (x == null ? "–" : x.toFixed(2)) };

/** The least round number that is not below `x`: one whose half is as short. */
export function rounded(x) {
  if (!(x > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(x));
  return [1, 2, 4, 6, 8, 10].map((each) => each * power).find((each) => each >= x);
}

function pathsOf(values, x, y) {
  const parts = [];
  let open = [];
  values.forEach((value, at) => {
    if (value == null) {
      if (open.length) parts.push(open);
      open = [];
    } else open.push([x(at), y(value)]);
  });
  if (open.length) parts.push(open);
  return parts;
}

const line = (points) => points.map(([x, y], at) => `${at ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

function Line({ values, tone, x, y }) {
  return pathsOf(values, x, y).map((points, at) => points.length === 1
    ? html`<circle key=${at} class=${`point tone-${tone}`} cx=${points[0][0]} cy=${points[0][1]} r="3.5" />`
    : html`<path key=${at} class=${`line tone-${tone}`} d=${line(points)} />`);
}

const thousands = (value, unit) => `${count(+(value / 1_000).toFixed(1))}${unit}`;

/** Of an axis: short. */
const brief = (unit, says) => (value) => {
  if (unit === "ms") return value >= 1_000 ? thousands(value, " s") : `${+value.toFixed(1)} ms`;
  if (unit === "count") return value >= 10_000 ? thousands(value, "k") : count(+value.toFixed(1));
  return says(value);
};

function Axes({ says, top, y, buckets, x, seconds }) {
  const label = seconds >= 21_600 ? date : time;
  const stops = [0, Math.floor((buckets.length - 1) / 2), buckets.length - 1];
  return html`<g class="axes" aria-hidden="true">
    ${[0, 0.5, 1].map((part) => html`<g key=${part}><line x1=${LEFT} x2=${W - RIGHT} y1=${y(top * part)} y2=${y(top * part)} />
      <text x=${LEFT - 6} y=${y(top * part) + 3} text-anchor="end">${says(top * part)}</text></g>`)}
    ${stops.map((at, index) => html`<text key=${index} x=${x(at)} y=${H - 6} text-anchor=${["start", "middle", "end"][index]}>${label(buckets[at].at)}</text>`)}
  </g>`;
}

function Figures({ buckets, series, says }) {
  const told = buckets.filter((each) => series.some(([, of]) => of(each)));
  return html`<details class="figures"><summary>Figures</summary><div class="scroll"><table class="list"><thead><tr><th scope="col">From</th>${series.map(([name]) => html`<th scope="col" class="number" key=${name}>${name}</th>`)}</tr></thead>
    <tbody>${told.map((each) => html`<tr key=${each.at}><th scope="row">${moment(each.at)}</th>${series.map(([name, of]) => html`<td class="number" key=${name}>${says(of(each) ?? null)}</td>`)}</tr>`)}</tbody></table></div></details>`;
}

export function Plot({ title, unit, series, buckets, seconds, most, zero, note }) {
  const id = useId();
  const picture = useRef();
  const [at, setAt] = useState(null);
  const says = (value) => (value == null ? "–" : SAYS[unit](value));
  const all = series.map(([, of]) => buckets.map((each) => of(each) ?? (zero ? 0 : null)));
  const highest = Math.max(0, ...all.flat().filter((each) => each != null));
  const top = most ?? (unit === "count" ? Math.max(2, rounded(highest)) : rounded(highest));
  const x = (index) => LEFT + ((W - LEFT - RIGHT) * index) / Math.max(1, buckets.length - 1);
  const y = (value) => H - BOTTOM - ((H - BOTTOM - TOP) * value) / top;
  const point = (event) => {
    const box = picture.current.getBoundingClientRect();
    const part = ((event.clientX - box.left) / box.width) * W - LEFT;
    setAt(Math.max(0, Math.min(buckets.length - 1, Math.round((part / (W - LEFT - RIGHT)) * (buckets.length - 1)))));
  };
  const step = (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    setAt((had) => Math.max(0, Math.min(buckets.length - 1, (had ?? buckets.length - 1) + by)));
  };
  const shown = at == null ? null : buckets[at];
  return html`<section class="card plot" aria-labelledby=${id}>
    <div class="plot-head"><h2 id=${id}>${title}</h2><p class="quiet">${shown ? moment(shown.at) : note || ""}</p></div>
    <svg ref=${picture} viewBox=${`0 0 ${W} ${H}`} role="img" tabindex="0" aria-labelledby=${id} aria-describedby=${`${id}-now`}
      onPointerMove=${point} onPointerLeave=${() => setAt(null)} onKeyDown=${step} onBlur=${() => setAt(null)}>
      <${Axes} says=${brief(unit, says)} top=${top} y=${y} x=${x} buckets=${buckets} seconds=${seconds} />
      ${series.map(([name, , tone], index) => html`<${Line} key=${name} values=${all[index]} tone=${tone} x=${x} y=${y} />`)}
      ${shown && html`<line class="cursor" x1=${x(at)} x2=${x(at)} y1=${TOP} y2=${H - BOTTOM} />`}
    </svg>
    <ul class="legend" id=${`${id}-now`} aria-live="polite">${series.map(([name, of, tone]) => html`<li key=${name}><span class=${`dot tone-${tone}`} aria-hidden="true"></span>${name} ${shown && html`<strong>${says(of(shown) ?? null)}</strong>`}</li>`)}</ul>
    <${Figures} buckets=${buckets} series=${series} says=${says} />
  </section>`;
}

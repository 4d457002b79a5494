// Small parts that every page is made of.
import { cx, html, useEffect, useRef, useState } from "../lib/dom.js";
import { moment, typeName } from "../lib/format.js";

export const Time = ({ at }) =>
  at ? html`<time datetime=${at} title=${at}>${moment(at)}</time>` : html`<span>–</span>`;

export const Chip = ({ tone, children, title }) =>
  html`<span class=${cx("chip", tone && `chip-${tone}`)} title=${title}>${children}</span>`;

export const TypeChip = ({ type }) => html`<span class=${`chip type type-${type}`}>${typeName(type)}</span>`;

export function Button({ kind = "plain", busy = false, children, ...rest }) {
  return html`<button type="button" class=${`button button-${kind}`} aria-busy=${busy}
    disabled=${busy} ...${rest}>${children}</button>`;
}

export function Field({ label, hint, id, children, wide }) {
  return html`<div class=${cx("field", wide && "field-wide")}>
    <label for=${id}>${label}</label>${children}
    ${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}
  </div>`;
}

export function Switch({ id, label, hint, checked, onChange, disabled }) {
  return html`<div class="switch-row">
    <div><label for=${id}>${label}</label>${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}</div>
    <input type="checkbox" role="switch" class="switch" id=${id} checked=${checked} disabled=${disabled}
      aria-describedby=${hint ? `${id}-hint` : undefined}
      onChange=${(event) => onChange(event.currentTarget.checked)} />
  </div>`;
}

const MISSING = "This part is not available on this server.";

/** What went wrong, in the service's own words. `optional`: a 404 says that there is no such part. */
export function Notice({ problem, optional, onRetry }) {
  if (!problem) return null;
  if (optional && problem.status === 404) return html`<p class="empty">${MISSING}</p>`;
  const title = problem.message.replace(/\.?$/, ".");
  return html`<div class="notice" role="alert">
    <strong>${title}</strong> ${problem.detail !== problem.message && problem.detail}
    ${problem.errors?.length > 0 && html`<ul>
      ${problem.errors.map((each) => html`<li><code>${each.pointer}</code> ${each.detail}</li>`)}
    </ul>`}
    ${onRetry && html`<div><${Button} kind="quiet" onClick=${onRetry}>Try again<//></div>`}
  </div>`;
}

export const Empty = ({ children }) => html`<p class="empty">${children}</p>`;

/** Nothing for a moment, then that it takes time: what flickers is not calm. */
export const Waiting = ({ what = "Loading" }) =>
  html`<p class="waiting" role="status">${what} …</p>`;

/** The states of a loaded thing, and then what to show of it. */
export function Loaded({ of, optional, what, children }) {
  if (of.problem) return html`<${Notice} problem=${of.problem} optional=${optional} onRetry=${of.reload} />`;
  if (!of.data) return html`<${Waiting} what=${what} />`;
  return children(of.data);
}

export function More({ list }) {
  if (!list.data?.next_cursor) return null;
  return html`<div class="more">
    <${Notice} problem=${list.more.problem} />
    <${Button} busy=${list.more.loading} onClick=${list.more.next}>Show more<//>
  </div>`;
}

/** The heading of a page; what is read out when one gets there. */
export function Title({ children, aside }) {
  const heading = useRef();
  useEffect(() => {
    document.title = `${heading.current.textContent} · Foreword`;
  });
  return html`<div class="title"><h1 id="title" tabindex="-1" ref=${heading}>${children}</h1>${aside}</div>`;
}

export function Copy({ text, label = "Copy" }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text).catch(() => {});
    setDone(true);
    setTimeout(() => setDone(false), 1_500);
  };
  return html`<${Button} kind="quiet" onClick=${copy}><span aria-live="polite">${done ? "Copied" : label}</span><//>`;
}

/** Long texts: their beginning, and the rest if somebody wants it. */
export function Clipped({ text, most = 320 }) {
  const [open, setOpen] = useState(false);
  const long = text.length > most;
  return html`<div class="clipped"><p class="said">${long && !open ? `${text.slice(0, most).trimEnd()} …` : text}</p>
    ${long && html`<button type="button" class="link" aria-expanded=${open}
      onClick=${() => setOpen(!open)}>${open ? "Show less" : "Show all"}</button>`}
  </div>`;
}

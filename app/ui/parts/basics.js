// Small parts that every page is made of.
import { cx, html, useEffect, useRef, useState } from "../lib/dom.js";
import { begun, moment, typeName } from "../lib/format.js";

export const Time = ({ at }) =>
  at ? html`<time datetime=${at} title=${at}>${moment(at)}</time>` : html`<span>–</span>`;

export const Chip = ({ tone, children, title }) =>
  html`<span class=${cx("chip", tone && `chip-${tone}`)} title=${title}>${children}</span>`;

export const TypeChip = ({ type }) => html`<span class=${`chip type type-${type}`}>${typeName(type)}</span>`;

/** One that is busy does nothing, and keeps the focus: a disabled one would lose it. */
export function Button({ kind = "plain", busy = false, onClick, children, ...rest }) {
  const press = (event) => (busy ? event.preventDefault() : onClick?.(event));
  return html`<button type="button" class=${`button button-${kind}`} aria-busy=${busy}
    aria-disabled=${busy || undefined} onClick=${press} ...${rest}>${children}</button>`;
}

export function Field({ label, hint, id, children, wide }) {
  return html`<div class=${cx("field", wide && "field-wide")}>
    <label for=${id}>${label}</label>${children}
    ${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}
  </div>`;
}

export function Switch({ id, label, hint, checked, onChange, busy = false, disabled }) {
  return html`<div class="switch-row">
    <div><label for=${id}>${label}</label>${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}</div>
    <input type="checkbox" role="switch" class="switch" id=${id} checked=${checked} disabled=${disabled}
      aria-disabled=${busy || undefined} onClick=${(event) => busy && event.preventDefault()} aria-describedby=${hint ? `${id}-hint` : undefined}
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
    <strong>${title}</strong> ${!problem.errors?.length && problem.detail !== problem.message && problem.detail}
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

/** The states of a loaded thing, and then what to show of it: what is old, beside what went wrong since. */
export function Loaded({ of, optional, what, children }) {
  const notice = of.problem && html`<${Notice} problem=${of.problem} optional=${optional} onRetry=${of.reload} />`;
  if (of.data) return html`${notice}${children(of.data)}`;
  return notice || html`<${Waiting} what=${what} />`;
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

/** Browsers give the clipboard to safe addresses only: elsewhere it is done as of old. */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = Object.assign(document.createElement("textarea"), { value: text, className: "unseen" });
    const back = document.activeElement;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    back?.focus();
    return done;
  }
}

export function Copy({ text, label = "Copy" }) {
  const [told, setTold] = useState("");
  const copy = async () => {
    setTold((await copied(text)) ? "Copied" : "Not copied");
    setTimeout(() => setTold(""), 1_500);
  };
  return html`<${Button} kind="quiet" onClick=${copy}><span aria-live="polite">${told || label}</span><//>`;
}

/** Long texts: their beginning, and the rest if somebody wants it. */
export function Clipped({ text, most = 320 }) {
  const [open, setOpen] = useState(false);
  const begins = begun(text, most);
  const long = begins !== text;
  return html`<div class="clipped"><p class="said">${open ? text : begins}</p>
    ${long && html`<button type="button" class="link" aria-expanded=${open}
      onClick=${() => setOpen(!open)}>${open ? "Show less" : "Show all"}</button>`}
  </div>`;
}

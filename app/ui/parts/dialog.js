// Questions before what cannot be undone, and receipts after.
import { html, useLayoutEffect, useRef } from "../lib/dom.js";
import { count } from "../lib/format.js";
import { useAct } from "../lib/load.js";
import { Button, Notice } from "./basics.js";

export function Dialog({ title, onClose, children, closable = true }) {
  const dialog = useRef();
  useLayoutEffect(() => {
    const [it, back] = [dialog.current, document.activeElement];
    it.showModal();
    // As long as it is open nothing else takes the focus.
    return () => {
      it.close();
      back?.focus?.();
    };
  }, []);
  const onCancel = (event) => {
    event.preventDefault();
    if (closable) onClose();
  };
  // A second Escape closes it whatever the page says.
  const onClosed = () => {
    if (!dialog.current || dialog.current.open) return;
    if (closable) onClose();
    else dialog.current.showModal();
  };
  return html`<dialog ref=${dialog} aria-labelledby="dialog-title" onCancel=${onCancel} onClose=${onClosed}>
    <h2 id="dialog-title">${title}</h2>${children}
  </dialog>`;
}

/** Asks, acts, and hands what came of it to `onDone`. */
export function Confirm({ title, action, act, onDone, onClose, children }) {
  const doing = useAct(act);
  const run = async () => {
    const done = await doing.run();
    if (done !== undefined) onDone(done);
  };
  // What is being done cannot be called back, and has a receipt to show.
  return html`<${Dialog} title=${title} onClose=${onClose} closable=${!doing.busy}>
    ${children}
    <${Notice} problem=${doing.problem} />
    <div class="buttons">
      <${Button} busy=${doing.busy} onClick=${onClose}>Keep it<//>
      <${Button} kind="danger" busy=${doing.busy} onClick=${run}>${action}<//>
    </div>
  <//>`;
}

const spelled = (name) => name.replaceAll("_", " ");

function verdict({ remaining, unasked }) {
  if (unasked?.length) return `${unasked.join(" and ")} did not answer, and may still hold ${count(remaining)}: that goes once they do.`;
  return `Looked for in every index afterwards: ${remaining === 0 ? "nothing is" : count(remaining)} left.`;
}

export function ReceiptTable({ receipt }) {
  const rows = Object.entries(receipt.erased).filter(([, n]) => n > 0);
  const rebuilt = Object.entries(receipt.rebuilt || {}).filter(([, n]) => n > 0);
  return html`<div class="receipt">
    <table><caption class="unseen">Erased</caption><tbody>
      ${rows.map(([name, n]) => html`<tr key=${name}><th scope="row">${spelled(name)}</th><td class="number">${count(n)}</td></tr>`)}
      ${rows.length === 0 && html`<tr><td colspan="2">There was nothing.</td></tr>`}
      ${rebuilt.map(([name, n]) => html`<tr key=${`r${name}`}><th scope="row">${spelled(name)} made anew</th><td class="number">${count(n)}</td></tr>`)}
    </tbody></table>
    <p class=${receipt.remaining === 0 ? "verdict good" : "verdict bad"}>${verdict(receipt)}</p>
    <p class="quiet">Receipt <code>${receipt.erasure_id}</code></p>
  </div>`;
}

export function Receipt({ receipt, onClose }) {
  return html`<${Dialog} title="Erased" onClose=${onClose}>
    <${ReceiptTable} receipt=${receipt} />
    <div class="buttons"><${Button} kind="main" onClick=${onClose}>Close<//></div>
  <//>`;
}

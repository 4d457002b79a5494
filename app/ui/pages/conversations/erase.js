// Deleting: a question, then the receipt.
import { html, useState } from "../../lib/dom.js";
import { erase } from "../../lib/api.js";
import { Confirm, Receipt } from "../../parts/dialog.js";

export function Erase({ path, what, onClose, onErased }) {
  const [receipt, setReceipt] = useState(null);
  if (receipt) return html`<${Receipt} receipt=${receipt} onClose=${() => { onClose(); onErased(); }} />`;
  return html`<${Confirm} title="Delete for good?" action="Delete" act=${() => erase(path)} onDone=${setReceipt} onClose=${onClose}>
    <p>This erases ${what}, and all that was derived from it, from every index. It cannot be undone.</p><//>`;
}

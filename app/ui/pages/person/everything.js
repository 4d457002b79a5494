// Forgetting a user.
import { html, useState } from "../../lib/dom.js";
import { Button } from "../../parts/basics.js";
import { Confirm } from "../../parts/dialog.js";

export function Everything({ user, act, onErased }) {
  const [asking, setAsking] = useState(false);
  return html`<section class="card"><h2>Forget this user</h2>
    <p>Erases every conversation, message and memory of ${user}, with consent and profile.</p>
    <${Button} kind="danger-quiet" onClick=${() => setAsking(true)}>Erase everything<//>
    ${asking && html`<${Confirm} title=${`Erase everything of ${user}?`} action="Erase everything" act=${act} onClose=${() => setAsking(false)}
      onDone=${(receipt) => { setAsking(false); onErased(receipt); }}><p>It cannot be undone.</p><//>`}
  </section>`;
}

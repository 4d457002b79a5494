// Asks for a key where the service wants one.
import { html, useEffect, useState } from "../lib/dom.js";
import { canBeKey, isWanted, onKey, setKey, wasRefused } from "../lib/key.js";
import { Button, Field } from "./basics.js";
import { Dialog } from "./dialog.js";

export function KeyDialog() {
  const [wanted, setWanted] = useState(isWanted);
  const [isOdd, setOdd] = useState(false);
  useEffect(() => onKey(() => setWanted(isWanted())), []);
  if (!wanted) return null;
  const submit = (event) => {
    event.preventDefault();
    const given = event.currentTarget.elements.key.value.trim();
    setOdd(given && !canBeKey(given));
    if (canBeKey(given)) setKey(given);
  };
  return html`<${Dialog} title="A key, please" closable=${false}>
    <p>This service answers to holders of an API key. It stays in this tab and is forgotten with it.</p>
    ${isOdd ? html`<p class="notice" role="alert">A key has only the letters, digits and signs of plain ASCII, and no blanks: this one cannot be sent.</p>`
      : wasRefused() && html`<p class="notice" role="alert">The key of this tab is not known here, or no longer.</p>`}
    <form onSubmit=${submit}>
      <${Field} label="API key" id="key">
        <input id="key" name="key" type="password" autocomplete="off" required autofocus spellcheck="false" />
      <//>
      <div class="buttons"><${Button} kind="main" type="submit">Use this key<//></div>
    </form>
  <//>`;
}

// Asks for a key where the service wants one.
import { html, useEffect, useState } from "../lib/dom.js";
import { isWanted, onKey, setKey, wasRefused } from "../lib/key.js";
import { Button, Field } from "./basics.js";
import { Dialog } from "./dialog.js";

export function KeyDialog() {
  const [wanted, setWanted] = useState(isWanted);
  useEffect(() => onKey(() => setWanted(isWanted())), []);
  if (!wanted) return null;
  const submit = (event) => {
    event.preventDefault();
    const given = event.currentTarget.elements.key.value.trim();
    if (given) setKey(given);
  };
  return html`<${Dialog} title="A key, please" closable=${false}>
    <p>This service answers to holders of an API key. It stays in this tab and is forgotten with it.</p>
    ${wasRefused() && html`<p class="notice" role="alert">The key of this tab is not known here, or no longer.</p>`}
    <form onSubmit=${submit}>
      <${Field} label="API key" id="key">
        <input id="key" name="key" type="password" autocomplete="off" required autofocus spellcheck="false" />
      <//>
      <div class="buttons"><${Button} kind="main" type="submit">Use this key<//></div>
    </form>
  <//>`;
}

// Tabs: arrows move between them, and only the chosen one is a stop of the Tab key.
import { html, useRef } from "../lib/dom.js";

const STEPS = { ArrowRight: 1, ArrowLeft: -1 };

export function Tabs({ label, tabs, chosen, onChoose, children }) {
  const list = useRef();
  const move = (event) => {
    const at = tabs.findIndex(([name]) => name === chosen);
    const to = { Home: 0, End: tabs.length - 1 }[event.key] ?? at + (STEPS[event.key] ?? 0);
    const next = tabs[(to + tabs.length) % tabs.length][0];
    if (next === chosen) return;
    event.preventDefault();
    onChoose(next);
    list.current.querySelector(`#tab-${next}`).focus();
  };
  return html`<div class="tabs">
    <div role="tablist" aria-label=${label} ref=${list} onKeyDown=${move}>
      ${tabs.map(([name, text]) => html`<button type="button" role="tab" key=${name} id=${`tab-${name}`}
        aria-selected=${name === chosen} data-name=${text} aria-controls="tab-panel" tabindex=${name === chosen ? 0 : -1}
        onClick=${() => onChoose(name)}>${text}</button>`)}
    </div>
    <div role="tabpanel" id="tab-panel" aria-labelledby=${`tab-${chosen}`}>${children}</div>
  </div>`;
}

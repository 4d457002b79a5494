// A text that somebody or something said: markdown and code, sanitized; very long ones as they are.
import { html, useLayoutEffect, useRef, useState } from "../lib/dom.js";
import { beginning, count } from "../lib/format.js";
import { Waiting } from "./basics.js";

const FORMATTED = 60_000;
const AT_ONCE = 20_000;

/** Marks that end nothing are looked at again and again: the time for them grows with their square. */
const RUNS = /[*_!]{2,}/g;
const MOST_MARKS = 3_000;
const isTangled = (text) => (text.match(RUNS) || []).join("").length > MOST_MARKS;

/** What cannot be formatted, as what is nested too deeply, is shown as it is. */
function Formatted({ text }) {
  const place = useRef();
  const [ready, setReady] = useState(false);
  const [failed, setFailed] = useState(null);
  useLayoutEffect(() => {
    let here = true;
    const show = ({ fromMarkdown }) => {
      if (!here) return;
      place.current.replaceChildren(fromMarkdown(text));
      setReady(true);
    };
    import("../lib/markdown.js").then(show).catch(() => here && setFailed(text));
    return () => {
      here = false;
    };
  }, [text]);
  if (failed === text) return html`<${Plain} text=${text} />`;
  return html`<div>${!ready && html`<${Waiting} />`}<div class="formatted" ref=${place}></div></div>`;
}

function Plain({ text }) {
  const [shown, setShown] = useState(AT_ONCE);
  const begins = beginning(text, shown);
  const left = text.length - begins.length;
  return html`<div><pre class="plain">${begins}</pre>
    ${left > 0 && html`<button type="button" class="link" onClick=${() => setShown(shown * 4)}>
      Show more (${count(left)} characters left)</button>`}
  </div>`;
}

export const Said = ({ text }) =>
  text.length > FORMATTED || isTangled(text) ? html`<${Plain} text=${text} />` : html`<${Formatted} text=${text} />`;

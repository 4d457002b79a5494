// A text that somebody or something said: markdown and code, sanitized; very long ones as they are.
import { html, useLayoutEffect, useRef, useState } from "../lib/dom.js";
import { count } from "../lib/format.js";
import { Waiting } from "./basics.js";

const FORMATTED = 60_000;
const AT_ONCE = 20_000;

function Formatted({ text }) {
  const place = useRef();
  const [ready, setReady] = useState(false);
  useLayoutEffect(() => {
    let here = true;
    import("../lib/markdown.js").then(({ fromMarkdown }) => {
      if (!here) return;
      place.current.replaceChildren(fromMarkdown(text));
      setReady(true);
    });
    return () => {
      here = false;
    };
  }, [text]);
  return html`<div>${!ready && html`<${Waiting} />`}<div class="formatted" ref=${place}></div></div>`;
}

function Plain({ text }) {
  const [shown, setShown] = useState(AT_ONCE);
  const left = text.length - shown;
  return html`<div><pre class="plain">${text.slice(0, shown)}</pre>
    ${left > 0 && html`<button type="button" class="link" onClick=${() => setShown(shown * 4)}>
      Show more (${count(left)} characters left)</button>`}
  </div>`;
}

export const Said = ({ text }) =>
  text.length > FORMATTED ? html`<${Plain} text=${text} />` : html`<${Formatted} text=${text} />`;

// The messages of a conversation, from its beginning, or up to the one that was asked for.
import { cx, html, useEffect, useRef, useState } from "../../lib/dom.js";
import { get } from "../../lib/api.js";
import { plural } from "../../lib/format.js";
import { useLoad, usePages } from "../../lib/load.js";
import { Button, Chip, Empty, Loaded, More, Notice, Time, Waiting } from "../../parts/basics.js";
import { Said } from "../../parts/said.js";
import { Erase } from "./erase.js";

const PAGE = 50;
const FAR = 500;
const MOST = 20;

function ToolCalls({ calls }) {
  return html`<details class="calls"><summary>${plural(calls.length, "tool call")}</summary>
    <pre class="plain">${JSON.stringify(calls, null, 2)}</pre></details>`;
}

function Message({ it, wanted, onErase }) {
  const place = useRef();
  useEffect(() => {
    if (!wanted) return;
    place.current.scrollIntoView({ block: "center" });
    place.current.focus({ preventScroll: true });
  }, [wanted]);
  return html`<li><article ref=${place} class=${cx("message", `role-${it.role}`, wanted && "wanted")} tabindex="-1" aria-label=${`${it.name || it.role}`}>
    <header class="meta"><strong>${it.name || it.role}</strong>${it.name && html`<span class="quiet">${it.role}</span>`}
      <${Time} at=${it.created_at} /><span class="quiet">${plural(it.tokens, "token")}</span>
      ${it.importance === 10 && html`<${Chip} tone="good">pinned<//>`}
      ${it.echo.length > 0 && html`<${Chip} tone="warn" title="Repeats what a bundle showed: kept, and not recalled">echo<//>`}
      <span class="meta-end"><${Button} kind="quiet" onClick=${() => onErase(it)} aria-label=${`Delete this message of ${it.name || it.role}`}>Delete<//></span></header>
    ${it.content && html`<${Said} text=${it.content} />`}
    ${it.tool_calls && html`<${ToolCalls} calls=${it.tool_calls} />`}
  </article></li>`;
}

function List({ items, wanted, onErased }) {
  const [erasing, setErasing] = useState(null);
  if (items.length === 0) return html`<${Empty}>Nothing was said here.<//>`;
  return html`<ol class="messages">${items.map((it) => html`<${Message} key=${it.id} it=${it} wanted=${it.id === wanted} onErase=${setErasing} />`)}</ol>
    ${erasing && html`<${Erase} path=${`/messages/${erasing.id}`} what="this message" onClose=${() => setErasing(null)} onErased=${onErased} />`}`;
}

/** Reads on until the message is there; of a very long conversation, not forever. */
async function upTo(path, wanted, signal) {
  let [items, cursor] = [[], undefined];
  for (let turn = 0; turn < MOST; turn += 1) {
    const page = await get(path, { limit: FAR, cursor }, signal);
    items = [...items, ...page.items];
    cursor = page.next_cursor;
    if (!cursor || page.items.some((each) => each.id === wanted)) break;
  }
  const at = items.findIndex((each) => each.id === wanted);
  if (at < 0) return { items: items.slice(0, PAGE), missing: true, before: 0 };
  const from = Math.max(0, at - PAGE);
  return { items: items.slice(from, at + PAGE), missing: false, before: from };
}

function Around({ path, wanted, onErased, onAll }) {
  const loaded = useLoad((signal) => upTo(path, wanted, signal), [path, wanted]);
  if (loaded.problem) return html`<${Notice} problem=${loaded.problem} />`;
  if (!loaded.data) return html`<${Waiting} what="Looking for the message" />`;
  const { items, missing, before } = loaded.data;
  return html`${missing && html`<p class="notice" role="status">That message is not here any more.</p>`}
    <p class="quiet">${before > 0 ? `${plural(before, "message")} before these. ` : ""}<button type="button" class="link" onClick=${onAll}>Read from the beginning</button></p>
    <${List} items=${items} wanted=${wanted} onErased=${() => { loaded.reload(); onErased(); }} />`;
}

function FromTheStart({ path, onErased }) {
  const list = usePages(path, { limit: PAGE });
  return html`<${Loaded} of=${list}>${(data) => html`
    <${List} items=${data.items} onErased=${() => { list.reload(); onErased(); }} /><${More} list=${list} />`}<//>`;
}

export function Messages({ path, wanted, onErased }) {
  const [all, setAll] = useState(false);
  return wanted && !all
    ? html`<${Around} path=${path} wanted=${wanted} onErased=${onErased} onAll=${() => setAll(true)} />`
    : html`<${FromTheStart} path=${path} onErased=${onErased} />`;
}

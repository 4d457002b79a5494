// The messages of a conversation, from its beginning, or up to the one that was asked for.
import { cx, html, useEffect, useRef, useState } from "../../lib/dom.js";
import { get } from "../../lib/api.js";
import { count, plural } from "../../lib/format.js";
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

/** What a branch that was left holds, in runs, each beside what goes on. */
function runs(items) {
  const found = [];
  for (const it of items) {
    const last = found.at(-1);
    if (last && it.aside && last.aside) last.items.push(it);
    else found.push({ aside: it.aside, items: [it] });
  }
  return found;
}

function Left({ items, wanted, onErase }) {
  return html`<li><details class="left" open=${items.some((it) => it.id === wanted)}>
    <summary>${plural(items.length, "message")} of a branch that was left</summary>
    <ol class="messages">${items.map((it) => html`<${Message} key=${it.id} it=${it} wanted=${it.id === wanted} onErase=${onErase} />`)}</ol>
  </details></li>`;
}

/** What is left of a list, which stays where it was. */
const without = (id) => ({ items, ...rest }) => ({ ...rest, items: items.filter((each) => each.id !== id) });

function List({ items, wanted, onErased }) {
  const [erasing, setErasing] = useState(null);
  const place = useRef();
  const next = useRef(null);
  useEffect(() => {
    const all = place.current?.querySelectorAll("article");
    if (next.current !== null && all) all[Math.min(next.current, all.length - 1)].focus({ preventScroll: true });
    next.current = null;
  }, [items.length]);
  const erased = () => {
    next.current = items.indexOf(erasing);
    onErased(erasing.id);
  };
  if (items.length === 0) return html`<${Empty}>Nothing was said here.<//>`;
  return html`<ol class="messages" ref=${place}>${runs(items).map((run) => (run.aside
    ? html`<${Left} key=${run.items[0].id} items=${run.items} wanted=${wanted} onErase=${setErasing} />`
    : html`<${Message} key=${run.items[0].id} it=${run.items[0]} wanted=${run.items[0].id === wanted} onErase=${setErasing} />`))}</ol>
    ${erasing && html`<${Erase} path=${`/messages/${erasing.id}`} what="this message" onClose=${() => setErasing(null)} onErased=${erased} />`}`;
}

/** The message alone, if it is there at all: where it stands was not found. */
async function alone(wanted, signal) {
  try {
    return { items: [await get(`/messages/${encodeURIComponent(wanted)}`, {}, signal)], far: true };
  } catch (problem) {
    if (problem.status !== 404) throw problem;
    return { items: [], missing: true };
  }
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
  if (at < 0 && cursor) return alone(wanted, signal);
  if (at < 0) return { items: items.slice(0, PAGE), missing: true };
  const from = Math.max(0, at - PAGE);
  return { items: items.slice(from, at + PAGE), before: from };
}

function Around({ path, wanted, onErased, onAll }) {
  const loaded = useLoad((signal) => upTo(path, wanted, signal), [path, wanted]);
  if (loaded.problem && !loaded.data) return html`<${Notice} problem=${loaded.problem} onRetry=${loaded.reload} />`;
  if (!loaded.data) return html`<${Waiting} what="Looking for the message" />`;
  const { items, missing, far, before = 0 } = loaded.data;
  return html`${missing && html`<p class="notice" role="status">That message is not here any more.</p>`}
    ${far && html`<p class="notice" role="status">It stands behind the first ${count(MOST * FAR)} messages.</p>`}
    <p class="quiet">${before > 0 ? `${plural(before, "message")} before these. ` : ""}<button type="button" class="link" onClick=${onAll}>Read from the beginning</button></p>
    <${List} items=${items} wanted=${wanted} onErased=${(id) => { loaded.change(without(id)); onErased(); }} />`;
}

function FromTheStart({ path, onErased }) {
  const list = usePages(path, { limit: PAGE });
  return html`<${Loaded} of=${list}>${(data) => html`
    <${List} items=${data.items} onErased=${(id) => { list.change(without(id)); onErased(); }} /><${More} list=${list} />`}<//>`;
}

export function Messages({ path, wanted, onErased }) {
  const [all, setAll] = useState(false);
  return wanted && !all
    ? html`<${Around} path=${path} wanted=${wanted} onErased=${onErased} onAll=${() => setAll(true)} />`
    : html`<${FromTheStart} path=${path} onErased=${onErased} />`;
}

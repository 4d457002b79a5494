// From an item to what it was derived from: messages in their conversations, else a source.
import { html, useState } from "../lib/dom.js";
import { get } from "../lib/api.js";
import { beginning, count } from "../lib/format.js";
import { useLoad } from "../lib/load.js";
import { Link } from "../lib/router.js";
import { Loaded, Notice, Time } from "./basics.js";

const BEGINNING = 200;
const AT_ONCE = 10;
const GONE = 404;

function Message({ edge, conversation }) {
  const message = useLoad((signal) => get(`/messages/${edge.id}`, {}, signal), [edge.id]);
  const it = message.data;
  const inside = it?.conversation_id || conversation;
  if (message.problem?.status === GONE) return html`<span class="quiet">a message that is gone</span>`;
  if (message.problem && !it) return html`<${Notice} problem=${message.problem} onRetry=${message.reload} />`;
  if (!it) return html`<span class="quiet">…</span>`;
  const content = it.content || "";
  const text = beginning(edge.start == null ? content : [...content].slice(edge.start, edge.stop).join(""), BEGINNING);
  return html`<q>${text}</q> <span class="quiet">${it.name || it.role}, <${Time} at=${it.created_at} /></span>${" "}
    <${Link} to=${`/conversations/${inside}`} query=${{ message: it.id }}>Read it there<//>`;
}

const Edge = ({ edge, conversation }) => edge.kind === "message"
  ? html`<${Message} edge=${edge} conversation=${conversation} />`
  : html`${edge.kind} <code>${edge.external_id || edge.id}</code>`;

/** Some at once: each message is asked for by its id. */
export function Edges({ edges, conversation }) {
  const [shown, setShown] = useState(AT_ONCE);
  if (edges.length === 0) return html`<p class="quiet">Told by a caller: it comes from no message.</p>`;
  return html`<ul class="lineage">${edges.slice(0, shown).map((edge) => html`<li key=${`${edge.id}${edge.start}`}><${Edge} edge=${edge} conversation=${conversation} /></li>`)}</ul>
    ${edges.length > shown && html`<button type="button" class="link" onClick=${() => setShown(shown + 5 * AT_ONCE)}>Show more (${count(edges.length - shown)} left)</button>`}`;
}

function Asked({ path, conversation }) {
  const lineage = useLoad((signal) => get(path, { limit: 500 }, signal), [path]);
  return html`<${Loaded} of=${lineage}>${({ items }) => html`<${Edges} edges=${items} conversation=${conversation} />`}<//>`;
}

/** What is asked for once somebody wants to see it. */
function Unfolded({ summary, children }) {
  const [open, setOpen] = useState(false);
  return html`<details class="lineage-of" onToggle=${(event) => setOpen(event.currentTarget.open)}><summary>${summary}</summary>${open && children}</details>`;
}

export const SaidIn = ({ edges }) => html`<${Unfolded} summary="Said in"><${Edges} edges=${edges} /><//>`;

export const Lineage = (of) => html`<${Unfolded} summary="Where it comes from"><${Asked} ...${of} /><//>`;

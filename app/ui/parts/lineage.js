// From an item to what it was derived from: messages in their conversations, else a source.
import { html, useState } from "../lib/dom.js";
import { get } from "../lib/api.js";
import { useLoad } from "../lib/load.js";
import { Link } from "../lib/router.js";
import { Loaded, Time } from "./basics.js";

const BEGINNING = 200;

function Message({ edge, conversation }) {
  const message = useLoad((signal) => get(`/messages/${edge.id}`, {}, signal), [edge.id]);
  const it = message.data;
  const inside = it?.conversation_id || conversation;
  if (message.problem) return html`<span class="quiet">a message that is gone</span>`;
  if (!it) return html`<span class="quiet">…</span>`;
  const text = edge.start == null ? (it.content || "").slice(0, BEGINNING) : [...(it.content || "")].slice(edge.start, edge.stop).join("").slice(0, BEGINNING);
  return html`<q>${text}</q> <span class="quiet">${it.name || it.role}, <${Time} at=${it.created_at} /></span>${" "}
    <${Link} to=${`/conversations/${inside}`} query=${{ message: it.id }}>Read it there<//>`;
}

const Edge = ({ edge, conversation }) => edge.kind === "message"
  ? html`<${Message} edge=${edge} conversation=${conversation} />`
  : html`${edge.kind} <code>${edge.external_id || edge.id}</code>`;

export const Edges = ({ edges, conversation }) => edges.length === 0
  ? html`<p class="quiet">Told by a caller: it comes from no message.</p>`
  : html`<ul class="lineage">${edges.map((edge) => html`<li key=${`${edge.id}${edge.start}`}><${Edge} edge=${edge} conversation=${conversation} /></li>`)}</ul>`;

function Asked({ path, conversation }) {
  const lineage = useLoad((signal) => get(path, { limit: 500 }, signal), [path]);
  return html`<${Loaded} of=${lineage}>${({ items }) => html`<${Edges} edges=${items} conversation=${conversation} />`}<//>`;
}

export function Lineage({ path, conversation }) {
  const [open, setOpen] = useState(false);
  return html`<details class="lineage-of" onToggle=${(event) => setOpen(event.currentTarget.open)}><summary>Where it comes from</summary>
    ${open && html`<${Asked} path=${path} conversation=${conversation} />`}</details>`;
}

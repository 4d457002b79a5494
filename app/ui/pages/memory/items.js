// Memory items of one type: what holds, or all that ever did.
import { cx, html, useState } from "../../lib/dom.js";
import { moment, plural } from "../../lib/format.js";
import { get, part } from "../../lib/api.js";
import { useLoad, usePages } from "../../lib/load.js";
import { Link } from "../../lib/router.js";
import { Button, Chip, Empty, Loaded, More, Switch, Time } from "../../parts/basics.js";
import { Lineage } from "../../parts/lineage.js";
import { Said } from "../../parts/said.js";
import { Erase } from "../conversations/erase.js";

function Holds({ it }) {
  const until = it.valid_to && html`, until <${Time} at=${it.valid_to} />`;
  const gone = it.expires_at && html`, gone after <${Time} at=${it.expires_at} />`;
  return html`<span class="quiet">since <${Time} at=${it.valid_from} />${until}${gone}</span>`;
}

/** What an item took the place of, the newest first, as far as it is in the list. */
function before(it, items) {
  const found = items.filter((each) => each.superseded_by === it.id);
  return found.flatMap((each) => [each, ...before(each, items)]);
}

function Superseded({ old }) {
  if (old.length === 0) return null;
  return html`<details class="superseded"><summary>took the place of ${plural(old.length, "item")}</summary>
    <ol>${old.map((each) => html`<li key=${each.id}><s>${each.content}</s> <span class="quiet">${moment(each.valid_from)} – ${each.valid_to ? moment(each.valid_to) : ""}</span></li>`)}</ol></details>`;
}

function Facts({ metadata }) {
  const known = Object.entries(metadata).filter(([, value]) => typeof value !== "object");
  if (known.length === 0) return null;
  return html`<p class="meta">${known.slice(0, 8).map(([name, value]) => html`<${Chip} key=${name}>${name}: ${String(value).slice(0, 60)}<//>`)}</p>`;
}

const ended = (it) => it.superseded_by || (it.valid_to && new Date(it.valid_to) <= new Date());
const begun = (it) => new Date(it.valid_from) <= new Date();

function Item({ it, old, onErase }) {
  return html`<article class=${cx("card item", ended(it) && "ended")}>
    ${it.source && html`<h3>${it.source}</h3>`}
    <${Said} text=${it.content} />
    <${Superseded} old=${old} />
    <${Facts} metadata=${it.metadata} />
    <p class="meta">${it.superseded_by && html`<${Chip} tone="warn">superseded<//>`}
      ${it.importance === 10 && html`<${Chip} tone="good">pinned<//>`}
      <${Holds} it=${it} /><span class="quiet">${plural(it.tokens, "token")}${it.parts ? ` in ${plural(it.parts, "part")}` : ""} · shown ${plural(it.access_count, "time")}</span>
      <span class="meta-end"><${Lineage} path=${`/memories/${it.id}/lineage`} conversation=${it.conversation_id} />
      <${Button} kind="quiet" onClick=${() => onErase(it)}>Delete<//></span></p>
  </article>`;
}

/** Each under what took its place, if that is in the list; else by itself, if it holds or `ever` did. */
const shown = (items, ever) => items.filter((it) =>
  (ever || (begun(it) && !ended(it))) && !items.some((each) => each.id === it.superseded_by));

/** One item by itself, as what is derived from it links to it. */
export function OneItem({ id, kind, user }) {
  const [erasing, setErasing] = useState(false);
  const of = useLoad((signal) => get(`/memories/${part(id)}`, {}, signal), [id]);
  return html`<p><${Link} to=${`/memory/${kind}`} query=${{ user }}>All ${kind}<//></p>
    <${Loaded} of=${of}>${(it) => html`<${Item} it=${it} old=${[]} onErase=${() => setErasing(true)} />`}<//>
    ${erasing && html`<${Erase} path=${`/memories/${id}`} what="this item" onClose=${() => setErasing(false)} onErased=${of.reload} />`}`;
}

/** Facts are always read with those that they superseded. */
export function Items({ query, name, user }) {
  const [ever, setEver] = useState(false);
  const all = ever || query.type === "fact";
  const [erasing, setErasing] = useState(null);
  const list = usePages("/memories", { ...query, user_id: user, limit: 50, include_superseded: all || undefined });
  return html`<${Switch} id="ever" label="Also what does not hold any more" checked=${ever} onChange=${setEver} />
    <${Loaded} of=${list} optional>${({ items }) => html`${shown(items, ever).length === 0
      ? html`<${Empty}>No ${name}${user ? ` of ${user}` : " of no user"} yet.<//>`
      : html`<div class="items">${shown(items, ever).map((it) =>
          html`<${Item} key=${it.id} it=${it} old=${before(it, items)} onErase=${setErasing} />`)}</div>`}<${More} list=${list} />`}<//>
    ${erasing && html`<${Erase} path=${`/memories/${erasing.id}`} what="this item" onClose=${() => setErasing(null)} onErased=${list.reload} />`}`;
}

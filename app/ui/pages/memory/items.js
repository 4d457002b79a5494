// Memory items of one type: what holds, or all that ever did.
import { cx, html, useState } from "../../lib/dom.js";
import { get, part } from "../../lib/api.js";
import { begun, plural } from "../../lib/format.js";
import { useLoad, usePages } from "../../lib/load.js";
import { ofWhom, useOwner } from "../../lib/person.js";
import { go, Link } from "../../lib/router.js";
import { Button, Chip, Empty, Loaded, More, Switch, Time } from "../../parts/basics.js";
import { Lineage } from "../../parts/lineage.js";
import { Said } from "../../parts/said.js";
import { Users } from "../../parts/users.js";
import { Erase } from "../conversations/erase.js";
import { Details } from "./details.js";
import { After, Before } from "./succession.js";

function Holds({ it }) {
  const until = it.valid_to && html`, until <${Time} at=${it.valid_to} />`;
  const gone = it.expires_at && html`, gone after <${Time} at=${it.expires_at} />`;
  return html`<span class="quiet">since <${Time} at=${it.valid_from} />${until}${gone}</span>`;
}

const ended = (it) => it.superseded_by || (it.valid_to && new Date(it.valid_to) <= new Date());

const NAMED = 60;

/** An item by its first words, as it is told apart from others. */
const named = (it) => `“${begun(it.content, NAMED)}”`;

/** What is erased: a document is nobody's own. */
const erasedBy = (it) => (it.type === "document" ? `the document ${it.source || named(it)}, which all users of the tenant may read,` : named(it));

function Item({ it, onErase }) {
  return html`<article class=${cx("card item", ended(it) && "ended")} tabindex="-1">
    ${it.source && html`<h3>${it.source}</h3>`}
    <${Said} text=${it.content} />
    <${Before} it=${it} />
    <${Details} it=${it} />
    <${After} it=${it} />
    <p class="meta">${it.superseded_by && html`<${Chip} tone="warn">superseded<//>`}
      ${it.importance === 10 && html`<${Chip} tone="good">pinned<//>`}
      <${Holds} it=${it} /><span class="quiet">${plural(it.tokens, "token")}${it.parts ? ` in ${plural(it.parts, "part")}` : ""} · shown ${plural(it.access_count, "time")}</span>
      <span class="meta-end"><${Lineage} path=${`/memories/${it.id}/lineage`} conversation=${it.conversation_id} />
      <${Button} kind="quiet" onClick=${() => onErase(it)} aria-label=${`Delete ${it.source || named(it)}`}>Delete<//></span></p>
  </article>`;
}

/** One item by itself, as what is derived from it links to it. */
export function OneItem({ id, kind, user }) {
  const [erasing, setErasing] = useState(false);
  const of = useLoad((signal) => get(`/memories/${part(id)}`, {}, signal), [id]);
  useOwner(of.data?.type === "document" ? null : of.data);
  return html`<${Link} class="back always" to=${`/memory/${kind}`} query=${{ user }}>All ${kind}<//>
    <${Loaded} of=${of}>${(it) => html`<${Item} it=${it} onErase=${() => setErasing(true)} />`}<//>
    ${erasing && html`<${Erase} path=${`/memories/${id}`} what=${erasedBy(of.data)} onClose=${() => setErasing(false)} onErased=${() => go(`/memory/${kind}`, { user })} />`}`;
}

/** What holds, each with what it took the place of; or all that `ever` did, one by one. */
export function Items({ query, name, user }) {
  const [ever, setEver] = useState(false);
  const [erasing, setErasing] = useState(null);
  const list = usePages("/memories", { ...query, user_id: user, limit: 50, include_superseded: ever || undefined });
  return html`<${Switch} id="ever" label="Also what does not hold any more" checked=${ever} onChange=${setEver} />
    <${Loaded} of=${list} optional>${({ items }) => html`${items.length === 0
      ? html`<${Empty}>No ${name} yet ${ofWhom(user)}.<//><${Users} user=${user} />`
      : html`<div class="items">${items.map((it) => html`<${Item} key=${it.id} it=${it} onErase=${setErasing} />`)}</div>`}<${More} list=${list} />`}<//>
    ${erasing && html`<${Erase} path=${`/memories/${erasing.id}`} what=${erasedBy(erasing)} onClose=${() => setErasing(null)} onErased=${list.reload} />`}`;
}

// Conversations: found by their names and by what was said in them, and one to read.
import { cx, html, useState } from "../lib/dom.js";
import { date, plural, title, tookPlace } from "../lib/format.js";
import { usePages, useResting } from "../lib/load.js";
import { ofWhom, useUser } from "../lib/person.js";
import { Link, useLocation } from "../lib/router.js";
import { Chip, Empty, Field, Loaded, More, Title } from "../parts/basics.js";
import { Users } from "../parts/users.js";
import { Passages } from "./conversations/passages.js";
import { Reader } from "./conversations/reader.js";

function Entry({ it, chosen, user }) {
  return html`<li><${Link} to=${`/conversations/${it.id}`} query=${{ user }} class="entry" aria-current=${chosen ? "true" : undefined}>
    <span class="entry-title">${title(it)}</span>
    <span class="quiet">${date(tookPlace(it))} · ${plural(it.message_count, "message")}${it.folder && html` · <bdi>${it.folder}</bdi>`}</span>
    <span class="entry-marks">${it.importance === 10 && html`<${Chip} tone="good">pinned<//>`}${it.archived && html`<${Chip}>archived<//>`}
      ${it.tags.slice(0, 4).map((tag) => html`<${Chip} key=${tag}>${tag}<//>`)}</span><//></li>`;
}

function Nothing({ user, narrowed }) {
  if (narrowed) return html`<${Empty}>No conversation is called so.<//>`;
  return html`<${Empty}>No conversations ${ofWhom(user)}.<//><${Users} user=${user} />`;
}

function List({ list, chosen, user, narrowed }) {
  return html`<${Loaded} of=${list}>${(data) => data.items.length === 0
    ? html`<${Nothing} user=${user} narrowed=${narrowed} />`
    : html`<ul class="entries">${data.items.map((it) => html`<${Entry} key=${it.id} it=${it} chosen=${it.id === chosen} user=${user} />`)}</ul><${More} list=${list} />`}<//>`;
}

/** Up and down go through what was found, from where one types and back. */
function walk(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  const stops = [event.currentTarget.querySelector("#q"), ...event.currentTarget.querySelectorAll(".entry")];
  const next = stops[stops.indexOf(event.target) + step];
  if (!stops.includes(event.target) || !next) return;
  event.preventDefault();
  next.focus();
}

export default function Conversations({ id }) {
  const [user] = useUser();
  const { query } = useLocation();
  const [text, setText] = useState("");
  const [tag, setTag] = useState("");
  const [asked, tagged] = [useResting(text), useResting(tag)];
  const list = usePages("/conversations", { user_id: user, q: asked, tag: tagged, limit: 50 });
  return html`<div class=${cx("split", id && "split-open")}>
    <section class="split-list" aria-label="Conversations" onKeyDown=${walk}>
      ${id ? html`<h2 class="list-title">Conversations</h2>` : html`<${Title}>Conversations<//>`}
      <form role="search" aria-label="Conversations" onSubmit=${(event) => event.preventDefault()} class="finding">
        <${Field} label="Name, folder or words said" id="q"><input id="q" type="search" data-find value=${text} onInput=${(e) => setText(e.currentTarget.value)} /><//>
        <${Field} label="Tag" id="tag"><input id="tag" type="search" value=${tag} onInput=${(e) => setTag(e.currentTarget.value)} /><//>
      </form>
      <${List} list=${list} chosen=${id} user=${user} narrowed=${Boolean(asked || tagged)} />
      <${Passages} question=${asked} user=${user} tag=${tagged} />
    </section>
    <section class="split-main" aria-label="Conversation">
      ${id ? html`<${Reader} key=${id} id=${id} wanted=${query.message} user=${user} onChange=${list.reload} />`
        : list.data?.items.length > 0 && html`<${Empty}>Choose a conversation to read it.<//>`}
    </section>
  </div>`;
}

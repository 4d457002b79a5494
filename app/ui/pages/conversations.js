// Conversations: the list, and one to read.
import { cx, html, useState } from "../lib/dom.js";
import { date, plural, title } from "../lib/format.js";
import { usePages, useResting } from "../lib/load.js";
import { useUser } from "../lib/person.js";
import { Link, useLocation } from "../lib/router.js";
import { Chip, Empty, Field, Loaded, More, Title } from "../parts/basics.js";
import { Reader } from "./conversations/reader.js";

function Entry({ it, chosen, user }) {
  return html`<li><${Link} to=${`/conversations/${it.id}`} query=${{ user }} class="entry" aria-current=${chosen ? "true" : undefined}>
    <span class="entry-title">${title(it)}</span>
    <span class="quiet">${date(it.updated_at)} · ${plural(it.message_count, "message")}${it.folder ? ` · ${it.folder}` : ""}</span>
    <span class="entry-marks">${it.importance === 10 && html`<${Chip} tone="good">pinned<//>`}${it.archived && html`<${Chip}>archived<//>`}
      ${it.tags.slice(0, 4).map((tag) => html`<${Chip} key=${tag}>${tag}<//>`)}</span><//></li>`;
}

function List({ list, chosen, user }) {
  return html`<${Loaded} of=${list}>${(data) => data.items.length === 0
    ? html`<${Empty}>No conversations${user ? ` of ${user}` : " of no user: whose memory is to be looked at is set at the top"}.<//>`
    : html`<ul class="entries">${data.items.map((it) => html`<${Entry} key=${it.id} it=${it} chosen=${it.id === chosen} user=${user} />`)}</ul><${More} list=${list} />`}<//>`;
}

export default function Conversations({ id }) {
  const [user] = useUser();
  const { query } = useLocation();
  const [text, setText] = useState("");
  const [tag, setTag] = useState("");
  const wanted = { user_id: user, q: useResting(text), tag: useResting(tag), limit: 50 };
  const list = usePages("/conversations", wanted);
  return html`<div class=${cx("split", id && "split-open")}>
    <section class="split-list" aria-label="Conversations">
      ${id ? html`<h2 class="list-title">Conversations</h2>` : html`<${Title}>Conversations<//>`}
      <form role="search" aria-label="Conversations" onSubmit=${(event) => event.preventDefault()} class="finding">
        <${Field} label="Label, folder or external id" id="q"><input id="q" type="search" data-find value=${text} onInput=${(e) => setText(e.currentTarget.value)} /><//>
        <${Field} label="Tag" id="tag"><input id="tag" type="search" value=${tag} onInput=${(e) => setTag(e.currentTarget.value)} /><//>
      </form>
      <${List} list=${list} chosen=${id} user=${user} />
    </section>
    <section class="split-main" aria-label="Conversation">
      ${id ? html`<${Reader} key=${id} id=${id} wanted=${query.message} user=${user} onChange=${list.reload} />`
        : html`<${Empty}>Choose a conversation to read it.<//>`}
    </section>
  </div>`;
}

// Who and what is spoken of.
import { html, useState } from "../../lib/dom.js";
import { date, plural, UNTOLD } from "../../lib/format.js";
import { usePages, useResting } from "../../lib/load.js";
import { ofWhom } from "../../lib/person.js";
import { Link } from "../../lib/router.js";
import { Chip, Empty, Field, Loaded, More } from "../../parts/basics.js";
import { Users } from "../../parts/users.js";

export function Entities({ user }) {
  const [text, setText] = useState("");
  const asked = useResting(text);
  const list = usePages("/entities", { user_id: user, q: asked, limit: 50 });
  return html`<form role="search" aria-label="Entities" class="finding" onSubmit=${(event) => event.preventDefault()}>
      <${Field} label="Name" id="entity-name"><input id="entity-name" type="search" data-find value=${text} onInput=${(e) => setText(e.currentTarget.value)} /><//></form>
    <${Loaded} of=${list} optional>${({ items }) => items.length === 0
      ? asked ? html`<${Empty}>No entity is called so.<//>` : html`<${Empty}>No entities yet ${ofWhom(user)}.<//><${Users} user=${user} />`
      : html`<ul class="entries entities">${items.map((it) => html`<li key=${it.id}><${Link} class="entry" to=${`/memory/entities/${it.id}`} query=${{ user }}>
          <span class="entry-title">${it.name}</span> ${it.type !== UNTOLD && html`<${Chip}>${it.type}<//>`}
          <span class="quiet">${plural(it.mentions, "mention")} · last ${date(it.last_seen_at)}</span><//></li>`)}</ul><${More} list=${list} />`}<//>`;
}

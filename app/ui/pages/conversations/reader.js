// One conversation: its words, and what can be done with it.
import { html, useEffect, useState } from "../../lib/dom.js";
import { get, patch } from "../../lib/api.js";
import { date, plural, title, tookPlace } from "../../lib/format.js";
import { useAct, useLoad } from "../../lib/load.js";
import { useOwner } from "../../lib/person.js";
import { go, Link } from "../../lib/router.js";
import { Button, Chip, Empty, Loaded, Notice, Title } from "../../parts/basics.js";
import { Edit } from "./edit.js";
import { Erase } from "./erase.js";
import { Messages } from "./messages.js";

const PINNED = 10;
const USUAL = 5;

/** What is in force is shown so; its button says what it would do. */
const marked = (holds) => (holds ? "button button-plain button-marked" : "button button-plain");

function Actions({ it, act, onErase }) {
  const set = (changes) => () => act.run(changes);
  const pinned = it.importance === PINNED;
  return html`<div class="buttons">
    <${Button} class=${marked(pinned)} busy=${act.busy} onClick=${set({ importance: pinned ? USUAL : PINNED })}>${pinned ? "Unpin" : "Pin"}<//>
    <${Button} class=${marked(it.archived)} busy=${act.busy} onClick=${set({ archived: !it.archived })}>${it.archived ? "Bring back" : "Archive"}<//>
    <${Button} kind="danger-quiet" onClick=${onErase}>Delete<//>
  </div>`;
}

function Head({ it, change, onErase }) {
  return html`<header class="conversation-head">
    <${Title}>${title(it)}<//>
    <p class="meta"><span>${date(tookPlace(it))}</span><span>${plural(it.message_count, "message")}</span><span>${plural(it.token_count, "token")}</span>
      ${it.external_id && html`<code>${it.external_id}</code>`}
      ${it.importance === PINNED && html`<${Chip} tone="good">pinned<//>`}
      ${it.archived && html`<${Chip} tone="warn">archived: in no context<//>`}</p>
    <div class="conversation-tools"><${Actions} it=${it} act=${change} onErase=${onErase} /><${Edit} it=${it} onSave=${change.run} busy=${change.busy} /></div>
    <${Notice} problem=${change.problem} />
  </header>`;
}

export function Reader({ id, wanted, user, onChange }) {
  const path = `/conversations/${encodeURIComponent(id)}`;
  const loaded = useLoad((signal) => get(path, {}, signal), [path]);
  useOwner(loaded.data);
  const [erasing, setErasing] = useState(false);
  const change = useAct(async (changes) => {
    const changed = await patch(path, changes);
    loaded.change(() => changed);
    onChange();
    return changed;
  });
  useEffect(() => setErasing(false), [id]);
  const gone = () => {
    onChange();
    go("/conversations", { user });
  };
  const back = html`<${Link} to="/conversations" query=${{ user }} class="back">All conversations<//>`;
  if (loaded.problem?.status === 422) return html`${back}<${Title}>Conversation<//><${Empty}>There is no conversation under this address.<//>`;
  return html`${back}${!loaded.data && html`<${Title}>Conversation<//>`}
    <${Loaded} of=${loaded}>${(it) => html`
      <${Head} it=${it} change=${change} onErase=${() => setErasing(true)} />
      ${it.system_prompt && html`<details class="card"><summary>System prompt</summary><pre class="plain">${it.system_prompt}</pre></details>`}
      <${Messages} key=${wanted} path=${`${path}/messages`} wanted=${wanted} onErased=${() => { loaded.reload(); onChange(); }} />
      ${erasing && html`<${Erase} path=${path} what=${`“${title(it)}” with ${plural(it.message_count, "message")}`} onClose=${() => setErasing(false)} onErased=${gone} />`}`}<//>`;
}

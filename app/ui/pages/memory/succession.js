// What an item took the place of, and what took its place: each is asked for by its id.
import { html, useState } from "../../lib/dom.js";
import { get, part } from "../../lib/api.js";
import { moment } from "../../lib/format.js";
import { useAct, useLoad } from "../../lib/load.js";
import { Button, Clipped, Loaded, Notice } from "../../parts/basics.js";

const AT_ONCE = 20;
const GONE = 404;

/** None of what expired or was erased meanwhile. */
async function read(id, signal) {
  try {
    return await get(`/memories/${part(id)}`, {}, signal);
  } catch (problem) {
    if (problem.status === GONE) return null;
    throw problem;
  }
}

/** The items of these ids, and what those took the place of in their turn; `left` is still to be asked for. */
async function followed(ids, signal) {
  const [items, left] = [[], [...ids]];
  while (left.length > 0 && items.length < AT_ONCE) {
    const it = await read(left.shift(), signal);
    items.push(...(it ? [it] : []));
    left.push(...(it ? it.superseded : []));
  }
  return { items, left };
}

const Old = ({ it }) => html`<li><div class="was"><${Clipped} text=${it.content} /></div>
  <span class="quiet">${moment(it.valid_from)} – ${it.valid_to ? moment(it.valid_to) : ""}</span></li>`;

function Chain({ ids }) {
  const chain = useLoad((signal) => followed(ids, signal), [ids.join()]);
  const more = useAct(async (left) => {
    const next = await followed(left);
    chain.change((had) => ({ items: [...had.items, ...next.items], left: next.left }));
  });
  return html`<${Loaded} of=${chain}>${({ items, left }) => html`<ol>${items.map((it) => html`<${Old} key=${it.id} it=${it} />`)}</ol>
    <${Notice} problem=${more.problem} />
    ${left.length > 0 && html`<${Button} kind="quiet" busy=${more.busy} onClick=${() => more.run(left)}>Show earlier<//>`}`}<//>`;
}

function Heir({ id }) {
  const heir = useLoad(async (signal) => ({ it: await read(id, signal) }), [id]);
  return html`<${Loaded} of=${heir}>${({ it }) => it
    ? html`<${Clipped} text=${it.content} /><span class="quiet">since ${moment(it.valid_from)}</span>`
    : html`<p class="quiet">An item that is gone.</p>`}<//>`;
}

function Told({ summary, children }) {
  const [open, setOpen] = useState(false);
  return html`<details class="superseded" onToggle=${(event) => setOpen(event.currentTarget.open)}><summary>${summary}</summary>${open && children}</details>`;
}

export const Before = ({ it }) => it.superseded.length > 0 && html`<${Told} summary="What it took the place of">
  <${Chain} ids=${it.superseded} /><//>`;

export const After = ({ it }) => it.superseded_by && html`<${Told} summary="What took its place"><${Heir} id=${it.superseded_by} /><//>`;

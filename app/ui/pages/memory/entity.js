// One entity: a picture of what it is joined with, the same in words, and where it is mentioned.
import { html } from "../../lib/dom.js";
import { get, part } from "../../lib/api.js";
import { plural, relationName, UNTOLD } from "../../lib/format.js";
import { useLoad } from "../../lib/load.js";
import { go, Link } from "../../lib/router.js";
import { Chip, Empty, Loaded, Time } from "../../parts/basics.js";
import { Graph } from "../../parts/graph.js";
import { Edges, SaidIn } from "../../parts/lineage.js";

function Relations({ nodes, edges, user }) {
  const names = new Map(nodes.map((each) => [each.id, each.name]));
  const name = (id) => html`<${Link} to=${`/memory/entities/${id}`} query=${{ user }}>${names.get(id) || "?"}<//>`;
  return html`<ul class="relations">${edges.map((edge) => html`<li key=${edge.source + edge.relation + edge.target}>
    ${name(edge.source)} <em>${relationName(edge.relation)}</em> ${name(edge.target)}
    ${edge.lineage?.length > 0 && html`<${SaidIn} edges=${edge.lineage} />`}</li>`)}</ul>`;
}

function Shown({ entity, user }) {
  const { edges, lineage } = entity;
  const nodes = [entity, ...entity.nodes.filter((each) => each.id !== entity.id)];
  const others = entity.names.filter((each) => each !== entity.name);
  return html`<h2>${entity.name} ${entity.type !== UNTOLD && html`<${Chip}>${entity.type}<//>`}</h2>
    <p class="meta quiet"><span>${plural(entity.mentions, "mention")}</span><span>from <${Time} at=${entity.first_seen_at} /> to <${Time} at=${entity.last_seen_at} /></span>
      ${others.length > 0 && html`<span>also ${others.join(", ")}</span>`}</p>
    ${edges.length === 0 ? html`<${Empty}>Nothing that was said joins it with anything.<//>` : html`<div class="entity">
      <section class="card" aria-label="Graph"><${Graph} nodes=${nodes} edges=${edges} centre=${entity.id} onChoose=${(id) => go(`/memory/entities/${id}`, { user })} /></section>
      <section class="card"><h3>Relations</h3><${Relations} nodes=${nodes} edges=${edges} user=${user} /></section></div>`}
    <section class="card"><h3>Mentioned in${entity.mentions > lineage.length && html` <span class="quiet">the latest ${plural(lineage.length, "message")}</span>`}</h3><${Edges} edges=${lineage} /></section>`;
}

export function EntityView({ id, user }) {
  const entity = useLoad((signal) => get(`/entities/${part(id)}`, {}, signal), [id]);
  return html`<${Link} class="back always" to="/memory/entities" query=${{ user }}>All entities<//>
    <${Loaded} of=${entity} optional>${(told) => html`<${Shown} entity=${told} user=${user} />`}<//>`;
}

// A graph as a picture. What it shows is told beside it in words as well.
import { html, useMemo } from "../lib/dom.js";
import { beginning, UNTOLD } from "../lib/format.js";
import { layOut } from "./layout.js";

const MOST = 60;
const TOGETHER = "named together";
const short = (name) => (name.length > 22 ? `${beginning(name, 21)}…` : name);
const spelled = (relation) => relation.replaceAll("_", " ");

/** One line for two entities, whatever joins them: by what is stated of them, else by that they are named together. */
function joined(edges) {
  const pairs = new Map();
  for (const { source, target, relation, weight } of edges) {
    const key = [source, target].sort().join();
    const pair = pairs.get(key) || { key, source, target, weight: 0, relations: new Set() };
    pair.weight += weight || 1;
    pair.relations.add(spelled(relation));
    pairs.set(key, pair);
  }
  for (const { relations } of pairs.values()) if (relations.size > 1) relations.delete(TOGETHER);
  return [...pairs.values()];
}

function drawn(nodes, edges) {
  const some = nodes.slice(0, MOST);
  const at = new Map(some.map((each, index) => [each.id, index]));
  const lines = joined(edges.filter((each) => at.has(each.source) && at.has(each.target) && each.source !== each.target));
  const places = layOut(some.length, lines.map((each) => [at.get(each.source), at.get(each.target)]));
  const [xs, ys] = [places.map((p) => p.x), places.map((p) => p.y)];
  const box = { x: Math.min(...xs) - 90, y: Math.min(...ys) - 40 };
  const size = { w: Math.max(...xs) + 90 - box.x, h: Math.max(...ys) + 50 - box.y };
  return { some, at, lines, places, box, size };
}

function Node({ node, place, isCentre, onChoose }) {
  const radius = 7 + Math.min(9, Math.sqrt(node.mentions || 1) * 1.6);
  const choose = (event) => {
    if (event.type === "keydown" && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    onChoose(node.id);
  };
  return html`<g class=${`node node-${node.type}${isCentre ? " centre" : ""}`} transform=${`translate(${place.x} ${place.y})`}
    tabindex="0" role="link" aria-label=${node.type === UNTOLD ? node.name : `${node.name}, ${node.type}`} onClick=${choose} onKeyDown=${choose}>
    <circle r=${isCentre ? radius + 3 : radius} /><text y=${radius + 16} text-anchor="middle">${short(node.name)}</text>
    <title>${node.name}</title></g>`;
}

export function Graph({ nodes, edges, centre, onChoose }) {
  const { some, at, lines, places, box, size } = useMemo(() => drawn(nodes, edges), [nodes, edges]);
  const place = (id) => places[at.get(id)];
  const types = [...new Set(some.map((each) => each.type))].filter((type) => type !== UNTOLD);
  return html`<svg class="graph" viewBox=${`${box.x} ${box.y} ${size.w} ${size.h}`} role="group" aria-label="Graph of entities">
    ${lines.map((pair) => {
      const [from, to] = [place(pair.source), place(pair.target)];
      return html`<g class="edge" key=${pair.key} aria-hidden="true">
        <line x1=${from.x} y1=${from.y} x2=${to.x} y2=${to.y} stroke-width=${1 + Math.min(3, pair.weight)} />
        ${!pair.relations.has(TOGETHER) && html`<text x=${(from.x + to.x) / 2} y=${(from.y + to.y) / 2 - 4} text-anchor="middle">${[...pair.relations].join(", ")}</text>`}</g>`;
    })}
    ${some.map((node, index) => html`<${Node} key=${node.id} node=${node} place=${places[index]} isCentre=${node.id === centre} onChoose=${onChoose} />`)}
  </svg>
  <ul class="legend">${types.map((type) => html`<li key=${type}><span class=${`dot node-${type}`} aria-hidden="true"></span>${type}</li>`)}
    ${nodes.length > MOST && html`<li class="quiet">${MOST} of ${nodes.length} are drawn</li>`}</ul>`;
}

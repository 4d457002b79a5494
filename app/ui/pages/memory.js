// What memory made of what was said: facts, summaries, tools, documents, entities.
import { html } from "../lib/dom.js";
import { useUser } from "../lib/person.js";
import { Link } from "../lib/router.js";
import { Title } from "../parts/basics.js";
import { useInSight } from "../parts/in-sight.js";
import { Items, OneItem } from "./memory/items.js";
import { Entities } from "./memory/entities.js";
import { EntityView } from "./memory/entity.js";

const KINDS = [
  ["facts", "Facts", { type: "fact" }],
  ["summaries", "Summaries", { type: "summary" }],
  ["tools", "Tools", { type: "tool" }],
  ["procedures", "Procedures", { type: "procedure" }],
  ["documents", "Documents", { type: "document" }],
  ["entities", "Entities"],
];

export default function Memory({ kind = "facts", id }) {
  const [user] = useUser();
  const chosen = KINDS.find(([name]) => name === kind) || KINDS[0];
  const [name, text, query] = chosen;
  return html`<${Title}>Memory<//>
    <nav class="subnav" aria-label="Kinds of memory" ref=${useInSight(name)}><ul>${KINDS.map(([to, label]) => html`<li key=${to}>
      <${Link} to=${`/memory/${to}`} query=${{ user }} data-name=${label} aria-current=${to === name ? "page" : undefined}>${label}<//></li>`)}</ul></nav>
    ${query && id ? html`<${OneItem} key=${id} id=${id} kind=${name} user=${user} />`
      : query ? html`<${Items} key=${name} query=${query} name=${text.toLowerCase()} user=${user} />`
      : id ? html`<${EntityView} key=${id} id=${id} user=${user} />` : html`<${Entities} user=${user} />`}`;
}

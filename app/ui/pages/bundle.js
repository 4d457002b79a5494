// A bundle as it was answered, by its permalink.
import { html } from "../lib/dom.js";
import { get } from "../lib/api.js";
import { bornAt, plural } from "../lib/format.js";
import { useLoad } from "../lib/load.js";
import { useLocation } from "../lib/router.js";
import { Copy, Empty, Loaded, Time, Title } from "../parts/basics.js";
import { Costs, Related, Summary } from "./inspector/answer.js";
import { Candidate } from "./inspector/candidates.js";
import { LeftOut } from "./inspector/left-out.js";

function History({ messages }) {
  if (messages.length === 0) return null;
  return html`<section><h2>Recent history</h2><ol class="candidates">
    ${messages.map((each) => html`<li key=${each.id} class="card"><p class="meta"><strong>${each.name || each.role}</strong> <${Time} at=${each.created_at} /></p><p class="said">${each.content}</p></li>`)}
  </ol></section>`;
}

/** A query is empty once anything of its user was erased: it could repeat that. */
const Question = ({ query }) => query
  ? html`<p class="question">“${query}”</p>`
  : html`<p class="question quiet">What was asked is gone, with what was erased since.</p>`;

function Replay({ bundle, user }) {
  const items = bundle.retrieved_memories;
  const left = bundle.metadata.dropped;
  return html`<${Question} query=${bundle.query} />
    <p class="quiet asked">Asked <${Time} at=${bornAt(bundle.bundle_id)} /></p>
    <${Summary} bundle=${bundle}><${Copy} text=${location.href} label="Copy the address" /><//>
    <${Costs} bundle=${bundle} /><${Related} bundle=${bundle} user=${user} />
    <${History} messages=${bundle.recent_history} />
    <section><h2>Retrieved</h2>
      ${items.length === 0 && html`<${Empty}>Nothing was retrieved.<//>`}
      <ol class="candidates">${items.map((each, at) => html`<li key=${each.id}><${Candidate} item=${each} rank=${at + 1} user=${user} /></li>`)}</ol></section>
    ${left.length > 0 && html`<section><h2>Left out <span class="quiet">${plural(left.length, "item")}</span></h2><${LeftOut} left=${left} /></section>`}`;
}

export default function Bundle({ id }) {
  const { query } = useLocation();
  const bundle = useLoad((signal) => get(`/bundles/${encodeURIComponent(id)}`, { explain: true }, signal), [id]);
  const gone = [404, 422].includes(bundle.problem?.status);
  return html`<${Title}>Bundle<//>
    ${gone ? html`<${Empty}>There is no bundle under this address. Bundles are kept for 7 days, unless their user is erased, or their profile is.<//>` : html`<${Loaded} of=${bundle} what="Looking it up">${(data) => html`<${Replay} bundle=${data} user=${query.user} />`}<//>`}`;
}

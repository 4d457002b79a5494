// What was said that fits a question, by conversation, with its words marked.
import { html, useState } from "../../lib/dom.js";
import { post } from "../../lib/api.js";
import { date, plural } from "../../lib/format.js";
import { useLoad } from "../../lib/load.js";
import { Link } from "../../lib/router.js";
import { around, placesOf } from "../../lib/words.js";
import { Chip, Empty, Loaded } from "../../parts/basics.js";
import { messageOf } from "../../parts/source.js";

const MOST = 60;
const LEAST = 2;
const LENGTH = 150;
const OF_EACH = 3;
const BY_RELEVANCE = { relevance: 1, recency: 0, importance: 0 };

const isOfWords = (it) => it.sources.includes("lexical");

/** Best first; behind them what has the words, though nothing else spoke for it. */
async function asked(question, user, tag, signal) {
  const wanted = { query: question, user_id: user || null, max_items: MOST, explain: true, weights: BY_RELEVANCE,
    filters: { types: ["message", "chunk"], tags: tag ? [tag] : [] } };
  const { results, left_out: leftOut, degraded } = await post("/search", wanted, { signal });
  const also = leftOut.filter((it) => it.reason === "below the floor" && isOfWords(it));
  const groups = new Map();
  for (const it of [...results, ...also]) groups.set(it.conversation_id, [...(groups.get(it.conversation_id) || []), it]);
  return { groups: [...groups.values()], found: results.length + also.length, degraded };
}

/** A piece of what was said, around the first of the words that were asked for. */
function Piece({ text, question }) {
  const places = placesOf(question, text);
  const [from, to] = around(text, places, LENGTH);
  const shown = places.filter(([start, stop]) => start >= from && stop <= to);
  const edges = [from, ...shown.flat(), to];
  return html`${from > 0 && "… "}${edges.slice(1).map((stop, at) => {
    const part = text.slice(edges[at], stop);
    return at % 2 ? html`<mark key=${at}>${part}</mark>` : part;
  })}${to < text.length && " …"}`;
}

function Passage({ it, question, user }) {
  return html`<li><${Link} to=${`/conversations/${it.conversation_id}`} query=${{ user, message: messageOf(it) }} class="entry passage">
    <span class="said"><${Piece} text=${it.content} question=${question} /></span>
    <span class="quiet">${it.name || it.role}, ${date(it.created_at)}${" "}${!isOfWords(it) && html`<${Chip} title="It has none of the words, but means much the same">by meaning<//>`}</span><//></li>`;
}

function Group({ items, question, user }) {
  const [all, setAll] = useState(false);
  const [first] = items;
  const name = first.label || first.conversation_external_id || `Conversation of ${date(first.created_at)}`;
  const shown = all ? items : items.slice(0, OF_EACH);
  return html`<section class="passages" aria-label=${name}><h3>${name}</h3>
    <ul>${shown.map((it) => html`<${Passage} key=${it.id} it=${it} question=${question} user=${user} />`)}</ul>
    ${shown.length < items.length && html`<button type="button" class="link" onClick=${() => setAll(true)}>Show ${plural(items.length - shown.length, "more passage")}</button>`}</section>`;
}

function Found({ question, user, tag }) {
  const answer = useLoad((signal) => asked(question, user, tag, signal), [question, user, tag]);
  return html`<${Loaded} of=${answer} what="Searching what was said">${({ groups, found, degraded }) => html`
    <p class="quiet" role="status">${plural(found, "passage")} in ${plural(groups.length, "conversation")}${degraded.map((each) => ` · without ${each.source}: ${each.reason}`).join("")}</p>
    ${groups.length === 0 ? html`<${Empty}>Nothing that was said fits.<//>`
      : groups.map((items) => html`<${Group} key=${`${items[0].conversation_id} ${question}`} items=${items} question=${question} user=${user} />`)}`}<//>`;
}

/** Nothing of a question that is too short to be one. */
export const Passages = ({ question, ...rest }) => question.trim().length >= LEAST && html`<section class="in-words" aria-label="What was said">
  <h2>What was said</h2><${Found} question=${question.trim()} ...${rest} /></section>`;

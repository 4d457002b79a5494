// What is known of an item beside its words.
import { html } from "../../lib/dom.js";
import { beginning, periodOf, share } from "../../lib/format.js";
import { Chip } from "../../parts/basics.js";

const MOST = 8;
const LENGTH = 60;

/** By these the service files a fact: its sentence says the same, to people. */
const FILED_BY = new Set(["subject", "attribute", "value", "tense", "positive", "single", "against", "said_at"]);

function spelled([name, value], filed) {
  if (filed && name === "confidence" && typeof value === "number") return `confidence ${share(value)}`;
  return `${name}: ${beginning(String(value), LENGTH)}`;
}

function known({ type, metadata }) {
  if (type === "summary") return metadata.period ? [periodOf(metadata)] : [];
  const filed = type === "fact" && "attribute" in metadata;
  return Object.entries(metadata)
    .filter(([name, value]) => typeof value !== "object" && !(filed && FILED_BY.has(name)))
    .map((each) => spelled(each, filed));
}

export function Details({ it }) {
  const told = known(it).slice(0, MOST);
  return told.length > 0 && html`<p class="meta">${told.map((each) => html`<${Chip} key=${each}>${each}<//>`)}</p>`;
}

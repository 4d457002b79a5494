// The settings of the inspector, and the requests that they mean.
import { moment as spoken, plural } from "../../lib/format.js";

export const BEGIN = {
  query: "", conversation: "", inside: [], outside: [], titles: {}, budget: "", items: 20, history: 10, asOf: "", minScore: "",
  weights: { relevance: 0.5, recency: 0.3, importance: 0.2 },
  labels: "", preferred: "", tags: "", folder: "", without: "", types: [], roles: [], after: "", before: "",
};
export const TYPES = "message chunk summary fact tool procedure document profile".split(" ");
export const ROLES = ["user", "assistant", "tool"];

const words = (text) => text.split(",").map((each) => each.trim()).filter(Boolean);
const moment = (text) => (text ? new Date(text).toISOString() : null);

export function scaled(weights) {
  const sum = Object.values(weights).reduce((total, each) => total + each, 0);
  return Object.fromEntries(Object.entries(weights).map(([name, each]) => [name, sum ? each / sum : 0]));
}

/** What a search and a context have in common: all that decides the scores, and so how many items. */
export function searchOf(settings, user) {
  return {
    query: settings.query, user_id: user || null, conversation_id: settings.conversation || null,
    max_items: Number(settings.items) || 20, explain: true, weights: settings.weights,
    min_score: settings.minScore === "" ? null : Number(settings.minScore),
    as_of: moment(settings.asOf), preferred_labels: words(settings.preferred),
    filters: {
      folder: settings.folder || null, labels: words(settings.labels), tags: words(settings.tags),
      roles: settings.roles, types: settings.types, exclude_terms: words(settings.without),
      after: moment(settings.after), before: moment(settings.before),
      conversation_ids: settings.inside, exclude_conversation_ids: settings.outside,
    },
  };
}

export function wireOf(settings, user) {
  return {
    ...searchOf(settings, user),
    budget_tokens: settings.budget === "" ? null : Number(settings.budget),
    format: "markdown",
    history: { max_messages: Number(settings.history) || 0 },
  };
}

const titled = (ids, { titles }) => ids.map((id) => `“${titles[id]}”`).join(" or ");
const TOLD = [
  ["budget", (x) => plural(Number(x), "token")], ["items", (x) => `${plural(Number(x), "item")} at most`], ["history", (x) => `${plural(Number(x), "message")} of history`],
  ["minScore", (x) => `score from ${x}`], ["conversation", (x, all) => `running ${titled([x], all)}`],
  ...["labels", "preferred", "tags", "folder", "without"].map((name) => [name, (x) => `${name} ${x}`]),
  ...["types", "roles"].map((name) => [name, (x) => x.join(" or ")]),
  ["inside", (x, all) => `in ${titled(x, all)}`], ["outside", (x, all) => `not in ${titled(x, all)}`],
  ["after", (x) => `said from ${spoken(x)}`], ["before", (x) => `said before ${spoken(x)}`], ["asOf", (x) => `as of ${spoken(x)}`],
];

/** In one line, what differs from where one begins. */
export function told(settings) {
  const { relevance, recency, importance } = scaled(settings.weights);
  const percent = (x) => Math.round(x * 100);
  const others = TOLD.filter(([name]) => String(settings[name]) !== String(BEGIN[name]));
  return [
    `relevance ${percent(relevance)}, recency ${percent(recency)}, importance ${percent(importance)}`,
    ...others.map(([name, say]) => say(settings[name], settings)),
  ].join(" · ");
}

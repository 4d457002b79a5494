// Numbers and times, as people read them.
const number = new Intl.NumberFormat("en");
const day = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", year: "numeric" });
const clock = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", hour12: false });
const names = { chunk: "part of a message", tool: "tool result" };

/** The first `most` characters: an emoji is one, though a string counts it as two. */
export const beginning = (text, most) => [...text.slice(0, 2 * most)].slice(0, most).join("");

/** The same, and what tells that more follows, if it does. */
export function begun(text, most) {
  const begins = beginning(text, most);
  return begins === text ? text : `${begins.trimEnd()} …`;
}
export const count = (n) => number.format(n);
export const share = (x, digits = 0) => (x == null ? "–" : `${(x * 100).toFixed(digits)} %`);
export const score = (x) => (x == null ? "–" : x.toFixed(3));
export const plural = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;
export const date = (text) => day.format(new Date(text));
export const time = (text) => clock.format(new Date(text));
export const moment = (text) => `${date(text)}, ${time(text)}`;
const BORN = 12;
/** When something was given its id: the first 48 bits of a UUIDv7 are milliseconds. */
export const bornAt = (id) => new Date(parseInt(id.replaceAll("-", "").slice(0, BORN), 16)).toISOString();
/** The type of an entity of which nothing tells what it is. */
export const UNTOLD = "unknown";
export const typeName = (type) => names[type] || type;
/** A relation between two, as it stands between their names. */
export const relationName = (relation) => (relation === "named together" ? "named together with" : relation.replaceAll("_", " "));
/** When a conversation took place: it may have been stored, or named, much later. */
export const tookPlace = (it) => it.last_message_at || it.created_at;
export const title = (it) => it.label || it.external_id || `Conversation of ${date(tookPlace(it))}`;

const utc = (options) => new Intl.DateTimeFormat("en", { timeZone: "UTC", ...options });
const dayOf = utc({ day: "numeric", month: "short", year: "numeric" });
const periods = {
  year: utc({ year: "numeric" }), month: utc({ month: "long", year: "numeric" }),
  week: { format: (at) => `week of ${dayOf.format(at)}` }, day: dayOf,
};
/** A period as its summary names it, by its kind and its beginning, which is midnight in UTC. */
export const periodOf = ({ period, from }) => (periods[period] || dayOf).format(new Date(from));

export function ms(x) {
  if (x == null) return "–";
  if (x >= 10_000) return `${(x / 1_000).toFixed(0)} s`;
  if (x >= 1_000) return `${(x / 1_000).toFixed(1)} s`;
  return `${x >= 100 ? x.toFixed(0) : x >= 10 ? x.toFixed(1) : x.toFixed(2)} ms`;
}

export function bytes(n) {
  const units = ["B", "kB", "MB", "GB"];
  let at = 0;
  while (n >= 1_000 && at < units.length - 1) [n, at] = [n / 1_000, at + 1];
  return `${n.toFixed(n < 10 && at ? 1 : 0)} ${units[at]}`;
}

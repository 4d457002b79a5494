// A search tells every candidate, a bundle what became of it; here they come together.

/** What became of each candidate: in the bundle, in its history, or why not. */
export function fates({ bundle }) {
  const fate = new Map(bundle.metadata.dropped.map((each) => [each.id, each.reason]));
  for (const each of bundle.recent_history) fate.set(each.id, "history");
  for (const each of bundle.retrieved_memories) fate.set(each.id, "in");
  return fate;
}

/** Every candidate, best first, with its fate; what only completes others is in the bundle alone. */
export function joined(shown) {
  const fate = fates(shown);
  const found = new Map([...shown.found.left_out, ...shown.found.results].map((each) => [each.id, each]));
  const alone = shown.bundle.retrieved_memories.filter((each) => !found.has(each.id));
  return [...found.values(), ...alone]
    .sort((a, b) => b.score - a.score || a.id.localeCompare(b.id))
    .map((each) => ({ ...each, fate: fate.get(each.id) || each.reason || "not asked for" }));
}

/** What was left out, with what the search tells of it: most of it, though not of what only a bundle has. */
export function leftOut({ bundle, found }) {
  const known = new Map([...found.left_out, ...found.results].map((each) => [each.id, each]));
  return bundle.metadata.dropped.map((each) => ({ ...each, memory: known.get(each.id) }));
}

// Who there is, for those who may know.
import { useRef } from "./dom.js";
import { get } from "./api.js";
import { useLoad } from "./load.js";
import { mayGovern } from "./scopes.js";

const NOBODY = { items: [], next_cursor: null };

/** The users that `query` asks for. Who may not know is answered with nobody, and not refused: browsers tell of that. */
async function usersOf(query, signal) {
  if (mayGovern() === null) await get("/conversations", { limit: 1 }, signal); // any answer would do
  return mayGovern() ? get("/users", query, signal) : NOBODY;
}

/** The ids of the first users that begin so; of null nobody's. Until there is an answer, those of before. */
export function useUsers(begins, limit) {
  const { data } = useLoad(
    (signal) => (begins === null ? Promise.resolve(NOBODY) : usersOf({ begins, limit }, signal)),
    [begins, limit],
  );
  const shown = useRef([]);
  if (data) shown.current = data.items.map((each) => each.user_id);
  return shown.current;
}

// Whose memory is looked at: in the address, and remembered by the tab.
import { useEffect } from "./dom.js";
import { go, useLocation } from "./router.js";

const NAME = "foreword.user";

export const lastUser = () => sessionStorage.getItem(NAME) ?? "";

/** Whose, in a sentence that ends with it. */
export const ofWhom = (user) =>
  user ? `of ${user}` : "of no user: whose memory is to be looked at is set at the top";

/** Of what is one user's own, where all of its kind is listed: another has no such thing. */
export const listOf = (path) => path.replace(/^(\/conversations|\/memory\/[^/]+)\/.*$/, "$1");

/** [user, choose]: "" is the memory of no user, which is a memory of its own. */
export function useUser() {
  const { path, query } = useLocation();
  const user = query.user ?? lastUser();
  useEffect(() => {
    sessionStorage.setItem(NAME, user); // an address that names one brings one along
  }, [user]);
  const choose = (next) => {
    sessionStorage.setItem(NAME, next);
    const { cursor: _, message: __, ...rest } = query;
    go(listOf(path), { ...rest, user: next }, { replace: true });
  };
  return [user, choose];
}

/** Whoever an item is of, its page is of that user: `it` once it is there. */
export function useOwner(it) {
  const { path, query } = useLocation();
  const [user] = useUser();
  const owner = it && (it.user_id ?? "");
  useEffect(() => {
    if (owner === null || owner === undefined || owner === user) return;
    sessionStorage.setItem(NAME, owner);
    go(path, { ...query, user: owner }, { replace: true });
  }, [owner]);
}

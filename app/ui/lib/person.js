// Whose memory is looked at: in the address, and remembered by the tab.
import { useEffect } from "./dom.js";
import { go, useLocation } from "./router.js";

const NAME = "foreword.user";

export const lastUser = () => sessionStorage.getItem(NAME) ?? "";

/** Whose, in a sentence that ends with it. */
export const ofWhom = (user) =>
  user ? `of ${user}` : "of no user: whose memory is to be looked at is set at the top";

/** [user, choose]: "" is the memory of no user, which is a memory of its own. */
export function useUser() {
  const { path, query } = useLocation();
  const user = query.user ?? lastUser();
  useEffect(() => {
    sessionStorage.setItem(NAME, user); // an address that names one brings one along
  }, [user]);
  const choose = (next) => {
    sessionStorage.setItem(NAME, next);
    const { cursor: _, ...rest } = query;
    go(path, { ...rest, user: next }, { replace: true });
  };
  return [user, choose];
}

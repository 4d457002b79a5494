// Whose memory is looked at: in the address, and remembered by the tab.
import { go, useLocation } from "./router.js";

const NAME = "foreword.user";

export const lastUser = () => sessionStorage.getItem(NAME) ?? "";

/** [user, choose]: "" is the memory of no user, which is a memory of its own. */
export function useUser() {
  const { path, query } = useLocation();
  const user = query.user ?? lastUser();
  const choose = (next) => {
    sessionStorage.setItem(NAME, next);
    const { cursor: _, ...rest } = query;
    go(path, { ...rest, user: next }, { replace: true });
  };
  return [user, choose];
}

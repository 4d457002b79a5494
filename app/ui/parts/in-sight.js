// Rows of links that scroll on a small screen: the one that one is on stays in sight.
import { useEffect, useRef } from "../lib/dom.js";

/** For the element that scrolls; `at` changes with the place that is current. */
export function useInSight(at) {
  const row = useRef();
  useEffect(() => {
    const here = row.current.querySelector("[aria-current]");
    if (here) row.current.scrollLeft = here.offsetLeft - row.current.offsetLeft - 16;
  }, [at]);
  return row;
}

// How far each entry of the history was scrolled: going back leads to where one was.
import { entry } from "./router.js";

const TRIES = 40;
const PAUSE_MS = 50;
const places = new Map();
let timer = 0;

history.scrollRestoration = "manual";
addEventListener("scroll", () => places.set(entry(), scrollY), { passive: true });
for (const sign of ["wheel", "touchstart", "keydown"]) addEventListener(sign, () => clearTimeout(timer), { passive: true });

/** Where the entry that one is at now was left. */
export const placeOfEntry = () => places.get(entry()) ?? 0;

/** Scrolls to `y`, as soon as the page is long enough, unless somebody scrolls elsewhere meanwhile. */
export function scrollThere(y) {
  clearTimeout(timer);
  let left = TRIES;
  const attempt = () => {
    scrollTo(0, y);
    left -= 1;
    if (scrollY < y - 1 && left > 0) timer = setTimeout(attempt, PAUSE_MS);
  };
  attempt();
}

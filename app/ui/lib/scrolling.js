// How far each entry of the history was scrolled: going back leads to where one was.
import { beforeLeaving, entry } from "./router.js";

const places = new Map();
const note = () => places.set(entry(), scrollY);
let growing = null;

history.scrollRestoration = "manual";
addEventListener("scroll", note, { passive: true });
beforeLeaving(note); // who scrolls and leaves at once is gone before it is told
for (const sign of ["wheel", "touchstart", "pointerdown", "keydown"]) addEventListener(sign, stay, { passive: true });

function stay() {
  growing?.disconnect();
}

/** Where the entry that one is at now was left. */
export const placeOfEntry = () => places.get(entry()) ?? 0;

/** Scrolls to `y`, as soon as the page is long enough, unless somebody does something meanwhile. */
export function scrollThere(y) {
  stay();
  const attempt = () => {
    scrollTo(0, y);
    if (scrollY >= y - 1) stay();
  };
  growing = new ResizeObserver(attempt);
  growing.observe(document.body);
  attempt();
}

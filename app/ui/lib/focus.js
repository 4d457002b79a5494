// Where the focus goes when what had it is taken out: to its neighbour, else to the page. Else it would be nowhere.
const FOCUSABLE = "[tabindex], a[href], button, input, select, textarea, summary";

/** What has the focus, and where each element around it stands: from the inside out. */
let places = [];

function placesOf(element) {
  const found = [];
  for (let it = element; it.parentElement; it = it.parentElement) found.push([it, it.parentElement, [...it.parentElement.children].indexOf(it)]);
  return found;
}

/** What stands where that was, or before it; whatever takes the focus in there. */
function neighbourOf([, parent, at]) {
  const near = parent.children[Math.min(at, parent.children.length - 1)];
  return near?.matches(FOCUSABLE) ? near : near?.querySelector(FOCUSABLE);
}

const isLost = () => !document.activeElement || document.activeElement === document.body;

function restore(main) {
  if (places.length === 0 || places[0][0].isConnected || !isLost()) return;
  const left = places.find(([, parent]) => parent.isConnected);
  places = [];
  if (left && left[1] !== main && main.contains(left[1])) neighbourOf(left)?.focus({ preventScroll: true });
  if (isLost()) main.focus({ preventScroll: true });
}

/** From now on nothing that is taken out takes the focus with it. */
export function keepFocus(main) {
  addEventListener("focusin", ({ target }) => {
    places = placesOf(target);
  });
  // Who clicks beside everything wants it nowhere.
  addEventListener("focusout", () => setTimeout(() => {
    if (isLost() && places[0]?.[0].isConnected) places = [];
  }));
  new MutationObserver(() => restore(main)).observe(document.body, { childList: true, subtree: true });
}

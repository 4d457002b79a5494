// Where we are: paths below /ui, so that every view has an address.
import { html, useEffect, useState } from "./dom.js";

const BASE = "/ui";
const listeners = new Set();
const leaving = new Set();

const read = () => ({
  path: location.pathname.slice(BASE.length).replace(/\/+$/, "") || "/",
  query: Object.fromEntries(new URLSearchParams(location.search)),
});

export function address(path, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const search = new URLSearchParams(given).toString();
  return BASE + (path === "/" ? "" : path) + (search && `?${search}`);
}

/** Which entry of the history one is at. */
export const entry = () => history.state?.entry ?? 0;

/** Calls `tell` before another entry is added. */
export const beforeLeaving = (tell) => leaving.add(tell);

export function go(path, query, { replace = false } = {}) {
  if (!replace) leaving.forEach((tell) => tell());
  const state = { entry: replace ? entry() : performance.timeOrigin + performance.now() };
  history[replace ? "replaceState" : "pushState"](state, "", address(path, query));
  listeners.forEach((tell) => tell({ moved: !replace, back: false }));
}

addEventListener("popstate", () => listeners.forEach((tell) => tell({ moved: true, back: true })));

export function useLocation(onMove) {
  const [here, setHere] = useState(read);
  useEffect(() => {
    const tell = ({ moved, back }) => {
      setHere(read());
      if (moved && onMove) onMove({ back });
    };
    listeners.add(tell);
    return () => listeners.delete(tell);
  }, []);
  return here;
}

const isPlain = (event) =>
  event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);

export function Link({ to, query, children, ...rest }) {
  const onClick = (event) => {
    if (!isPlain(event)) return;
    event.preventDefault();
    go(to, query);
  };
  return html`<a href=${address(to, query)} onClick=${onClick} ...${rest}>${children}</a>`;
}

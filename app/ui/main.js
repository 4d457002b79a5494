// The frame: where one is, whose memory is looked at, and the page itself.
import { html, render, useEffect, useErrorBoundary, useRef, useState } from "./lib/dom.js";
import { keepFocus } from "./lib/focus.js";
import { Link, useLocation } from "./lib/router.js";
import { placeOfEntry, scrollThere } from "./lib/scrolling.js";
import { useResting } from "./lib/load.js";
import { useUser } from "./lib/person.js";
import { useUsers } from "./lib/users.js";
import { Button, Notice, Waiting } from "./parts/basics.js";
import { useInSight } from "./parts/in-sight.js";
import { KeyDialog } from "./parts/key-dialog.js";
import { nextTheme, themeName } from "./parts/theme.js";

const PAGES = [
  ["/", "Inspector", () => import("./pages/inspector.js"), /^\/$/],
  ["/conversations", "Conversations", () => import("./pages/conversations.js"), /^\/conversations(?:\/(?<id>[^/]+))?$/],
  ["/memory", "Memory", () => import("./pages/memory.js"), /^\/memory(?:\/(?<kind>[^/]+))?(?:\/(?<id>[^/]+))?$/],
  ["/person", "Profile and consent", () => import("./pages/person.js"), /^\/person$/],
  ["/metrics", "Metrics", () => import("./pages/metrics.js"), /^\/metrics$/],
  ["/settings", "Settings", () => import("./pages/settings.js"), /^\/settings$/],
  ["/jobs", "Jobs", () => import("./pages/jobs.js"), /^\/jobs$/],
];
const HIDDEN = [["/", "Bundle", () => import("./pages/bundle.js"), /^\/bundles\/(?<id>[^/]+)$/]];
const NOWHERE = ["", "", () => import("./pages/nowhere.js"), /^/];
const OF_A_USER = new Set(["/", "/conversations", "/memory", "/person"]);

/** A bundle is of whom it was asked for, whoever is looked at. */
const isOfAUser = (entry) => OF_A_USER.has(entry[0]) && !HIDDEN.includes(entry);

const pageAt = (path) => [...PAGES, ...HIDDEN, NOWHERE].find(([, , , is]) => is.test(path));

function Navigation({ at }) {
  const [user] = useUser();
  return html`<nav aria-label="Pages" ref=${useInSight(at)}><ul>
    ${PAGES.map(([path, name]) => html`<li key=${path}>
      <${Link} to=${path} query=${OF_A_USER.has(path) ? { user } : {}}
        data-name=${name} aria-current=${path === at ? "page" : undefined}>${name}<//></li>`)}
  </ul></nav>`;
}

const MOST_OFFERED = 20;
/** Of what is chosen from a list a browser says so, or nothing; of what is typed, how. */
const isChosen = ({ inputType }) => !inputType || inputType === "insertReplacementText";

/** Whose memory it is; while one is at it, those are offered whose ids go on from what is typed. */
function User() {
  const [user, choose] = useUser();
  const [text, setText] = useState(user);
  const [isAtIt, setAtIt] = useState(false);
  const offered = useUsers(useResting(isAtIt ? text : null), MOST_OFFERED);
  useEffect(() => setText(user), [user]);
  const settle = (typed) => {
    const named = offered.includes(typed) ? typed : typed.trim();
    if (typed !== user && named !== user) choose(named);
  };
  const type = (event) => {
    const { value } = event.currentTarget;
    setText(value);
    if (isChosen(event) && offered.includes(value)) settle(value);
  };
  const leave = (event) => {
    setAtIt(false);
    settle(event.currentTarget.value);
  };
  const submit = (event) => {
    event.preventDefault();
    settle(event.currentTarget.elements.user.value);
  };
  return html`<form class="user" role="search" aria-label="Whose memory" onSubmit=${submit}>
    <label for="user">Memory of</label>
    <input id="user" name="user" value=${text} placeholder="no user" autocomplete="off" spellcheck="false" list=${offered.length > 0 ? "users" : undefined}
      onInput=${type} onFocus=${() => setAtIt(true)} onBlur=${leave} />
    ${offered.length > 0 && html`<datalist id="users">${offered.map((each) => html`<option key=${each} value=${each} />`)}</datalist>`}
  </form>`;
}

function Theme() {
  const [name, setName] = useState(themeName);
  return html`<${Button} kind="quiet" class="button button-quiet theme" onClick=${() => setName(nextTheme())}
    aria-label=${`Colours: ${name}. Change`}><span aria-hidden="true">${{ light: "☀", dark: "☾", system: "◐" }[name]}</span><//>`;
}

/** A page is loaded when one first goes there. */
function Page({ entry, path }) {
  const [loaded, setLoaded] = useState({ entry: null, Page: null, problem: null });
  const [broken, reset] = useErrorBoundary((error) => console.error(error));
  useEffect(() => {
    let here = true;
    reset();
    entry[2]().then(
      (module) => here && setLoaded({ entry, Page: module.default, problem: null }),
      () => here && setLoaded({ entry, Page: null, problem: { message: "This page could not be loaded", detail: "Is the service running? If it is, there is a newer version: reload the page." } }),
    );
    return () => {
      here = false;
    };
  }, [entry]);
  if (broken) return html`<${Notice} problem=${{ message: "This page stumbled", detail: String(broken.message || broken) }} onRetry=${reset} />`;
  if (loaded.entry !== entry) return html`<${Waiting} />`;
  if (loaded.problem) return html`<${Notice} problem=${loaded.problem} onRetry=${() => location.reload()} />`;
  return html`<${loaded.Page} ...${entry[3].exec(path).groups || {}} />`;
}

function App() {
  const moved = useRef(null);
  const { path, query } = useLocation(({ back }) => {
    moved.current = { to: back ? placeOfEntry() : 0 };
  });
  const entry = pageAt(path);
  useEffect(() => {
    if (!moved.current) return;
    document.getElementById("main").focus({ preventScroll: true });
    scrollThere(moved.current.to);
  }, [path, query.user]);
  useEffect(() => {
    moved.current = null;
  }, [query]);
  useEffect(() => {
    const find = (event) => {
      const isTyping = event.target.closest("input, textarea, select, [contenteditable]");
      const box = event.key === "/" && !isTyping && document.querySelector("[data-find]");
      if (!box) return;
      event.preventDefault();
      box.focus();
    };
    addEventListener("keydown", find);
    return () => removeEventListener("keydown", find);
  }, []);
  return html`
    <header class="top">
      <${Link} to="/" class="brand" aria-label="Foreword, to the inspector">Foreword<//>
      <${Navigation} at=${entry[0]} />
      <div class="top-end">${isOfAUser(entry) && html`<${User} />`}<${Theme} /></div>
    </header>
    <main id="main" tabindex="-1"><${Page} entry=${entry} path=${path} /></main>
    <${KeyDialog} />`;
}

const place = document.getElementById("app");
place.replaceChildren();
render(html`<${App} />`, place);
keepFocus(document.getElementById("main"));

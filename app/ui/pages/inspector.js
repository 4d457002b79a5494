// The inspector: one question, what memory answers, and why.
import { html, useEffect, useRef, useState } from "../lib/dom.js";
import { changesSoFar, post } from "../lib/api.js";
import { plural } from "../lib/format.js";
import { onKey } from "../lib/key.js";
import { useAct } from "../lib/load.js";
import { ofWhom, useUser } from "../lib/person.js";
import { Empty, Notice, Title, Waiting } from "../parts/basics.js";
import { Users } from "../parts/users.js";
import { Form } from "./inspector/form.js";
import { BEGIN, searchOf, wireOf } from "./inspector/asking.js";
import { Answer } from "./inspector/answer.js";
import { joined } from "./inspector/joining.js";
import { Compare } from "./inspector/compare.js";

const FRESH = { "Cache-Control": "no-cache" };
const PAUSE_MS = 120;

const ranksOf = (answer) => new Map(joined(answer).map((each, at) => [each.id, at + 1]));

async function ask(settings, user, signal) {
  const [bundle, found] = await Promise.all([
    post("/context", wireOf(settings, user), { headers: FRESH, signal }),
    post("/search", searchOf(settings, user), { signal }),
  ]);
  return { settings, user, bundle, found };
}

const asideFromWeights = (settings) => JSON.stringify({ ...settings, weights: null });

/** An answer with the ranks `before` weights moved: those of `had`, where that is of the same question. */
function ranked(answer, had) {
  const isSame = had && asideFromWeights(had.settings) === asideFromWeights(answer.settings);
  return { ...answer, before: isSame ? had.before : ranksOf(answer) };
}

/** `[latest, stop]`: whoever asks `latest(ask)` anew makes the answer of before superfluous. */
function useLatest() {
  const running = useRef(null);
  const stop = () => running.current?.abort();
  const latest = (work) => {
    stop();
    running.current = new AbortController();
    return work(running.current.signal);
  };
  return [latest, stop];
}

let last = null;
onKey(() => {
  last = null;
});

/** What was asked of this user, where one comes back from elsewhere; the answers, if nothing has changed since. */
function useRemembered(user) {
  const [before] = useState(() => (last?.user === user ? last : {}));
  const isNow = before.changes === changesSoFar();
  const settings = useState(before.settings || BEGIN);
  const shown = useState((isNow && before.shown) || null);
  const kept = useState((isNow && before.kept) || null);
  useEffect(() => {
    last = { user, settings: settings[0], shown: shown[0], kept: kept[0], changes: changesSoFar() };
  });
  return [...settings, ...shown, ...kept];
}

/** On a screen where the answer stands below the question, goes there once it is new. */
function useInView(answer) {
  const place = useRef();
  const before = useRef(answer);
  useEffect(() => {
    if (!answer || before.current === answer) return;
    before.current = answer;
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (place.current.getBoundingClientRect().top > innerHeight / 2) place.current.scrollIntoView({ behavior: calm ? "auto" : "smooth" });
  }, [answer]);
  return place;
}

const saidOf = ({ bundle }) => `${plural(bundle.retrieved_memories.length, "memory", "memories")} of ${plural(bundle.metadata.candidates, "candidate")}`;

export default function Inspector() {
  const [user] = useUser();
  const [settings, setSettings, shown, setShown, kept, setKept] = useRemembered(user);
  const asked = useRef(user);
  const timer = useRef(0);
  const [latest, stop] = useLatest();
  const looking = useAct(async (wanted) => {
    const found = await latest((signal) => post("/search", searchOf(wanted, user), { signal }));
    setShown((had) => had && ranked({ ...had, settings: wanted, found }, had));
  });
  const asking = useAct(async (wanted, had = null) => {
    looking.clear();
    const answer = await latest((signal) => ask(wanted, user, signal));
    setShown(ranked(answer, had));
  });

  const run = () => {
    clearTimeout(timer.current);
    if (settings.query.trim()) asking.run(settings);
  };
  // While a weight moves only the order is asked for; where it rests, the whole bundle.
  const weigh = (weights, { resting }) => {
    const wanted = { ...settings, weights };
    setSettings(wanted);
    clearTimeout(timer.current);
    if (!shown || !wanted.query.trim()) return;
    if (resting) asking.run(wanted, shown);
    else timer.current = setTimeout(() => looking.run(wanted), PAUSE_MS);
  };
  useEffect(() => onKey(() => {
    asking.clear();
    looking.clear();
  }), []);
  useEffect(() => {
    if (asked.current !== user) {
      setShown(null);
      setKept(null);
      asking.clear();
      looking.clear();
      setSettings((had) => ({ ...had, conversation: "", inside: [], outside: [] })); // another user's
    }
    asked.current = user;
    return () => {
      clearTimeout(timer.current);
      stop();
    };
  }, [user]);

  const usual = () => {
    const wanted = { ...BEGIN, query: settings.query };
    setSettings(wanted);
    if (shown) asking.run(wanted);
  };
  const place = useInView(shown?.bundle.bundle_id);
  const problem = asking.problem || looking.problem;
  return html`<${Title}>Inspector<//>
    <div class="inspector">
      <${Form} settings=${settings} onChange=${setSettings} onWeigh=${weigh} onUsual=${usual} onRun=${run} busy=${asking.busy} user=${user} />
      <section class="answer" aria-label="Answer" aria-busy=${asking.busy} ref=${place}>
        <p class="unseen" role="status">${asking.busy ? "Asking" : shown ? saidOf(shown) : ""}</p>
        <${Notice} problem=${problem} />
        ${problem && shown && html`<p class="question quiet">What follows was answered to “${shown.settings.query}”.</p>`}
        ${!shown && !problem && (asking.busy ? html`<${Waiting} what="Asking" />` : html`<${Empty}>
          Ask something, and see what memory would hand to a model: every candidate, what spoke for it, what was left out and why.
          It is asked of the memory ${ofWhom(user)}.<//><${Users} user=${user} />`)}
        ${kept && shown && html`<${Compare} kept=${kept} shown=${shown} onEnd=${() => setKept(null)} />`}
        ${shown && html`<${Answer} shown=${shown} isKept=${kept !== null} onKeep=${() => setKept(shown)} />`}
      </section>
    </div>`;
}

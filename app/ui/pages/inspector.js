// The inspector: one question, what memory answers, and why.
import { html, useEffect, useRef, useState } from "../lib/dom.js";
import { post } from "../lib/api.js";
import { useAct } from "../lib/load.js";
import { ofWhom, useUser } from "../lib/person.js";
import { Empty, Notice, Title, Waiting } from "../parts/basics.js";
import { Form } from "./inspector/form.js";
import { BEGIN, searchOf, wireOf } from "./inspector/asking.js";
import { Answer } from "./inspector/answer.js";
import { Compare } from "./inspector/compare.js";

const FRESH = { "Cache-Control": "no-cache" };
const PAUSE_MS = 120;

const ranksOf = (found) => new Map(found.results.map((each, at) => [each.id, at + 1]));

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
  return { ...answer, before: isSame ? had.before : ranksOf(answer.found) };
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

export default function Inspector() {
  const [user] = useUser();
  const [settings, setSettings] = useState(BEGIN);
  const [shown, setShown] = useState(null);
  const [kept, setKept] = useState(null);
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
  useEffect(() => {
    setShown(null);
    setKept(null);
    setSettings((had) => ({ ...had, conversation: "", inside: [], outside: [] })); // another user's
    return () => {
      clearTimeout(timer.current);
      stop();
    };
  }, [user]);

  const problem = asking.problem || looking.problem;
  return html`<${Title}>Inspector<//>
    <div class="inspector">
      <${Form} settings=${settings} onChange=${setSettings} onWeigh=${weigh} onRun=${run} busy=${asking.busy} user=${user} />
      <section class="answer" aria-label="Answer" aria-busy=${asking.busy}>
        <${Notice} problem=${problem} />
        ${!shown && !problem && (asking.busy ? html`<${Waiting} what="Asking" />` : html`<${Empty}>
          Ask something, and see what memory would hand to a model: every candidate, what spoke for it, what was left out and why.
          It is asked of the memory ${ofWhom(user)}.<//>`)}
        ${kept && shown && html`<${Compare} kept=${kept} shown=${shown} onEnd=${() => setKept(null)} />`}
        ${shown && html`<${Answer} shown=${shown} isKept=${kept !== null} onKeep=${() => setKept(shown)} />`}
      </section>
    </div>`;
}

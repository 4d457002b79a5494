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

/** `latest(ask)`: whoever asks anew makes the answer of before superfluous. */
function useLatest() {
  const running = useRef(null);
  return (work) => {
    running.current?.abort();
    running.current = new AbortController();
    return work(running.current.signal);
  };
}

export default function Inspector() {
  const [user] = useUser();
  const [settings, setSettings] = useState(BEGIN);
  const [shown, setShown] = useState(null);
  const [kept, setKept] = useState(null);
  const before = useRef(new Map());
  const timer = useRef(0);
  const latest = useLatest();
  const asking = useAct(async (wanted) => {
    const answer = await latest((signal) => ask(wanted, user, signal));
    setShown(answer);
    return answer;
  });
  const looking = useAct(async (wanted) => {
    const found = await latest((signal) => post("/search", searchOf(wanted, user), { signal }));
    setShown((had) => had && { ...had, settings: wanted, found });
  });

  const run = async (wanted = settings) => {
    clearTimeout(timer.current);
    const answer = wanted.query.trim() && (await asking.run(wanted));
    if (answer) before.current = ranksOf(answer.found);
  };
  // While a weight moves only the order is asked for; where it rests, the whole bundle.
  const weigh = (weights, { resting }) => {
    const wanted = { ...settings, weights };
    setSettings(wanted);
    clearTimeout(timer.current);
    if (!shown || !wanted.query.trim()) return;
    if (resting) asking.run(wanted);
    else timer.current = setTimeout(() => looking.run(wanted), PAUSE_MS);
  };
  useEffect(() => {
    setShown(null);
    setKept(null);
    setSettings((had) => ({ ...had, conversation: "", inside: [], outside: [] })); // another user's
  }, [user]);
  useEffect(() => () => clearTimeout(timer.current), []);

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
        ${shown && html`<${Answer} shown=${shown} before=${before.current} isKept=${kept !== null} onKeep=${() => setKept(shown)} />`}
      </section>
    </div>`;
}

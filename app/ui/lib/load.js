// Reading from the service inside of components.
import { useCallback, useEffect, useRef, useState } from "./dom.js";
import { get } from "./api.js";
import { onKey } from "./key.js";

const LOADING = { data: null, problem: null, loading: true };

/** Rises when another key is in force: what was refused is asked again. */
function useEpoch() {
  const [epoch, setEpoch] = useState(0);
  useEffect(() => onKey(() => setEpoch((n) => n + 1)), []);
  return epoch;
}

/** No answer, or none now: what was there is there still, as far as anybody knows. */
const passes = ({ status }) => status === 0 || status === 429 || status >= 500;

/**
 * What `read(signal)` answers, read anew when `deps` change. Of another address nothing old is
 * shown; of `reload` the old stays until the new is there, and where there is no answer for now.
 */
export function useLoad(read, deps) {
  const [state, setState] = useState(LOADING);
  const [turn, setTurn] = useState(0);
  const epoch = useEpoch();
  const shown = useRef(null);
  const busy = useRef(true);
  useEffect(() => {
    const control = new AbortController();
    busy.current = true;
    const again = shown.current === JSON.stringify(deps);
    shown.current = JSON.stringify(deps);
    setState((before) => (again ? { ...before, loading: true } : LOADING));
    read(control.signal).then(
      (data) => {
        busy.current = control.signal.aborted && busy.current;
        setState({ data, problem: null, loading: false });
      },
      (problem) => {
        if (problem.name === "AbortError") return;
        busy.current = control.signal.aborted && busy.current;
        setState(({ data }) => ({ data: passes(problem) ? data : null, problem, loading: false }));
      },
    );
    return () => control.abort();
  }, [...deps, turn, epoch]);
  const reload = useCallback(() => setTurn((n) => n + 1), []);
  // What a clock asks for waits for an answer that is under way: else a slow one would never come.
  const look = useCallback(() => busy.current || reload(), []);
  const change = useCallback((how) => setState((s) => ({ ...s, data: how(s.data) })), []);
  return { ...state, reload, look, change };
}

/** A list from its beginning, of that length at least if there is so much. */
async function upTo(length, path, query, signal) {
  let page = await get(path, query, signal);
  let { items } = page;
  while (page.next_cursor && items.length < length) {
    page = await get(path, { ...query, cursor: page.next_cursor }, signal);
    items = [...items, ...page.items];
  }
  return { ...page, items };
}

/** A list with its pages, one after the other. Read anew, it is as long as it was: one stays where one is. */
export function usePages(path, query) {
  const of = JSON.stringify([path, query]);
  const reach = useRef({ of, length: 0 });
  if (reach.current.of !== of) reach.current = { of, length: 0 };
  const list = useLoad((signal) => upTo(reach.current.length, path, query, signal), [path, JSON.stringify(query)]);
  const [more, setMore] = useState({ loading: false, problem: null });
  const next = async () => {
    const before = list.data;
    setMore({ loading: true, problem: null });
    try {
      const page = await get(path, { ...query, cursor: before.next_cursor });
      // What is shown by now may be another list.
      list.change((had) => (had === before ? { ...page, items: [...had.items, ...page.items] } : had));
      if (reach.current.of === of) reach.current.length = before.items.length + page.items.length;
      setMore({ loading: false, problem: null });
    } catch (problem) {
      setMore({ loading: false, problem });
    }
  };
  return { ...list, more: { ...more, next } };
}

const AT_REST = { busy: false, problem: null };

/** Something that is done, with what went wrong: of several at once, the last `run` tells. */
export function useAct(act) {
  const [state, setState] = useState(AT_REST);
  const last = useRef(0);
  const run = async (...given) => {
    last.current += 1;
    const turn = last.current;
    const end = (how) => turn === last.current && setState(how);
    setState({ busy: true, problem: null });
    try {
      const done = await act(...given);
      end(AT_REST);
      return done;
    } catch (problem) {
      end(problem.name === "AbortError" ? AT_REST : { busy: false, problem });
      return undefined;
    }
  };
  return { ...state, run, clear: () => setState(AT_REST) };
}

const PAUSE_MS = 200;

/** What is typed, once it rests. */
export function useResting(value) {
  const [resting, setResting] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setResting(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return resting;
}

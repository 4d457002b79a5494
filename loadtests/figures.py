"""The figures: each group drives the server once and tells what it saw."""

import asyncio
import itertools
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

from loadtests import callers, disk, fill
from loadtests.server import Server
from loadtests.sets import Body, Corpus

# What is asked and stored per group. Questions are never asked twice, but by `cached`.
WARM_UP, ASKED, ASKED_AGAIN = 50, 300, 100
# The server and torch take turns of so many questions.
IN_A_ROW = 50
POSTS, BACKLOG_MESSAGES, WRITERS = 60, 4_000, 4
# More than any server answers in a second, so that the callers never run out of questions.
MOST_PER_S = 500
# Two processes are up and connected by then.
LEAD_S = 4.0
IDLE_S = 3.0
ASKED_WHILE_DISTILLING = 100
LOOK_S = 0.5
# Copies of the corpus that no fill reaches.
SETTLED_COPY, BACKLOG_COPY, BEHIND_COPY = 300, 320, 340


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    name: str
    value: float
    unit: str
    how: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """One run: the server, the texts, and how much of everything."""

    server: Server
    corpus: Corpus
    messages: int
    owned: int
    seconds: float
    callers: int
    asked: Iterator[Body]

    def ask(self, count: int) -> list[Body]:
        """The next questions, never asked before."""
        return list(itertools.islice(self.asked, count))


def start(bench: Bench) -> Iterator[Figure]:
    """Two starts: the first may have to make the database and compile the model."""
    first = bench.server.start()
    yield Figure(name="ready, first start", value=first, unit="s", how="new data directory")
    again = bench.server.restart()
    yield Figure(name="ready, empty store", value=again, unit="s", how="process to /readyz 200")
    yield from _idle(bench, "empty store")


def stored(bench: Bench) -> Iterator[Figure]:
    jobs = fill.plan(bench.corpus, messages=bench.messages, owned=bench.owned)
    seconds, indexed = asyncio.run(fill.store(bench.server.url, jobs, writers=WRITERS))
    texts = f"{bench.messages:,} messages of {bench.corpus.mean_characters:.0f} characters"
    how = f"{texts}, posts of at most {fill.POST_SIZE} by {WRITERS} writers"
    yield Figure(name="stored", value=bench.messages / seconds, unit="messages/s", how=how)
    how = f"the same, until ?wait=indexed answered: {indexed:.0f} s in all"
    yield Figure(
        name="stored and indexed", value=bench.messages / indexed, unit="messages/s", how=how
    )
    rss, how = bench.server.rss_mb(), f"right after storing {bench.messages:,} messages"
    yield Figure(name="RSS after the fill", value=rss, unit="MB", how=how)


def distilled(bench: Bench) -> Iterator[Figure]:
    """Contexts while what was stored is distilled, then nothing until that is done."""
    answers = callers.ask_in_turn(bench.server.url, bench.ask(ASKED_WHILE_DISTILLING), fresh=True)
    how = f"no-cache, one caller; {bench.server.waiting('distilling'):,} conversations waited after"
    yield from _spread("context, fresh, while distilling", answers.took_ms, how)
    waiting, began = bench.server.waiting("distilling"), time.perf_counter()
    while bench.server.waiting("distilling"):
        time.sleep(LOOK_S)
    seconds = time.perf_counter() - began
    how = f"{waiting:,} waiting conversations in {seconds:.0f} s, nobody asking"
    yield Figure(name="distilled", value=waiting / max(seconds, 1), unit="conversations/s", how=how)


def size(bench: Bench) -> Iterator[Figure]:
    """Stops the server meanwhile, so that everything is on disk."""
    bench.server.stop()
    found = disk.databases(bench.server.data_dir)
    whole, everything = disk.bytes_of(found), disk.bytes_under(bench.server.data_dir)
    parts: dict[str, int] = {}
    for database in found:
        for table, taken in disk.bytes_by_table(database).items():
            parts[table] = parts.get(table, 0) + taken
    files = ", ".join(str(path.relative_to(bench.server.data_dir)) for path in found)
    yield _size(bench, "database", whole, f"{files} with logs, server stopped")
    for name, (prefix, how) in PARTS.items():
        taken = sum(count for table, count in parts.items() if table.startswith(prefix))
        yield _size(bench, f"… {name}", taken, how)
    others = sorted(((t, n) for t, n in parts.items() if not _is_told(t)), key=lambda p: -p[1])
    largest = ", ".join(f"{table} {taken / 1e6:.1f}" for table, taken in others[:6])
    yield _size(bench, "… other tables", sum(n for _, n in others), f"here, in MB: {largest}")
    yield _size(bench, "vectors", everything - whole, "the other files of the data directory")
    bench.server.start()


def restart(bench: Bench) -> Iterator[Figure]:
    again = bench.server.restart()
    how = f"stop and start over {bench.messages:,} messages"
    yield Figure(name="ready, full store", value=again, unit="s", how=how)
    yield from _idle(bench, f"{bench.messages:,} messages, after a restart")


def context(bench: Bench) -> Iterator[Figure]:
    """One caller; in turn with it, so that both see the same machine, the embedder on torch."""
    url, bodies = bench.server.url, bench.ask(ASKED)
    answers: list[callers.Answers] = []
    on_torch: list[float] = []
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        warm = bench.ask(WARM_UP)
        callers.ask_in_turn(url, warm, fresh=True)
        process.submit(callers.encode, [body["query"] for body in warm]).result()
        for at in range(0, ASKED, IN_A_ROW):
            part = bodies[at : at + IN_A_ROW]
            answers.append(callers.ask_in_turn(url, part, fresh=True))
            queries = [body["query"] for body in part]
            on_torch.extend(process.submit(callers.encode, queries).result() or ())
    fresh = [took for part in answers for took in part.took_ms]
    how = (
        f"no-cache, one caller, {ASKED} distinct questions over {bench.owned:,} of"
        f" {bench.messages:,} messages; {sum(part.degraded for part in answers)} degraded,"
        f" {sum(part.empty for part in answers)} empty"
    )
    yield from _spread("context, fresh", fresh, how)
    yield from _against_torch(statistics.median(fresh), on_torch)
    yield from _cached(url, bodies[:ASKED_AGAIN])


def sustained(bench: Bench) -> Iterator[Figure]:
    bodies = bench.ask(int(MOST_PER_S * bench.seconds))
    begin_at, url = time.time() + LEAD_S, bench.server.url
    window = {"begin_at": begin_at, "seconds": bench.seconds}
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        asking = processes.submit(callers.ask_at_once, url, bodies, callers=bench.callers, **window)
        probing = processes.submit(callers.probe, url, **window)
        time.sleep(max(0.0, begin_at - time.time()))
        before = bench.server.cpu_s()
        time.sleep(max(0.0, begin_at + bench.seconds - time.time()))
        cpu_s = bench.server.cpu_s() - before
        answers, probes = asking.result(), probing.result()
    answered = len(answers.took_ms)
    how = f"no-cache, {bench.callers} callers for {bench.seconds:.0f} s, {answers.failed} failed"
    rate = answered / bench.seconds
    yield Figure(name="sustained contexts", value=rate, unit="requests/s", how=how)
    yield from _spread("sustained contexts", answers.took_ms, f"the same {answered:,} requests")
    per_request = 1000 * cpu_s / max(answered, 1)
    how = f"server only, over the same; {cpu_s / bench.seconds:.2f} processors busy"
    yield Figure(name="processor time per context", value=per_request, unit="ms", how=how)
    how = f"GET /healthz every 100 ms meanwhile, {len(probes)} times"
    yield Figure(name="health check, p95", value=_p95(probes), unit="ms", how=how)
    yield Figure(name="health check, max", value=max(probes), unit="ms", how=how)
    yield Figure(name="RSS after it", value=bench.server.rss_mb(), unit="MB", how="server")


def posts(bench: Bench) -> Iterator[Figure]:
    url = bench.server.url
    idle = callers.post_in_turn(url, _bodies(bench, SETTLED_COPY), settle=True)
    how = f"POST /conversations of 10 messages without wait, {POSTS} times, nothing to index"
    yield from _spread("post, idle", idle.took_ms, how)
    jobs = fill.fresh_jobs(
        bench.corpus, user_id="backlog", copy=BACKLOG_COPY, messages=BACKLOG_MESSAGES
    )
    asyncio.run(fill.store(url, jobs, writers=WRITERS, wait=False))
    bodies = _bodies(bench, BEHIND_COPY)
    busy = callers.post_in_turn(url, bodies, settle=False)
    began = time.perf_counter()
    callers.post_in_turn(url, bodies[-1:], settle=True)
    behind = time.perf_counter() - began
    how = f"the same right after {BACKLOG_MESSAGES:,} messages; {behind:.1f} s of indexing left"
    yield from _spread("post, indexer behind", busy.took_ms, how)


GROUPS: dict[str, Callable[[Bench], Iterator[Figure]]] = {
    "size": size,
    "restart": restart,
    "context": context,
    "sustained": sustained,
    "posts": posts,
}
# These add messages: no other run may measure the store after them.
SPOILING = {"posts"}
# Tables by the beginning of their names, in the order in which a name is matched.
PARTS = {
    "messages": ("message", "table and its indexes"),
    "full text": ("full_text", "FTS5 tables"),
    "embeddings": ("embedding", "table"),
}


def _is_told(table: str) -> bool:
    return table.startswith(tuple(prefix for prefix, _ in PARTS.values()))


def _size(bench: Bench, name: str, taken: int, how: str) -> Figure:
    per = 100_000 / bench.messages
    return Figure(name=f"{name}, per 100,000", value=taken * per / 1e6, unit="MB", how=how)


def _idle(bench: Bench, state: str) -> Iterator[Figure]:
    before = bench.server.cpu_s()
    time.sleep(IDLE_S)
    busy = 100 * (bench.server.cpu_s() - before) / IDLE_S
    how = f"{state}; {busy:.1f} % of a processor over {IDLE_S:.0f} s"
    yield Figure(name="RSS idle", value=bench.server.rss_mb(), unit="MB", how=how)


def _against_torch(context_ms: float, on_torch: list[float]) -> Iterator[Figure]:
    if not on_torch:
        print("Not compared with torch: sentence-transformers or its model is not installed.")
        return
    p50 = statistics.median(on_torch)
    how = f"SentenceTransformer.encode, another process, the same questions, {IN_A_ROW} in turn"
    yield Figure(name="one embedding on torch, p50", value=p50, unit="ms", how=how)
    how = "p50 of a fresh context over p50 of one embedding on torch"
    yield Figure(name="context / torch embedding", value=context_ms / p50, unit="x", how=how)


def _cached(url: str, bodies: list[Body]) -> Iterator[Figure]:
    callers.ask_in_turn(url, bodies, fresh=False)
    cached = callers.ask_in_turn(url, bodies, fresh=False)
    how = f"the same request again; {cached.cached} of {len(bodies)} from the cache"
    yield from _spread("context, cached", cached.took_ms, how)


def _bodies(bench: Bench, copy: int) -> list[Body]:
    """POSTS bodies of ten messages each, no text of which is stored."""
    jobs = fill.fresh_jobs(bench.corpus, user_id="writer", copy=copy, messages=30 * POSTS)
    bodies = [body for job in jobs for body in job.posts]
    return [body for body in bodies if len(body["messages"]) == fill.POST_SIZE][:POSTS]


def _spread(name: str, took_ms: Sequence[float], how: str) -> Iterator[Figure]:
    p50 = statistics.median(took_ms)
    yield Figure(name=f"{name}, p50", value=p50, unit="ms", how=how)
    yield Figure(name=f"{name}, p95", value=_p95(took_ms), unit="ms", how=how)


def _p95(values: Sequence[float]) -> float:
    return statistics.quantiles(values, n=20, method="inclusive")[18]

"""Prometheus metrics, in one registry per application."""

import platform
import time
from collections.abc import Callable, Mapping

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
    process_collector,
)

from app.domain.chat import Keeping, Outcome
from app.domain.context import Source, Step

_SECONDS = (
    0.0005, 0.001, 0.002, 0.003, 0.004, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075,
    0.1, 0.2, 0.35, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0,
)  # fmt: skip
_COUNTS = (0, 1, 2, 5, 10, 20, 35, 50, 75, 100, 150, 250, 500, 1_000)
_TOKENS = (0, 100, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000)
_UP = {"ok": 1.0, "healing": 0.5, "down": 0.0}
_SHARES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)


class _Maker:
    """Makes metrics, all in one registry, under one prefix."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        process_collector.ProcessCollector(registry=self.registry)

    def counter(self, name: str, documentation: str, *labels: str) -> Counter:
        return Counter(f"foreword_{name}", documentation, labels, registry=self.registry)

    def gauge(self, name: str, documentation: str, *labels: str) -> Gauge:
        return Gauge(f"foreword_{name}", documentation, labels, registry=self.registry)

    def histogram(
        self, name: str, documentation: str, buckets: tuple[float, ...], *labels: str
    ) -> Histogram:
        return Histogram(
            f"foreword_{name}", documentation, labels, buckets=buckets, registry=self.registry
        )


class _Answers:
    """What is answered, and how it came about."""

    def __init__(self, make: _Maker) -> None:
        self.requests = make.histogram(
            "request_seconds", "Requests, by route.", _SECONDS, "method", "route", "status"
        )
        self.stages = make.histogram(
            "stage_seconds", "Stages of building a bundle.", _SECONDS, "stage"
        )
        self.found = make.histogram(
            "source_candidates", "Candidates that a source found.", _COUNTS, "source"
        )
        self.missing = make.counter(
            "source_missing", "Answers that a source owed, or a step.", "source", "reason"
        )
        self.reread = make.histogram(
            "rerank_candidates", "Candidates that the cross-encoder read for a query.", _COUNTS
        )
        self.rerank_seconds = make.histogram(
            "rerank_seconds", "Time of the cross-encoder, where it was in time.", _SECONDS
        )
        self.items = make.histogram("bundle_items", "Memories in a bundle.", _COUNTS)
        self.tokens = make.histogram("bundle_tokens", "Tokens in a bundle.", _TOKENS)
        self.used = make.histogram(
            "bundle_budget_used_ratio", "Share of the budget that is used.", _SHARES
        )
        self.candidates = make.counter("candidates", "Candidates ranked.")
        self.deduplicated = make.counter("deduplicated", "Candidates that said it again.")
        self.cache = make.counter("cache_requests", "Questions to the bundle cache.", "result")
        self._begin()

    def _begin(self) -> None:
        """
        What alerts compare is there, as 0, before the first time: no series has no rate, and a
        cache without one hit has no hit rate.
        """
        for result in ("hit", "miss"):
            self.cache.labels(result)
        for source in (*Source, *Step):
            self.missing.labels(source, "deadline")
        self.stages.labels("total")


class _Passing:
    """What goes through the proxy."""

    def __init__(self, make: _Maker) -> None:
        self.requests = make.counter(
            "proxy_requests", "Requests passed on, by what became of memory.", "memory"
        )
        self.exchanges = make.counter(
            "proxy_exchanges", "What was said through the proxy, kept, partly or lost.", "outcome"
        )


class _Indexing:
    """What becomes vectors, and what waits to."""

    def __init__(self, make: _Maker) -> None:
        self.batch = make.histogram("embed_batch_size", "Texts embedded at once.", _COUNTS)
        self.batch_seconds = make.histogram(
            "embed_batch_seconds", "Time to embed a batch.", _SECONDS
        )
        self.indexed = make.counter("indexed_items", "Items brought into the vector index.")
        self.depth = make.gauge("outbox_depth", "Rows that wait to be indexed.")
        self.oldest = make.gauge("outbox_oldest_seconds", "Age of the oldest waiting row.")
        self.dead = make.gauge("outbox_dead", "Rows that were given up.")


class _Distilling:
    """What is distilled, and what waits to be."""

    def __init__(self, make: _Maker) -> None:
        self.messages = make.counter("distilled_messages", "Messages that were distilled.")
        self.seconds = make.histogram(
            "distil_seconds", "Time to distil a portion of a conversation.", _SECONDS
        )
        self.waiting = make.gauge(
            "undistilled_conversations", "Conversations that wait to be distilled."
        )
        self.periods = make.gauge(
            "undistilled_periods", "Periods that are over and wait to be summed up."
        )
        self.oldest = make.gauge("undistilled_oldest_seconds", "How long the oldest of both waits.")
        self.dead = make.gauge(
            "undistilled_dead", "Conversations and periods that distilling has given up."
        )


class _Asking:
    """What the language model is asked."""

    def __init__(self, make: _Maker) -> None:
        self.requests = make.counter("llm_requests", "Requests to the language model.", "outcome")
        self.tokens = make.counter(
            "llm_tokens", "Tokens that the language model read and wrote.", "direction"
        )
        self.seconds = make.histogram(
            "llm_seconds", "Time of the language model, with all attempts.", _SECONDS
        )


class PrometheusTelemetry:
    """Counts what happens; see the help texts for what each metric means."""

    def __init__(self) -> None:
        make = _Maker()
        self.registry = make.registry
        self._version = ""
        self._model: Callable[[], str] = lambda: ""
        self._build = make.gauge("build_info", "Always 1.", "version", "python", "model")
        self._answers = _Answers(make)
        self._passing = _Passing(make)
        self._indexing = _Indexing(make)
        self._distilling = _Distilling(make)
        self._asking = _Asking(make)
        self._missed: dict[Source | Step, float] = {}
        self._up = make.gauge("part_up", "Whether a part answers: 1, healing 0.5, not 0.", "part")

    def describe(self, *, version: str, model: Callable[[], str]) -> None:
        """`model` is asked at each scrape: it may come later than the service."""
        self._version, self._model = version, model
        self._tell_build()

    def exposition(self) -> bytes:
        """The text that Prometheus scrapes."""
        self._tell_build()
        return generate_latest(self.registry)

    def _tell_build(self) -> None:
        self._build.clear()
        self._build.labels(self._version, platform.python_version(), self._model()).set(1)

    def request_answered(self, method: str, route: str, status: int, seconds: float) -> None:
        self._answers.requests.labels(method, route, str(status)).observe(seconds)

    def source_answered(self, source: Source, found: int) -> None:
        self._answers.found.labels(source).observe(found)

    def source_missing(self, source: Source | Step, reason: str) -> None:
        self._missed[source] = time.monotonic()
        self._answers.missing.labels(source, reason).inc()

    def missed_at(self, source: Source | Step) -> float | None:
        """When a source stayed away last, in seconds of the monotonic clock."""
        return self._missed.get(source)

    def reranked(self, texts: int, seconds: float) -> None:
        self._answers.reread.observe(texts)
        self._answers.rerank_seconds.observe(seconds)

    def stage_done(self, stage: str, seconds: float) -> None:
        self._answers.stages.labels(stage).observe(seconds)

    def bundle_built(
        self, *, items: int, tokens: int, budget: int, deduplicated: int, candidates: int
    ) -> None:
        self._answers.items.observe(items)
        self._answers.tokens.observe(tokens)
        self._answers.used.observe(tokens / budget if budget else 0.0)
        self._answers.candidates.inc(candidates)
        self._answers.deduplicated.inc(deduplicated)

    def cache_asked(self, *, hit: bool) -> None:
        self._answers.cache.labels("hit" if hit else "miss").inc()

    def batch_embedded(self, size: int, seconds: float) -> None:
        self._indexing.batch.observe(size)
        self._indexing.batch_seconds.observe(seconds)

    def indexed(self, items: int) -> None:
        self._indexing.indexed.inc(items)

    def passed_through(self, outcome: Outcome) -> None:
        self._passing.requests.labels(outcome).inc()

    def exchange_ended(self, keeping: Keeping) -> None:
        self._passing.exchanges.labels(keeping).inc()

    def outbox_seen(self, *, depth: int, oldest_age: float, dead: int) -> None:
        self._indexing.depth.set(depth)
        self._indexing.oldest.set(oldest_age)
        self._indexing.dead.set(dead)

    def distilled(self, messages: int, seconds: float) -> None:
        self._distilling.messages.inc(messages)
        self._distilling.seconds.observe(seconds)

    def distilling_seen(self, *, waiting: int, periods: int, oldest_age: float, dead: int) -> None:
        self._distilling.waiting.set(waiting)
        self._distilling.periods.set(periods)
        self._distilling.oldest.set(oldest_age)
        self._distilling.dead.set(dead)

    def llm_answered(self, *, outcome: str, read: int, written: int, seconds: float) -> None:
        self._asking.requests.labels(outcome).inc()
        self._asking.tokens.labels("read").inc(read)
        self._asking.tokens.labels("written").inc(written)
        self._asking.seconds.observe(seconds)

    def parts_seen(self, statuses: Mapping[str, str]) -> None:
        for part, status in statuses.items():
            self._up.labels(part).set(_UP[status])

"""Prometheus metrics, in one registry per application."""

import platform

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
    process_collector,
)

from app.domain.context import Source

_SECONDS = (
    0.0005, 0.001, 0.002, 0.003, 0.004, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075,
    0.1, 0.2, 0.35, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0,
)  # fmt: skip
_COUNTS = (0, 1, 2, 5, 10, 20, 35, 50, 75, 100, 150, 250, 500, 1_000)
_TOKENS = (0, 100, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000)
_SHARES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)


class PrometheusTelemetry:
    """Counts what happens; see the help texts for what each metric means."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        process_collector.ProcessCollector(registry=self.registry)
        self._build = self._gauge("build_info", "Always 1.", "version", "python", "model")
        self._requests = self._histogram(
            "request_seconds", "Requests, by route.", _SECONDS, "method", "route", "status"
        )
        self._stages = self._histogram(
            "stage_seconds", "Stages of building a bundle.", _SECONDS, "stage"
        )
        self._found = self._histogram(
            "source_candidates", "Candidates that a source found.", _COUNTS, "source"
        )
        self._missing = self._counter(
            "source_missing", "Answers that a source owed.", "source", "reason"
        )
        self._items = self._histogram("bundle_items", "Memories in a bundle.", _COUNTS)
        self._tokens = self._histogram("bundle_tokens", "Tokens in a bundle.", _TOKENS)
        self._used = self._histogram(
            "bundle_budget_used_ratio", "Share of the budget that is used.", _SHARES
        )
        self._candidates = self._counter("candidates", "Candidates ranked.")
        self._deduplicated = self._counter("deduplicated", "Candidates that said it again.")
        self._cache = self._counter("cache_requests", "Questions to the bundle cache.", "result")
        self._batch = self._histogram("embed_batch_size", "Texts embedded at once.", _COUNTS)
        self._batch_seconds = self._histogram(
            "embed_batch_seconds", "Time to embed a batch.", _SECONDS
        )
        self._indexed = self._counter("indexed_items", "Items brought into the vector index.")
        self._depth = self._gauge("outbox_depth", "Rows that wait to be indexed.")
        self._oldest = self._gauge("outbox_oldest_seconds", "Age of the oldest waiting row.")
        self._dead = self._gauge("outbox_dead", "Rows that were given up.")

    def describe(self, *, version: str, model: str) -> None:
        self._build.labels(version, platform.python_version(), model).set(1)

    def exposition(self) -> bytes:
        """The text that Prometheus scrapes."""
        return generate_latest(self.registry)

    def request_answered(self, method: str, route: str, status: int, seconds: float) -> None:
        self._requests.labels(method, route, str(status)).observe(seconds)

    def source_answered(self, source: Source, found: int) -> None:
        self._found.labels(source).observe(found)

    def source_missing(self, source: Source, reason: str) -> None:
        self._missing.labels(source, reason).inc()

    def stage_done(self, stage: str, seconds: float) -> None:
        self._stages.labels(stage).observe(seconds)

    def bundle_built(
        self, *, items: int, tokens: int, budget: int, deduplicated: int, candidates: int
    ) -> None:
        self._items.observe(items)
        self._tokens.observe(tokens)
        self._used.observe(tokens / budget if budget else 0.0)
        self._candidates.inc(candidates)
        self._deduplicated.inc(deduplicated)

    def cache_asked(self, *, hit: bool) -> None:
        self._cache.labels("hit" if hit else "miss").inc()

    def batch_embedded(self, size: int, seconds: float) -> None:
        self._batch.observe(size)
        self._batch_seconds.observe(seconds)

    def indexed(self, items: int) -> None:
        self._indexed.inc(items)

    def outbox_seen(self, *, depth: int, oldest_age: float, dead: int) -> None:
        self._depth.set(depth)
        self._oldest.set(oldest_age)
        self._dead.set(dead)

    def _counter(self, name: str, documentation: str, *labels: str) -> Counter:
        return Counter(f"foreword_{name}", documentation, labels, registry=self.registry)

    def _gauge(self, name: str, documentation: str, *labels: str) -> Gauge:
        return Gauge(f"foreword_{name}", documentation, labels, registry=self.registry)

    def _histogram(
        self, name: str, documentation: str, buckets: tuple[float, ...], *labels: str
    ) -> Histogram:
        return Histogram(
            f"foreword_{name}", documentation, labels, buckets=buckets, registry=self.registry
        )

"""How well memory does: what was measured of a tenant's contexts."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from app.domain.ids import TenantId
from app.ports import Clock
from app.ports.measuring import Beat, Built, MetricsReader, Span
from app.ports.store import Store
from app.services.operating.figures import Bucket, Figures, figures, read, series

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_BUCKETS = (60, 300, 900, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400)
"""Seconds: what people count time in."""

_MOST_BUCKETS = 60
_MOST_READ = 20_000
"""Contexts; of more, each n-th: percentiles of so many hardly move."""

_AT_ONCE = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What was measured in `span`."""

    span: Span
    built: int
    sampled: int
    """Of these, how many the figures are made of."""
    cached: int
    cached_ms: float
    """The mean time of an answer from the cache."""
    figures: Figures
    buckets: Sequence[Bucket]


@dataclass(frozen=True, slots=True, kw_only=True)
class Meter:
    store: Store
    clock: Clock

    async def measure(self, tenant: TenantId, window: timedelta) -> Measured:
        """The last `window`, from the beginning of the bucket in which it began."""
        span = span_of(window, self.clock())
        async with self.store.read(tenant) as snapshot:
            counts = await snapshot.metrics.built_by_bucket(span)
            beats = await snapshot.metrics.beats(span)
            several = await _sample(snapshot.metrics, span, sum(counts))
        return await asyncio.to_thread(_measured, span, counts, several, beats)


def span_of(window: timedelta, now: datetime) -> Span:
    """In at most 60 buckets (one more where it begins inside of one), up to now included."""
    seconds = window.total_seconds()
    bucket = next((each for each in _BUCKETS if seconds <= each * _MOST_BUCKETS), _BUCKETS[-1])
    begun = int((now - window - _EPOCH).total_seconds()) // bucket
    return Span(
        start=_EPOCH + timedelta(seconds=begun * bucket),
        stop=now + timedelta(microseconds=1),
        bucket=bucket,
    )


async def _sample(metrics: MetricsReader, span: Span, count: int) -> Sequence[Built]:
    """Some at a time: others are answered in between."""
    every = -(-count // _MOST_READ) or 1
    several: list[Built] = []
    after = 0
    while some := await metrics.built(span, every=every, after=after, limit=_AT_ONCE):
        several += some
        after = some[-1].key
    return several


def _measured(
    span: Span, counts: Sequence[int], several: Sequence[Built], beats: Sequence[Beat]
) -> Measured:
    known, cached = read(several), sum(each.cached for each in beats)
    return Measured(
        span=span,
        built=sum(counts),
        sampled=len(known),
        cached=cached,
        cached_ms=sum(each.cached_ms for each in beats) / cached if cached else 0.0,
        figures=figures(known),
        buckets=series(span, known, counts, beats),
    )

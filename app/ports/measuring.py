"""What is measured of retrievals, kept for 30 days without a word of memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from app.domain.ids import TenantId


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """From `start` to `stop` (exclusive), in buckets of `bucket` seconds that begin at `start`."""

    start: datetime
    stop: datetime
    bucket: int

    @property
    def buckets(self) -> int:
        """How many begin in it: the last one may be cut short, to however little."""
        return -((self.start - self.stop) // timedelta(seconds=self.bucket))

    def bucket_of(self, at: datetime) -> int:
        return (at - self.start) // timedelta(seconds=self.bucket)


@dataclass(frozen=True, slots=True, kw_only=True)
class Beat:
    """A minute of a tenant: answers from the cache, and the most that waited for the indexer."""

    tenant: TenantId
    at: datetime
    """When the minute began."""
    cached: int
    cached_ms: float
    """Of all of these answers together."""
    waiting: int
    oldest_s: float
    dead: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A context that was built; `facts` is JSON as `Recorder` stores it."""

    key: int
    at: datetime
    total_ms: float
    facts: str


class MetricsReader(Protocol):
    """The stored metrics of one tenant."""

    async def built_by_bucket(self, span: Span) -> Sequence[int]:
        """How many contexts were built in each bucket."""
        ...

    async def built(self, span: Span, *, every: int, after: int, limit: int) -> Sequence[Built]:
        """Up to `limit` contexts behind the key `after`, ascending: those that `every` divides."""
        ...

    async def beats(self, span: Span) -> Sequence[Beat]:
        """Each bucket in which there was anything, in one beat; counts summed, waiting the most."""
        ...

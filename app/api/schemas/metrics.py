"""What was measured, as it is told."""

from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Annotated, Self

from pydantic import AfterValidator, Field, StringConstraints

from app.api.schemas.fields import Answer
from app.services.operating.measuring import Measured

_UNITS = {"m": 60, "h": 3_600, "d": 86_400}
MOST = timedelta(days=30)


def window_of(text: str) -> timedelta:
    return timedelta(seconds=int(text[:-1]) * _UNITS[text[-1]])


def _in_bounds(text: str) -> str:
    if not timedelta(0) < window_of(text) <= MOST:
        raise ValueError("must be from 1m to 30d")
    return text


Window = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,5}[mhd]$"), AfterValidator(_in_bounds)]
"""Minutes, hours or days: `45m`, `24h`, `30d`."""


class SpreadOut(Answer):
    """Mean and percentiles."""

    mean: float
    p50: float
    p90: float
    p95: float
    p99: float


class TypeOut(Answer):
    contexts: int = Field(description="That hold an item of the type.")
    items: int
    tokens: int
    share: float = Field(description="Of the tokens of all retrieved items.")
    top_score: float = Field(description="The mean of the best of each context.")


class CacheOut(Answer):
    hits: int
    misses: int
    hit_rate: float | None
    mean_ms: float = Field(description="Of an answer from the cache.")


class OutboxOut(Answer):
    waiting: int
    oldest_s: float
    dead: int


class BucketOut(Answer):
    at: datetime
    contexts: int = Field(description="Built, and answered from the cache.")
    hit_rate: float | None
    sufficient_rate: float | None
    top_score: float | None
    latency_ms: SpreadOut | None
    budget_used: float | None
    types: dict[str, int] = Field(description="Tokens of retrieved items, by type.")
    cache: CacheOut
    degraded: int
    outbox: OutboxOut = Field(description="At its fullest.")


class MetricsOut(Answer):
    """Rates and shares in 0 to 1; null where there is nothing to tell of."""

    window: str
    since: datetime
    until: datetime
    bucket_s: int
    contexts: int = Field(description="Built, and answered from the cache.")
    built: int
    sampled: int = Field(description="Contexts that figures other than counts are made of.")
    hit_rate: float | None = Field(description="Built contexts with at least one memory.")
    sufficient_rate: float | None
    top_scores: SpreadOut | None = Field(description="Of the best item of each context.")
    latency_ms: dict[str, SpreadOut] = Field(description="By stage.")
    budget_used: SpreadOut | None
    tokens: SpreadOut | None
    types: dict[str, TypeOut]
    intents: dict[str, int]
    degraded: dict[str, int]
    cache: CacheOut
    buckets: list[BucketOut]

    @classmethod
    def of(cls, window: str, measured: Measured) -> Self:
        told = measured.figures
        return cls.model_validate(
            {
                "window": window,
                "since": measured.span.start,
                "until": measured.span.stop,
                "bucket_s": measured.span.bucket,
                "contexts": measured.built + measured.cached,
                "built": measured.built,
                "sampled": measured.sampled,
                "hit_rate": told.hit_rate,
                "sufficient_rate": told.sufficient_rate,
                "top_scores": told.top_scores or None,
                "latency_ms": told.latency_ms,
                "budget_used": told.budget_used or None,
                "tokens": told.tokens or None,
                "types": {name: asdict(each) for name, each in told.types.items()},
                "intents": told.intents,
                "degraded": told.degraded,
                "cache": _cache(measured.cached, measured.built, measured.cached_ms),
                "buckets": _buckets(measured),
            }
        )


def _buckets(measured: Measured) -> list[dict[str, object]]:
    return [
        {
            "at": each.at,
            "contexts": each.built + each.cached,
            "hit_rate": each.hit_rate,
            "sufficient_rate": each.sufficient_rate,
            "top_score": each.top_score,
            "latency_ms": each.latency_ms or None,
            "budget_used": each.budget_used,
            "types": each.types,
            "cache": _cache(each.cached, each.built, each.cached_ms),
            "degraded": each.degraded,
            "outbox": {"waiting": each.waiting, "oldest_s": each.oldest_s, "dead": each.dead},
        }
        for each in measured.buckets
    ]


def _cache(hits: int, misses: int, mean_ms: float) -> dict[str, object]:
    asked = hits + misses
    rate = round(hits / asked, 4) if asked else None
    return {"hits": hits, "misses": misses, "hit_rate": rate, "mean_ms": round(mean_ms, 3)}

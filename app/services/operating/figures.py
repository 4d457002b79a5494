"""Figures of retrievals: rates, percentiles and series, out of the stored metrics. Pure."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from app.ports.measuring import Beat, Built, Span

_PERCENTILES = (50, 90, 95, 99)


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeFigures:
    """Of one content type: contexts that hold it, its items and tokens, the mean best score."""

    contexts: int
    items: int
    tokens: int
    share: float
    """Of all tokens of retrieved items."""
    top_score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Of some contexts. Rates and shares in 0 to 1; None where there is nothing to tell of."""

    hit_rate: float | None
    """Contexts with at least one memory."""
    sufficient_rate: float | None
    top_scores: Mapping[str, float]
    """Of the best item of each context: mean and percentiles."""
    latency_ms: Mapping[str, Mapping[str, float]]
    """By stage, `total` among them."""
    budget_used: Mapping[str, float]
    """Shares of the budgets: mean and percentiles."""
    tokens: Mapping[str, float]
    types: Mapping[str, TypeFigures]
    intents: Mapping[str, int]
    degraded: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """A stretch of time; the outbox as it was at its fullest."""

    at: datetime
    built: int
    cached: int
    cached_ms: float
    """The mean time of an answer from the cache."""
    hit_rate: float | None
    sufficient_rate: float | None
    top_score: float | None
    latency_ms: Mapping[str, float]
    budget_used: float | None
    types: Mapping[str, int]
    """Tokens of retrieved items, by content type."""
    degraded: int
    waiting: int
    oldest_s: float
    dead: int


Read = tuple[Built, Mapping[str, Any]]


def read(several: Sequence[Built]) -> Sequence[Read]:
    """Each with its facts parsed."""
    return [(each, json.loads(each.facts)) for each in several]


def figures(several: Sequence[Read]) -> Figures:
    facts = [each for _, each in several]
    return Figures(
        hit_rate=_mean(bool(each["items"]) for each in facts),
        sufficient_rate=_mean(bool(each["sufficient"]) for each in facts),
        top_scores=_spread(each["top_scores"][0] for each in facts if each["top_scores"]),
        latency_ms=_latencies(several),
        budget_used=_spread(_used(each) for each in facts),
        tokens=_spread(each["tokens"] for each in facts),
        types=_types(facts),
        intents=_counted(each["intent"] for each in facts),
        degraded=_counted(name for each in facts for name in each["degraded"]),
    )


def series(
    span: Span, several: Sequence[Read], built: Sequence[int], beats: Sequence[Beat]
) -> Sequence[Bucket]:
    """Every bucket of `span`, empty ones too; `built` counts by bucket, `several` may be fewer."""
    inside: defaultdict[int, list[Read]] = defaultdict(list)
    for each in several:
        inside[span.bucket_of(each[0].at)].append(each)
    by_bucket = {span.bucket_of(each.at): each for each in beats}
    return [
        _bucket(span, at, count, inside[at], by_bucket.get(at)) for at, count in enumerate(built)
    ]


def _bucket(span: Span, at: int, built: int, several: Sequence[Read], beat: Beat | None) -> Bucket:
    facts = [each for _, each in several]
    return Bucket(
        at=span.start + timedelta(seconds=at * span.bucket),
        built=built,
        cached=beat.cached if beat else 0,
        cached_ms=beat.cached_ms / beat.cached if beat and beat.cached else 0.0,
        hit_rate=_mean(bool(each["items"]) for each in facts),
        sufficient_rate=_mean(bool(each["sufficient"]) for each in facts),
        top_score=_mean(each["top_scores"][0] for each in facts if each["top_scores"]),
        latency_ms=_spread(each.total_ms for each, _ in several),
        budget_used=_mean(_used(each) for each in facts),
        types={name: each.tokens for name, each in _types(facts).items()},
        degraded=sum(bool(each["degraded"]) for each in facts),
        waiting=beat.waiting if beat else 0,
        oldest_s=round(beat.oldest_s, 3) if beat else 0.0,
        dead=beat.dead if beat else 0,
    )


def _used(facts: Mapping[str, Any]) -> float:
    return float(facts["tokens"] / facts["budget"]) if facts["budget"] else 0.0


def _latencies(several: Sequence[Read]) -> Mapping[str, Mapping[str, float]]:
    by_stage: defaultdict[str, list[float]] = defaultdict(list)
    for _, facts in several:
        for stage, ms in facts["ms"].items():
            by_stage[stage].append(ms)
    return {stage: _spread(by_stage[stage]) for stage in sorted(by_stage)}


def _types(facts: Iterable[Mapping[str, Any]]) -> Mapping[str, TypeFigures]:
    found: defaultdict[str, list[tuple[int, int, float]]] = defaultdict(list)
    for each in facts:
        for name, shown in each["types"].items():
            found[name].append(shown)
    tokens = {name: sum(each[1] for each in shown) for name, shown in found.items()}
    total = sum(tokens.values())
    return {
        name: TypeFigures(
            contexts=len(shown),
            items=sum(each[0] for each in shown),
            tokens=tokens[name],
            share=_rounded(tokens[name] / total) if total else 0.0,
            top_score=_rounded(float(np.mean([each[2] for each in shown]))),
        )
        for name, shown in sorted(found.items())
    }


def _counted(names: Iterable[str]) -> Mapping[str, int]:
    return dict(sorted(Counter(names).items()))


def _mean(values: Iterable[float]) -> float | None:
    kept = [float(each) for each in values]
    return _rounded(float(np.mean(kept))) if kept else None


def _spread(values: Iterable[float]) -> Mapping[str, float]:
    """Mean and percentiles, linear between neighbours; empty for nothing."""
    kept = np.array(list(values), dtype=np.float64)
    if not kept.size:
        return {}
    percentiles = np.percentile(kept, _PERCENTILES)
    told = {
        f"p{name}": _rounded(value) for name, value in zip(_PERCENTILES, percentiles, strict=True)
    }
    return {"mean": _rounded(float(kept.mean())), **told}


def _rounded(value: float) -> float:
    return round(float(value), 4)

"""From a pool to candidates in order: score, floor, duplicates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.context import Candidate, Dropped, Source, Weights
from app.domain.ids import ItemKey
from app.ranking.dedup import duplicates
from app.ranking.pool import Pool, QueryView, Recalled
from app.ranking.relevance import relevance
from app.ranking.scoring import final_scores, recency


@dataclass(frozen=True, slots=True, kw_only=True)
class Taste:
    """What a request asks of ranking. `now` in seconds since 1970."""

    weights: Weights
    preferred_labels: frozenset[str]
    floor: float
    min_score: float | None
    now: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """An item of a pool with its score; few of them become candidates of an answer."""

    recalled: Recalled
    score: float
    relevance: float
    sources: frozenset[Source]
    signals: Mapping[str, float]

    @property
    def pinned(self) -> bool:
        return Source.PINNED in self.sources

    def candidate(self) -> Candidate:
        return Candidate(
            item=self.recalled.read(),
            score=self.score,
            relevance=self.relevance,
            sources=self.sources,
            signals=self.signals,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """What was found, best first, and what fell out on the way."""

    scored: Sequence[Scored] = ()
    dropped: Sequence[Dropped] = ()
    deduplicated: int = 0
    good: int = 0
    """Items above the floor: one is sufficient, few are a reason to search further."""


def rank(
    query: QueryView, pool: Pool, sources: Mapping[ItemKey, frozenset[Source]], taste: Taste
) -> Ranked:
    """
    Score the pool and keep, best first, what is good enough and not said before.

    Pinned items pass the floor and `min_score`. Ties are broken by key, newest first.
    """
    everything = _scored(query, pool, sources, taste)
    keys = np.array([each.key for each in pool.recalled], dtype=np.int64)
    scores = np.array([each.score for each in everything], dtype=np.float32)
    order = np.lexsort((-keys, -scores))
    hashes = [each.content_hash for each in pool.recalled]
    repeated = duplicates(order, hashes, pool.vectors)
    kept: list[Scored] = []
    dropped: list[Dropped] = []
    for at in order:
        each = everything[at]
        reason = "duplicate" if repeated[at] else _shortfall(each, taste)
        if reason:
            dropped.append(Dropped(id=each.recalled.id, reason=reason))
        else:
            kept.append(each)
    return Ranked(
        scored=kept,
        dropped=dropped,
        deduplicated=int(repeated.sum()),
        good=sum(each.relevance >= taste.floor for each in kept),
    )


def _scored(
    query: QueryView, pool: Pool, sources: Mapping[ItemKey, frozenset[Source]], taste: Taste
) -> list[Scored]:
    parts = relevance(query, pool)
    fresh = recency(pool.created_at, now=taste.now)
    importance = pool.importance
    preferred = [each.label in taste.preferred_labels for each in pool.recalled]
    scores = final_scores(
        relevance=parts.score,
        recency=fresh,
        importance=importance,
        preferred=np.array(preferred, dtype=np.bool_),
        weights=taste.weights,
    )
    named = {
        "semantic": parts.semantic,
        "lexical": parts.lexical,
        "relevance": parts.score,
        "recency": fresh,
        "importance": importance / 10.0,
    }
    rows = np.column_stack(list(named.values())).tolist()
    return [
        Scored(
            recalled=each,
            score=score,
            relevance=signals[2],
            sources=sources[each.key],
            signals=dict(zip(named, signals, strict=True)),
        )
        for each, score, signals in zip(pool.recalled, scores.tolist(), rows, strict=True)
    ]


def _shortfall(scored: Scored, taste: Taste) -> str | None:
    if scored.pinned:
        return None
    if scored.relevance < taste.floor:
        return "below the floor"
    if taste.min_score is not None and scored.score < taste.min_score:
        return "below min_score"
    return None

"""From a pool to candidates in order: score, floor, duplicates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.domain.context import Candidate, Dropped, Source, Weights
from app.domain.ids import ItemKey
from app.ranking.dedup import duplicates
from app.ranking.pool import Pool, QueryView
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
class Ranked:
    """Candidates, best first, and what fell out on the way."""

    candidates: Sequence[Candidate] = ()
    dropped: Sequence[Dropped] = ()
    deduplicated: int = 0
    good: Sequence[Candidate] = ()
    """Those above the floor: one is sufficient, few are a reason to search further."""

    @property
    def sufficient(self) -> bool:
        return bool(self.good)


def rank(
    query: QueryView, pool: Pool, sources: Mapping[ItemKey, frozenset[Source]], taste: Taste
) -> Ranked:
    """
    Score the pool and keep, best first, what is good enough and not said before.

    Pinned items pass the floor and `min_score`. Ties are broken by key, newest first.
    """
    parts = relevance(query, pool)
    fresh = recency(pool.created_at, now=taste.now)
    preferred = np.array([item.label in taste.preferred_labels for item in pool.items], np.bool_)
    scores = final_scores(
        relevance=parts.score,
        recency=fresh,
        importance=pool.importance,
        preferred=preferred,
        weights=taste.weights,
    )
    candidates = [
        Candidate(
            item=item,
            score=float(scores[at]),
            relevance=float(parts.score[at]),
            sources=sources[item.key],
            signals={
                "semantic": float(parts.semantic[at]),
                "lexical": float(parts.lexical[at]),
                "recency": float(fresh[at]),
                "importance": item.importance / 10.0,
                "relevance": float(parts.score[at]),
            },
        )
        for at, item in enumerate(pool.items)
    ]
    order = np.array(
        sorted(range(len(candidates)), key=lambda at: _best_first(candidates[at])), dtype=np.intp
    )
    return _kept(candidates, order, pool, taste)


def _best_first(candidate: Candidate) -> tuple[float, int]:
    return -candidate.score, -candidate.item.key


def _kept(
    candidates: Sequence[Candidate], order: NDArray[np.intp], pool: Pool, taste: Taste
) -> Ranked:
    hashes = [candidate.item.content_hash for candidate in candidates]
    repeated = duplicates(order, hashes, pool.vectors)
    kept: list[Candidate] = []
    dropped: list[Dropped] = []
    for at in order:
        candidate = candidates[at]
        reason = "duplicate" if repeated[at] else _shortfall(candidate, taste)
        if reason:
            dropped.append(Dropped(id=candidate.item.id, reason=reason))
        else:
            kept.append(candidate)
    return Ranked(
        candidates=kept,
        dropped=dropped,
        deduplicated=int(repeated.sum()),
        good=[each for each in kept if each.relevance >= taste.floor],
    )


def _shortfall(candidate: Candidate, taste: Taste) -> str | None:
    if candidate.pinned:
        return None
    if candidate.relevance < taste.floor:
        return "below the floor"
    if taste.min_score is not None and candidate.score < taste.min_score:
        return "below min_score"
    return None

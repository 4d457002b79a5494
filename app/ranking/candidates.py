"""From a pool to candidates in order: score, floor, duplicates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.domain.context import Candidate, Source, Weights
from app.domain.ids import ItemKey
from app.ranking import Floats
from app.ranking.dedup import duplicates
from app.ranking.model import RelevanceModel
from app.ranking.pool import Pool, QueryView, Recalled
from app.ranking.relevance import relevance
from app.ranking.scoring import final_scores, recency
from app.ranking.timing import TIME_SHARE, time_match


@dataclass(frozen=True, slots=True, kw_only=True)
class Taste:
    """
    What a request asks of ranking. `now` in seconds since 1970.

    Below the relevance `floor` nothing is let in; from `sufficient` on an item is a likely answer.
    """

    weights: Weights
    preferred_labels: frozenset[str]
    floor: float
    sufficient: float
    min_score: float | None
    now: float
    explain: bool = False
    """Whether signals tell every feature and what it added."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """
    A pool in order. Items are known by their index in it; few of them become candidates.

    `order` are those that may go into an answer, best first; `dropped` those that may not, with
    the reason; `good` counts the items in `order` above the floor: few are a reason to search
    further; `sufficient` tells that a likely answer is among them. `signals` by name, each of
    shape (n,), as `score` and `relevance`.
    """

    recalled: Recalled
    sources: Mapping[ItemKey, frozenset[Source]]
    score: Floats
    relevance: Floats
    signals: Mapping[str, Floats]
    order: Sequence[int]
    dropped: Sequence[tuple[int, str]]
    deduplicated: int
    good: int
    sufficient: bool

    def pinned(self, at: int) -> bool:
        return Source.PINNED in self.sources[self.recalled.keys[at]]

    def candidate(self, at: int) -> Candidate:
        return Candidate(
            item=self.recalled.read(at),
            score=float(self.score[at]),
            relevance=float(self.relevance[at]),
            sources=self.sources[self.recalled.keys[at]],
            signals={name: float(values[at]) for name, values in self.signals.items()},
        )


def rank(
    query: QueryView,
    pool: Pool,
    sources: Mapping[ItemKey, frozenset[Source]],
    taste: Taste,
    model: RelevanceModel | None = None,
) -> Ranked:
    """
    Score the pool and keep, best first, what is good enough and not said before.

    Pinned items pass the floor and `min_score`. What was said at a time that the query speaks of
    is preferred; that lifts nothing over the floor. Ties are broken by key, newest first.
    """
    recalled = pool.recalled
    parts = relevance(query, pool, model, explain=taste.explain)
    created_at = np.array(recalled.created_at, dtype=np.float64)
    fresh = recency(created_at, now=taste.now)
    timely = time_match(created_at, query.intervals)
    importance = np.array(recalled.importance, dtype=np.float32)
    preferred = [label in taste.preferred_labels for label in recalled.labels]
    score = final_scores(
        relevance=np.minimum(parts.score + TIME_SHARE * timely, np.float32(1.0)),
        recency=fresh,
        importance=importance,
        preferred=np.array(preferred, dtype=np.bool_),
        weights=taste.weights,
    )
    signals = {
        "semantic": parts.semantic,
        "lexical": parts.lexical,
        "relevance": parts.score,
        "time": timely,
        "recency": fresh,
        "importance": importance / np.float32(10.0),
        **parts.features,
    }
    return _cut(pool, sources, taste, score, signals)


def _cut(
    pool: Pool,
    sources: Mapping[ItemKey, frozenset[Source]],
    taste: Taste,
    score: Floats,
    signals: Mapping[str, Floats],
) -> Ranked:
    """Order what was scored and leave out what is not good enough or said before."""
    recalled, relevant = pool.recalled, signals["relevance"]
    pinned = np.array([Source.PINNED in sources[key] for key in recalled.keys], dtype=np.bool_)
    keys = np.array(recalled.keys, dtype=np.int64)
    order = np.lexsort((-keys, -score))
    off_topic = (relevant < taste.floor) & ~pinned
    too_low = (score < (-np.inf if taste.min_score is None else taste.min_score)) & ~pinned
    passing = ~(off_topic | too_low)
    # What falls out hides nothing that stays, and nothing hides what is pinned.
    pinned_first = np.lexsort((-keys, -score, ~pinned))
    repeated = duplicates(pinned_first[passing[pinned_first]], recalled.hashes, pool.vectors)
    reasons = {"below the floor": off_topic, "below min_score": too_low, "duplicate": repeated}
    kept = passing & ~repeated
    return Ranked(
        recalled=recalled,
        sources=sources,
        score=score,
        relevance=relevant,
        signals=signals,
        order=order[kept[order]].tolist(),
        dropped=_dropped(order[~kept[order]].tolist(), reasons),
        deduplicated=int(repeated.sum()),
        good=int((kept & (relevant >= taste.floor)).sum()),
        sufficient=bool((kept & (relevant >= taste.sufficient)).any()),
    )


def _dropped(
    order: Sequence[int], reasons: Mapping[str, NDArray[np.bool_]]
) -> Sequence[tuple[int, str]]:
    """Each index with the first reason that holds for it."""
    return [(at, next(name for name, holds in reasons.items() if holds[at])) for at in order]


_NO_SCORES = np.zeros(0, dtype=np.float32)

NOTHING = Ranked(
    recalled=Recalled.nothing(),
    sources={},
    score=_NO_SCORES,
    relevance=_NO_SCORES,
    signals={},
    order=(),
    dropped=(),
    deduplicated=0,
    good=0,
    sufficient=False,
)
"""What is found where nothing was ever said."""

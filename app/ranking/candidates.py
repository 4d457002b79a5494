"""From a pool to candidates in order: score, floor, duplicates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from app.domain.context import Source, Weights
from app.domain.ids import ItemKey
from app.ranking import Floats
from app.ranking.dedup import repeated, saying
from app.ranking.lifting import Ties, lifted
from app.ranking.pool import Pool, Recalled
from app.ranking.query import QueryView
from app.ranking.ranked import BELOW_FLOOR, Ranked
from app.ranking.relevance import Relevance
from app.ranking.scoring import final_scores, leaning, recency
from app.ranking.timing import elsewhere, fitting
from app.text.intervals import Interval


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


@np.errstate(invalid="ignore")
def rank(
    query: QueryView,
    pool: Pool,
    sources: Mapping[ItemKey, frozenset[Source]],
    taste: Taste,
    judged: Relevance,
    ties: Ties | None = None,
) -> Ranked:
    """
    Score the pool, whose relevance is `judged`, and keep, best first, what is good enough and not
    said before.

    What is no message ages from when it was last part of an answer, and hides no message that says
    the same. Pinned items pass the floor and `min_score`. What tells of the time that an overview
    asks for, and facts that are asked for, pass the floor and are likely answers; beside what tells
    of that time, what was said at another needs a word of the overview. What was said at a time
    that the query speaks of is preferred, and so is code where it asks for that, and what `ties`
    tell to be near; that lifts nothing over the floor. Ties are broken by key, newest first.
    """
    relevant = judged.score * judged.standing
    asked = _asked_for(query, pool)
    more, lifts = lifted(relevant, query, pool.recalled, ties, asked)
    score, merits = scored(pool.recalled, more, taste, query.intervals, judged.standing)
    signals = {
        "semantic": judged.semantic,
        "lexical": judged.lexical,
        **merits,
        "relevance": relevant,
        "on_topic": np.where(_off_time(query, pool, judged, asked), np.float32(0), judged.score),
        **lifts,
        **judged.features,
    }
    worth = dict(zip(query.terms, query.idf.tolist(), strict=True))
    if asked.any():
        told_as = ("portrait" if query.facts.names else "answers") if query.facts else "period"
        signals[told_as] = np.where(asked, np.float32(1.0), np.float32(np.nan))
    return replace(_cut(pool, sources, taste, score, signals, asked), worth=worth)


def _asked_for(query: QueryView, pool: Pool) -> NDArray[np.bool_]:
    """
    True for what tells of a time for which the query asks as a whole, shape (n,): what sums it up,
    or where nothing does what was said then; or for the facts that are asked for, and the messages
    that say the same.
    """
    recalled = pool.recalled
    if query.facts:
        told = recalled.telling(query.facts)
        return told | saying(pool, told) if told.any() else told
    if not query.overview:
        return np.zeros(len(recalled), dtype=np.bool_)
    summed_up = recalled.summing_up(query.periods)
    return summed_up if summed_up.any() else recalled.said_in(query.moments)


def _off_time(
    query: QueryView, pool: Pool, judged: Relevance, asked: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """True for what an overview does not ask for: said at another time, without a word of it."""
    if not (query.overview and asked.any()):
        return np.zeros(len(asked), dtype=np.bool_)
    created_at = np.array(pool.recalled.created_at, dtype=np.float64)
    return elsewhere(created_at, query.intervals) & (judged.lexical <= 0) & ~asked


_EQUALS = np.float32(1)
"""What each of several counts that are not told apart."""


def scored(
    recalled: Recalled,
    relevance: Floats,
    taste: Taste,
    asked: Sequence[Interval] = (),
    standing: Floats | np.float32 = _EQUALS,
) -> tuple[Floats, Mapping[str, Floats]]:
    """
    The scores of items of this relevance, and the signals that they are made of.

    Being fresh is a merit so far as an item counts beside the best (`standing`), or what is fresh
    stood before what answers; where a time is `asked` for, so far as an item fits it. Who asks for
    recency more than for relevance gets more of it, and who asks for it alone gets all.
    """
    created_at = np.array(recalled.created_at, dtype=np.float64)
    fresh = freshness(recalled, now=taste.now)
    if asked:
        fresh = fitting(fresh, created_at, asked)
    else:
        fresh = fresh * standing ** leaning(taste.weights)
    importance = np.array(recalled.importance, dtype=np.float32)
    preferred = [label in taste.preferred_labels for label in recalled.labels]
    score = final_scores(
        relevance=relevance,
        recency=fresh,
        importance=importance,
        preferred=np.array(preferred, dtype=np.bool_),
        weights=taste.weights,
    )
    told = {"relevance": relevance, "recency": fresh, "importance": importance / np.float32(10.0)}
    return score, told


def _cut(
    pool: Pool,
    sources: Mapping[ItemKey, frozenset[Source]],
    taste: Taste,
    score: Floats,
    signals: Mapping[str, Floats],
    asked: NDArray[np.bool_],
) -> Ranked:
    """Order what was scored and leave out what is not good enough or said before."""
    recalled, relevant = pool.recalled, signals["on_topic"]
    pinned = np.array([Source.PINNED in sources[key] for key in recalled.keys], dtype=np.bool_)
    keys = np.array(recalled.keys, dtype=np.int64)
    order = np.lexsort((-keys, -score))
    off_topic = (relevant < taste.floor) & ~pinned & ~asked
    too_low = (score < (-np.inf if taste.min_score is None else taste.min_score)) & ~pinned
    passing = ~(off_topic | too_low)
    # What falls out hides nothing that stays, nothing hides what is pinned, and what retells a
    # message gives way to it, however good it is, and to what retells it and is asked for.
    retelling = recalled.retelling
    pinned_first = np.lexsort((-keys, -score, ~asked, retelling, ~pinned))
    in_order = pinned_first[passing[pinned_first]]
    again = repeated(pool, in_order, quotable=passing & ~pinned)
    reasons = {BELOW_FLOOR: off_topic, "below min_score": too_low, "duplicate": again}
    kept = passing & ~again
    found = np.array([not sources[key] <= _UNSOUGHT for key in recalled.keys], dtype=np.bool_)
    return Ranked(
        recalled=recalled,
        sources=sources,
        score=score,
        relevance=signals["relevance"],
        signals=signals,
        order=order[kept[order]].tolist(),
        dropped=_dropped(order[~kept[order]].tolist(), reasons),
        deduplicated=int(again.sum()),
        good=int((kept & found & (relevant >= taste.floor)).sum()),
        sufficient=bool((kept & ((relevant >= taste.sufficient) | asked)).any()),
        worth={},
        asked=frozenset(recalled.keys[at] for at in np.flatnonzero(asked & kept).tolist()),
    )


_UNSOUGHT = frozenset({Source.PINNED, Source.EPISODIC})
"""What found an item without a look at what it says."""


def freshness(recalled: Recalled, *, now: float) -> Floats:
    """
    The recency of each item, from when it was said or, after that, shown; shape (n,).

    What was shown later than `now` was not shown yet.
    """
    created_at = np.array(recalled.created_at, dtype=np.float64)
    if any(recalled.shown_at):
        shown = np.array(recalled.shown_at, dtype=np.float64)  # None becomes NaN
        created_at = np.where(shown <= now, np.fmax(created_at, shown), created_at)
    return recency(created_at, now=now)


def _dropped(
    order: Sequence[int], reasons: Mapping[str, NDArray[np.bool_]]
) -> Sequence[tuple[int, str]]:
    """Each index with the first reason that holds for it."""
    return [(at, next(name for name, holds in reasons.items() if holds[at])) for at in order]

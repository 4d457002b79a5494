"""From a pool to candidates in order: score, floor, duplicates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from app.domain.context import Source, Weights
from app.domain.ids import ItemKey
from app.domain.memory import ItemType
from app.ranking import Floats
from app.ranking.dated import dated
from app.ranking.dedup import repeated, saying
from app.ranking.lifting import Ties, lifted
from app.ranking.likely import idle, on_topic, small_talk
from app.ranking.pool import Pool, Recalled
from app.ranking.query import QueryView
from app.ranking.ranked import BELOW_FLOOR, REPEATED, Ranked
from app.ranking.relevance import Relevance
from app.ranking.running import outdone, said_in, told_once
from app.ranking.scoring import PREFERRED, final_scores, leaning, merit_of_being_fresh, recency
from app.ranking.superseding import changes_in, in_their_places
from app.ranking.timing import fitting
from app.text.intervals import Interval

NEGLIGIBLE, LITTLE = np.float32(0.003), np.float32(0.3)
"""
A relevance, with what lifts it, below which what says little of the words of the query only fills,
and how little beside what says most.
"""

_EQUALS = np.float32(1)
"""What each of several counts that are not told apart."""


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

    @property
    def is_choosy(self) -> bool:
        """Whether relevance counts at all, and no less than recency, and not everything goes in."""
        return self.floor > 0 and self.weights.relevance > 0 and leaning(self.weights) >= 1


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
    that the query speaks of is preferred, and so is code where it asks for that, what is of the
    conversation that goes on, and what `ties` tell to be near; that lifts nothing over the floor.
    Of a past time that is named the best comes in, if nothing of it is a likely answer. Where the
    running conversation has enough of these, what is worth less elsewhere stays out.
    """
    relevant = judged.score * judged.standing
    asked, small = _asked_for(query, pool, relevant >= taste.floor)
    nothing, part = idle(query, pool, relevant >= taste.floor, asked, small)
    more, lifts = lifted(part * relevant, query, pool, ties, asked)
    topical = on_topic(query, pool, judged, asked, nothing, taste.sufficient)
    score, merits = scored(pool.recalled, more, taste, query.intervals, merit_of_being_fresh(more))
    changes = changes_in(query, pool, judged, more, topical >= taste.floor, nothing)
    moved, changed = in_their_places(score, changes)
    lift, score = more - relevant + _as_relevance(moved - score, pool.recalled, taste), moved
    signals = {"semantic": judged.semantic, "lexical": judged.lexical, **merits}
    signals |= {"relevance": relevant, "on_topic": topical, **lifts, **changed, **judged.features}
    signals |= _told_as(query, asked) | _told_of(nothing, lift)
    likely = np.minimum(relevant, topical) >= taste.sufficient
    then = dated(query, pool.recalled, more, likely, now=taste.now)
    then = np.logical_or.reduce([then, *(told == 1 for told in changed.values())])
    filling = (more < NEGLIGIBLE) & (judged.lexical < LITTLE) & taste.is_choosy & ~then
    better = _outdone(query, pool, more, likely)
    marked = _Marked(asked=asked, dated=then, outdone=better, filling=filling)
    return replace(_cut(pool, sources, taste, score, signals, marked), worth=query.worth)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Marked:
    """
    True for what is asked for as a whole; for what else was said at the time that is named, or
    tells of a change; for what the running conversation has better; for what is next to nothing
    beside the best.
    """

    asked: NDArray[np.bool_]
    dated: NDArray[np.bool_]
    outdone: NDArray[np.bool_]
    filling: NDArray[np.bool_]


def _asked_for(
    query: QueryView, pool: Pool, passing: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """True for what is asked for as a whole, and for small talk, which never is; (n,) each."""
    asked = _told_of_it(query, pool)
    small = small_talk(query, pool, passing | asked)
    return asked & ~small, small


def _told_of_it(query: QueryView, pool: Pool) -> NDArray[np.bool_]:
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


def _told_as(query: QueryView, asked: NDArray[np.bool_]) -> dict[str, Floats]:
    """The signal that says what is asked for as a whole, shape (n,), if anything is."""
    if not asked.any():
        return {}
    name = ("portrait" if query.facts.names else "answers") if query.facts else "period"
    return {name: np.where(asked, np.float32(1.0), np.float32(np.nan))}


def _told_of(nothing: NDArray[np.bool_], lift: Floats) -> dict[str, Floats]:
    """The signals of what answers `nothing`, and of what else each counts, if there are any."""
    told = {"lift": lift} if lift.any() else {}
    if nothing.any():
        told["idle"] = np.where(nothing, np.float32(1.0), np.float32(np.nan))
    return told


def _outdone(
    query: QueryView, pool: Pool, worth: Floats, likely: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """True for what was said elsewhere where the running conversation has enough that is better."""
    recalled, here = pool.recalled, said_in(query.running, pool.recalled)
    return outdone(worth, told_once(likely & here & ~recalled.retelling, worth, recalled), here)


def scored(
    recalled: Recalled,
    relevance: Floats,
    taste: Taste,
    asked: Sequence[Interval] = (),
    merit: Floats | np.float32 = _EQUALS,
) -> tuple[Floats, Mapping[str, Floats]]:
    """
    The scores of items of this relevance, and the signals that they are made of.

    Being fresh counts so far as it is a `merit`, or what is fresh stood before what answers; being
    shown makes only likely answers fresh. Where a time is `asked` for, it counts so far as an item
    fits it. Who asks for recency more than for relevance gets more of it, and who asks for it alone
    gets all.
    """
    created_at = np.array(recalled.created_at, dtype=np.float64)
    fresh = freshness(recalled, now=taste.now, answering=relevance >= taste.sufficient)
    leant = leaning(taste.weights)
    fresh = fitting(fresh, created_at, asked) if asked else fresh * merit**leant
    importance = np.array(recalled.importance, dtype=np.float32)
    score = final_scores(
        relevance=relevance,
        recency=fresh,
        importance=importance,
        preferred=_preferred(recalled, taste),
        weights=taste.weights,
    )
    told = {"relevance": relevance, "recency": fresh, "importance": importance / np.float32(10.0)}
    return score, told


def _preferred(recalled: Recalled, taste: Taste) -> NDArray[np.bool_]:
    return np.array([label in taste.preferred_labels for label in recalled.labels], dtype=np.bool_)


def _as_relevance(more: Floats, recalled: Recalled, taste: Taste) -> Floats:
    """What so much more of a score would be of relevance, shape (n,), if that counts."""
    if not (taste.weights.relevance and more.any()):
        return np.zeros_like(more)
    preferred = np.where(_preferred(recalled, taste), PREFERRED, 1.0)
    return np.asarray(more / (taste.weights.relevance * preferred), dtype=np.float32)


def _cut(
    pool: Pool,
    sources: Mapping[ItemKey, frozenset[Source]],
    taste: Taste,
    score: Floats,
    signals: Mapping[str, Floats],
    marked: _Marked,
) -> Ranked:
    """Order what was scored and leave out what is not good enough or said before."""
    recalled, relevant, asked = pool.recalled, signals["on_topic"], marked.asked
    pinned = np.array([Source.PINNED in sources[key] for key in recalled.keys], dtype=np.bool_)
    keys = np.array(recalled.keys, dtype=np.int64)
    order = np.lexsort((-keys, -score))
    may_fall = ~(pinned | asked)
    lowest = -np.inf if taste.min_score is None else taste.min_score
    reasons = {
        BELOW_FLOOR: (relevant < taste.floor) & may_fall & ~marked.dated,
        "below min_score": (score < lowest) & ~pinned,
        "better in the running conversation": marked.outdone & may_fall,
        "nothing beside the best": marked.filling & may_fall,
    }
    passing = ~np.any(list(reasons.values()), axis=0)
    again = said_again(pool, order[passing[order]], pinned, asked)
    reasons[REPEATED] = again
    kept = passing & ~again
    return Ranked(
        recalled=recalled,
        sources=sources,
        score=score,
        relevance=signals["relevance"],
        signals=signals,
        order=order[kept[order]].tolist(),
        dropped=_dropped(order[~kept[order]].tolist(), reasons),
        deduplicated=int(again.sum()),
        sufficient=bool((kept & ((relevant >= taste.sufficient) | asked)).any()),
        worth={},
        asked=frozenset(recalled.keys[at] for at in np.flatnonzero(asked & kept).tolist()),
    )


def said_again(
    pool: Pool, order: NDArray[np.intp], pinned: NDArray[np.bool_], asked: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """
    True for what says what another of those in `order` says, shape (n,).

    What falls out hides nothing that stays, nothing hides what is pinned, and what retells a
    message gives way to it, however good it is, and to what retells it and is asked for.
    """
    retelling, staying = pool.recalled.retelling[order], pinned[order]
    first = order[np.lexsort((~asked[order], retelling, ~staying))]
    quotable = np.zeros(len(pinned), dtype=np.bool_)
    quotable[order] = ~staying
    return repeated(pool, first, quotable=quotable)


def freshness(
    recalled: Recalled, *, now: float, answering: NDArray[np.bool_] | None = None
) -> Floats:
    """
    The recency of each item, from when it was said or, after that, shown; shape (n,).

    What was shown later than `now` was not shown yet. To be shown makes only fresh what is
    `answering`, where that is told: what came in behind an answer would else come in ever more.
    Documents are of everybody: to be shown to one makes them fresh for nobody.
    """
    created_at = np.array(recalled.created_at, dtype=np.float64)
    if any(recalled.shown_at):
        shown = np.array(recalled.shown_at, dtype=np.float64)  # None becomes NaN
        own = np.array([each is not ItemType.DOCUMENT for each in recalled.types], dtype=np.bool_)
        counts = own & (shown <= now)
        if answering is not None:
            counts &= answering
        created_at = np.where(counts, np.fmax(created_at, shown), created_at)
    return recency(created_at, now=now)


def _dropped(
    order: Sequence[int], reasons: Mapping[str, NDArray[np.bool_]]
) -> Sequence[tuple[int, str]]:
    """Each index with the first reason that holds for it."""
    return [(at, next(name for name, holds in reasons.items() if holds[at])) for at in order]

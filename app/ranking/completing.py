"""What completes what was found: the reply to a question, the question before an answer."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.domain.context import Source
from app.domain.ids import MessageKey
from app.ranking import Floats
from app.ranking.dedup import SAME
from app.ranking.neighbours import Neighbours
from app.ranking.pool import Recalled, unpacked
from app.ranking.ranked import BELOW_FLOOR, Ranked, lengthened
from app.text.requesting import requests
from app.text.wording import asks

LOOKED_AT = 3
"""Items, best first, that are completed."""

BEHIND = 4
"""
A reply to the question at place k is worth as much as what stands at place 4k, and comes in there.
(LoCoMo: 7.5 % of the replies to the best item hold evidence when nothing else found them, 2.4 % of
those to the two behind it; so do 6.3 % of the items at places 4 and 5, 2.3 % of those at 6 to 10.)
"""

_LAST = 0.9
"""What comes in behind all others has this share of the score of the last."""

Spot = tuple[int, int]
"""A conversation, and a position in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Companion:
    """A message that may complete the item at `place` (from 1 on): a reply, else a question."""

    message: MessageKey
    place: int
    reply: bool


def companions(ranked: Ranked, neighbours: Neighbours, *, roomy: bool) -> Sequence[Companion]:
    """
    What to read to complete the best items of an answer that is one.

    A question wants its reply. Anything else may want the question before it, which says little by
    itself: only where there is room for more than was found. What was found and let in is there.
    """
    if not ranked.sufficient:
        return []
    recalled = ranked.recalled
    wanted: dict[Spot, tuple[int, bool]] = {}
    for place, at in enumerate(ranked.order[:LOOKED_AT], 1):
        reply = _wants_reply(recalled.contents[at])
        if reply and not recalled.kinds[at]:
            wanted.setdefault(_spot(recalled, at, 1), (place, reply))
        elif roomy and not reply:
            wanted.setdefault(_spot(recalled, at, -1), (place, reply))
    standing = _standing(ranked, neighbours) if wanted else {}
    return [
        Companion(message=standing[spot], place=place, reply=reply)
        for spot, (place, reply) in wanted.items()
        if spot in standing
    ]


def _spot(recalled: Recalled, at: int, offset: int) -> Spot:
    return recalled.conversations[at], recalled.positions[at] + offset


def _standing(ranked: Ranked, neighbours: Neighbours) -> Mapping[Spot, MessageKey]:
    """The messages of which nothing was let in, by where they stand."""
    spots = zip(neighbours.conversations, neighbours.positions, strict=True)
    standing = dict(zip(spots, neighbours.keys, strict=True))
    recalled = ranked.recalled
    low = {at for at, reason in ranked.dropped if reason == BELOW_FLOOR}
    said = [at for at in low if recalled.messages[at] > 0]  # the parts of a document are not
    standing |= {_spot(recalled, at, 0): recalled.messages[at] for at in said}
    for at in {*range(len(recalled))} - low:
        standing.pop(_spot(recalled, at, 0), None)
    return standing


def fitting(ranked: Ranked, read: Recalled, wanted: Sequence[Companion]) -> Recalled:
    """
    Those of what was read that complete their item: said by another, and not said already.

    What has chunks is too long to come in beside.
    """
    of = {each.message: each for each in wanted}
    said = _said(ranked, read)
    return read.only(
        [
            at
            for at, message in enumerate(read.messages)
            if not (read.pieces[at] or said[at]) and _completes(ranked, of[message], read, at)
        ]
    )


def _completes(ranked: Ranked, wanted: Companion, read: Recalled, at: int) -> bool:
    own, to = ranked.recalled, ranked.order[wanted.place - 1]
    other = (read.roles[at], read.names[at]) != (own.roles[to], own.names[to])
    return other and (wanted.reply or _wants_reply(read.contents[at]))


def _wants_reply(said: str) -> bool:
    return asks(said) or requests(said)


@np.errstate(invalid="ignore")
def _said(ranked: Ranked, read: Recalled) -> Sequence[bool]:
    """Of each that was read, whether an item that is let in says about the same."""
    own = ranked.recalled
    hashes = {own.hashes[at] for at in ranked.order}
    vectors = unpacked([*read.vectors, *(own.vectors[at] for at in ranked.order)])
    alike = np.any(vectors[: len(read)].dot(vectors[len(read) :].T) > SAME, axis=1)
    repeated: list[bool] = alike.tolist()
    return [same or said in hashes for same, said in zip(repeated, read.hashes, strict=True)]


def completed(
    ranked: Ranked, found: Recalled, wanted: Sequence[Companion], *, min_score: float | None
) -> Ranked:
    """
    The same with `found` among the items: a reply where BEHIND says, a question behind all.

    Each has a score and a relevance between those of the items beside it; with less than
    `min_score` it stays out.
    """
    of = {each.message: each for each in wanted}
    found = found.only(sorted(range(len(found)), key=lambda at: _turn(of[found.messages[at]])))
    own, order = len(ranked.recalled), [*ranked.order]
    score, relevance = ranked.score, ranked.relevance
    for at, message in enumerate(found.messages, own):
        index = min(_index(of[message]), len(order))
        beside = [order[index - 1], *order[index : index + 1]]
        score, relevance = _with_one(score, beside), _with_one(relevance, beside)
        if min_score is None or score[at] >= min_score:
            order.insert(index, at)
    came = {found.keys[at - own] for at in order if at >= own}
    return replace(
        ranked,
        recalled=ranked.recalled.and_also(found),
        sources={**ranked.sources, **dict.fromkeys(found.keys, frozenset({Source.EPISODIC}))},
        score=score,
        relevance=relevance,
        signals=_signals(ranked, relevance),
        order=order,
        dropped=[each for each in ranked.dropped if ranked.recalled.keys[each[0]] not in came],
    )


def _turn(companion: Companion) -> tuple[bool, int]:
    """Replies come in before questions, those to the best items first."""
    return not companion.reply, companion.place


def _index(companion: Companion) -> int:
    return companion.place * BEHIND - 1 if companion.reply else sys.maxsize


def _with_one(values: Floats, beside: Sequence[int]) -> Floats:
    """One value more: the mean of those beside it, or a little less than the last."""
    told = values[list(beside)]
    one = told.mean() if len(beside) > 1 else told[0] * np.float32(_LAST)
    return np.append(values, np.float32(one))


def _signals(ranked: Ranked, relevance: Floats) -> Mapping[str, Floats]:
    """Nothing was measured of what came in; "completes" tells which these are."""
    own, every = len(ranked.relevance), len(relevance)
    completes = (np.arange(every) >= own).astype(np.float32)
    longer = lengthened((ranked.signals, own), ({}, every - own))
    return {**longer, "relevance": relevance, "completes": completes}

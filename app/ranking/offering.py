"""The order in which what was found is offered room, and how much of it each kind may take."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.ids import MessageKey
from app.domain.memory import ItemType
from app.ranking.budget import Bounds, Share, by_worth
from app.ranking.diversity import DEPTH, places
from app.ranking.pool import Recalled, unpacked
from app.ranking.ranked import Ranked
from app.ranking.summaries import told_by_messages, told_once

SUMMARIES, _FACTS = "summaries", "facts"

KIND_OF: Mapping[ItemType, str] = {
    ItemType.SUMMARY: SUMMARIES,
    ItemType.FACT: _FACTS,
    ItemType.TOOL: _FACTS,
}
"""The kinds that have a share; all else, messages before all, gets the rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Division:
    """Of a budget and of its places, what summaries and what facts with tools may take."""

    summaries: float = 0.25
    facts: float = 0.2
    tools: int = 3
    """Tool items in a bundle, at most."""

    def shares(self, tokens: int, items: int) -> Mapping[str, Share]:
        """In tokens and items; a kind that may have any has a place at least."""
        return {
            kind: Share(int(tokens * of), max(1, int(items * of)) if of else 0)
            for kind, of in ((SUMMARIES, self.summaries), (_FACTS, self.facts))
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """
    Indexes of a Ranked, in the order in which they are offered room; one may be there twice.

    The first `whole` are offered it as a whole only; the first `exempt` whatever their share; from
    `loose` on is what nobody has to see.
    """

    order: Sequence[int]
    whole: int
    exempt: int
    loose: int

    def bounds(
        self,
        recalled: Recalled,
        of: Mapping[str, Share],
        shown: frozenset[MessageKey] = frozenset(),
    ) -> Bounds:
        """
        What binds the places of the order, where kinds have these shares.

        The summary of a period is bound by the messages that it was made from; those `shown` are
        there anyway.
        """
        kinds = [KIND_OF.get(recalled.types[at]) for at in self.order]
        inside = self._inside(recalled)
        if not any(kinds):
            return Bounds(inside=inside)
        told = told_by_messages(recalled, self.order, shown)
        loose = {place: by for place, by in told.items() if place >= self.loose}
        return Bounds(inside=inside, kinds=kinds, of=of, exempt=self.exempt, covered=loose)

    def _inside(self, recalled: Recalled) -> Mapping[int, int]:
        """Of each place that of the same item or of its whole message, if that is before."""
        order, messages = self.order, recalled.messages
        wholes = {messages[at]: place for place, at in enumerate(order) if recalled.pieces[at]}
        first = {at: place for place, at in reversed(list(enumerate(order)))}
        of_whole = {
            place: wholes[messages[at]]
            for place, at in enumerate(order)
            if recalled.kinds[at] and messages[at] in wholes
        }
        again = {place: first[at] for place, at in enumerate(order) if first[at] < place}
        return {**of_whole, **again}


@np.errstate(invalid="ignore")
def offered(ranked: Ranked, *, most: int, tools: int, room: Share) -> Offer:
    """
    The pinned, then what leads, then what sums up a time that is asked for as a whole, then all
    others by worth, and other summaries behind all of these: none of them takes room that anything
    else could fill.

    The pinned are offered room as they are, a whole message before its chunks, which stand in for
    it; then those of them that are as small as they get once more, to be cut. Of tools the freshest
    are offered room, `tools` of them with those that are pinned; of summaries those that do not
    tell the same twice.

    Args:
        ranked: What was found, in order.
        most: Items that may be taken.
        tools: Tool items that may be taken.
        room: What summaries may take, where anything else wants the rest.
    """
    recalled = ranked.recalled
    pinned = [at for at in ranked.order if ranked.pinned(at)]
    pinned.sort(key=lambda at: not recalled.pieces[at])
    again = [at for at in pinned if not (recalled.pieces[at] or recalled.kinds[at])]
    leading = [at for at in ranked.order if recalled.keys[at] in ranked.leading]
    there = {*pinned, *leading}
    found = [at for at in ranked.order if at not in there]
    told = sum(recalled.types[at] is ItemType.TOOL for at in pinned)
    others = _freshest_tools(recalled, found, most=max(0, tools - told))
    asked, summaries = _summaries(ranked, [*pinned, *leading], others, most=most, room=room)
    rest = [at for at in others if recalled.types[at] is not ItemType.SUMMARY]
    first = [*pinned, *again, *leading, *asked]
    return Offer(
        order=[
            *first,
            *_by_worth(recalled, rest, most=most),
            *_by_worth(recalled, summaries, most=most),
        ],
        whole=len(pinned),
        exempt=len(pinned) + len(again),
        loose=len(first),
    )


def _summaries(
    ranked: Ranked, there: Sequence[int], others: Sequence[int], *, most: int, room: Share
) -> tuple[Sequence[int], Sequence[int]]:
    """
    Of `others` the summaries that are asked for, then those besides, no message told twice.

    What is asked for is told though something that is `there` anyway tells some of it.
    """
    recalled, costs = ranked.recalled, ranked.recalled.tokens
    anyway, found = _gists(recalled, there), _gists(recalled, others)
    wanted = [at for at in found if recalled.keys[at] in ranked.asked]
    left = room.left_by([costs[at] for at in anyway])
    of_the_time = [at for at in anyway if recalled.keys[at] in ranked.asked]
    asked = told_once(recalled, wanted, there=of_the_time, room=left)
    besides = [at for at in found if recalled.keys[at] not in ranked.asked]
    left = Share(room.left_by([costs[at] for at in asked]).tokens, most)
    return asked, told_once(recalled, besides, there=[*anyway, *asked], room=left)


def _gists(recalled: Recalled, several: Sequence[int]) -> Sequence[int]:
    return [at for at in several if recalled.types[at] is ItemType.SUMMARY]


def _freshest_tools(recalled: Recalled, others: Sequence[int], *, most: int) -> Sequence[int]:
    """`others` with no more than `most` tools, the freshest, first in the places of tools."""
    tools = [at for at in others if recalled.types[at] is ItemType.TOOL]
    if not tools:
        return others
    fresh = sorted(tools, key=lambda at: (-recalled.created_at[at], -recalled.keys[at]))
    heirs = dict(zip(tools, [*fresh[:most], *[None] * len(tools)], strict=False))
    kept = [heirs.get(at, at) for at in others]
    return [at for at in kept if at is not None]


def _by_worth(recalled: Recalled, found: Sequence[int], *, most: int) -> Sequence[int]:
    if not found:
        return found
    costs = [recalled.tokens[at] for at in found]
    vectors = unpacked([recalled.vectors[at] for at in found[:DEPTH]])
    order = by_worth(costs, places(vectors, len(found)), most=most)
    return [found[place] for place in order]

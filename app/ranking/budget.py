"""Fitting what was found into the tokens there are."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from app.ranking import Floats

PLACE = 100
"""
Tokens that a place in a bundle costs beside those of the item: with few, short items that say
little push out the long ones; with many, it is the order of the score. (Evidence within 1,000
tokens, by score alone, with 200, with 100: LoCoMo 0.887, 0.889, 0.889; BEAM 0.686, 0.698, 0.700.)
"""

Cut = Callable[[int, int], int | None]
"""What an item costs when it is cut to that many tokens; None where it cannot be."""


def by_worth(costs: Sequence[int], places: Floats, *, most: int) -> list[int]:
    """
    The order in which items are offered room: what is worth most for its tokens first.

    The item at place k answers a question about 1/k as often as the first, so its worth for its
    tokens is 1 / (k * (tokens + PLACE)). The `most` best go before all others, so that what fits
    as a whole goes in as it was ranked.

    Args:
        costs: Tokens of each of n items, best first.
        places: Their places from 1 on, shape (n,), ascending but where one gives way to others.
        most: Items that may be taken.
    """
    prices = places * (np.asarray(costs, dtype=np.float32) + PLACE)
    beyond = np.ones(len(costs), dtype=np.bool_)
    beyond[np.argsort(places, kind="stable")[:most]] = False
    order: list[int] = np.lexsort((prices, beyond)).tolist()
    return order


@dataclass(frozen=True, slots=True)
class Share:
    """What items of a kind may take, in tokens and in places, while others want the rest."""

    tokens: int
    places: int

    def left_by(self, costs: Sequence[int]) -> "Share":
        """What is left beside items of these costs."""
        return Share(max(0, self.tokens - sum(costs)), max(0, self.places - len(costs)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """
    What binds items beside the room that there is.

    Attributes:
        inside: Which item another one is a part of: one that comes before it, of which only one or
            the other is taken.
        kinds: Of each item, in the order in which they are offered room; None: of no kind.
        of: What the items of a kind may take; of a kind that is not in it, anything.
        exempt: So many items, the first, are bound by no share, though they count in it.
        covered: Of items that others say together, these others: once all are taken, it is not.
        taken: What is taken already, with its tokens, which the room that is left does not hold.
    """

    inside: Mapping[int, int] = field(default_factory=dict)
    kinds: Sequence[str | None] = ()
    of: Mapping[str, Share] = field(default_factory=dict)
    exempt: int = 0
    covered: Mapping[int, frozenset[int]] = field(default_factory=dict)
    taken: Mapping[int, int] = field(default_factory=dict)

    def offered(self, count: int) -> Sequence[int]:
        """Of so many items those that are not taken, nor is a part of them."""
        wholes = {self.inside[at] for at in self.taken if at in self.inside}
        return [at for at in range(count) if at not in self.taken and at not in wholes]


def pack(
    costs: Sequence[int],
    *,
    room: int,
    most: int,
    shared: Sequence[tuple[Hashable, int]] | None = None,
    bounds: Bounds | None = None,
    cut: Cut | None = None,
) -> list[int]:
    """
    Take items in order; of one that no longer fits what `cut` leaves of it, else nothing.

    What is beyond the share of its kind waits until all have been offered room, and is then
    offered what is left.

    Args:
        costs: Tokens of each item (zero or more), in the order in which they are offered room.
        room: Tokens left; at most zero takes nothing that costs anything.
        most: Items that may be taken, with those that are.
        shared: The group of each item, and what the first item taken of a group costs on top.
        bounds: What binds them beside that; none: nothing.
        cut: Makes an item shorter; none: items are taken whole.

    Returns:
        The indexes taken, ascending; what was not before costs at most `room`.
    """
    bounds = bounds or Bounds()
    taking = _Taking(costs, room, most, shared, bounds, cut, dict(bounds.taken))
    taking.paid.update(shared[index][0] for index in bounds.taken if shared)
    waiting: list[int] = []
    for index in bounds.offered(len(costs)):
        if len(taking.taken) >= most:
            break
        if bounds.kinds and taking.beyond_share(index):
            waiting.append(index)
        else:
            taking.take(index)
    for index in waiting:
        taking.take(index)
    return sorted(taking.taken)


@dataclass(slots=True)
class _Taking:
    """What is taken so far, and the room that it leaves."""

    costs: Sequence[int]
    room: int
    most: int
    shared: Sequence[tuple[Hashable, int]] | None
    bounds: Bounds
    cut: Cut | None
    taken: dict[int, int] = field(default_factory=dict)
    """With the tokens of each."""
    paid: set[Hashable] = field(default_factory=set)

    def take(self, index: int) -> None:
        """Take what fits of an item, if anything does."""
        if len(self.taken) >= self.most or self._is_told(index):
            return
        group, extra = self.shared[index] if self.shared else (None, 0)
        left = self.room if group in self.paid else self.room - extra
        cost = self.costs[index]
        spent = cost if cost <= left or self.cut is None else self.cut(index, left)
        if spent is not None and spent <= left:
            self.taken[index] = spent
            self.paid.add(group)
            self.room = left - spent

    def _is_told(self, index: int) -> bool:
        """Whether what is taken says it already."""
        bounds = self.bounds
        covered = bounds.covered.get(index)
        whole = covered is not None and covered <= self.taken.keys()
        return whole or bounds.inside.get(index) in self.taken

    def beyond_share(self, index: int) -> bool:
        """Whether an item has to wait until those of other kinds have been offered room."""
        kinds = self.bounds.kinds
        kind = kinds[index]
        share = self.bounds.of.get(kind) if kind is not None else None
        if share is None or index < self.bounds.exempt:
            return False
        alike = [cost for at, cost in self.taken.items() if kinds[at] == kind]
        return len(alike) >= share.places or sum(alike) + self.costs[index] > share.tokens


def newest_that_fit(costs: Sequence[int], *, room: int, most: int) -> int:
    """How many items at the end of `costs` fit together into `room`, at most `most`."""
    count = 0
    for cost in reversed(costs[-most:] if most else []):
        if cost > room:
            break
        room -= cost
        count += 1
    return count

"""What was said right before and after the messages of a pool."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from app.domain.ids import MessageKey

_BESIDE = (-1, 1)
"""
Where neighbours stand that tell of a message. With two on either side, what is learned finds no
more (recall@10 0.765 and 0.764 on LoCoMo, 0.600 and 0.604 on BEAM), and a read costs more.
"""

_BRIEF = 20
"""
Tokens that messages have at most, on average, where people spread one thought over several.
Decision 110 of docs/decisions.md has the figures.
"""

_POSITION_BITS = 32

Places = NDArray[np.int64]
"""Where messages stand: one number for conversation and position, ascending as they do."""

Indexes = NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbours:
    """
    k messages that stand beside those of a pool, in columns.

    `vectors` are packed, in context, None while a message is not embedded; `bags` are packed terms.
    """

    keys: Sequence[MessageKey]
    conversations: Sequence[int]
    positions: Sequence[int]
    vectors: Sequence[bytes | None]
    bags: Sequence[bytes]

    @classmethod
    def none(cls) -> Self:
        return cls(keys=(), conversations=(), positions=(), vectors=(), bags=())

    def and_also(self, other: Self) -> Self:
        """These, and the others behind them."""
        names = [each.name for each in fields(self)]
        return replace(
            self, **{name: [*getattr(self, name), *getattr(other, name)] for name in names}
        )

    def without(self, messages: Collection[MessageKey]) -> Self:
        left = [at for at, key in enumerate(self.keys) if key not in messages]
        columns = {each.name: getattr(self, each.name) for each in fields(self)}
        return replace(self, **{name: [said[at] for at in left] for name, said in columns.items()})


def reach_of(tokens: Sequence[int]) -> int:
    """How many messages on either side of such an answer may stand, by their tokens."""
    return 2 if sum(tokens) <= _BRIEF * len(tokens) else 1


def places(conversations: Sequence[int], positions: Sequence[int]) -> Places:
    """A number per message that tells its conversation and position, shape (n,)."""
    by_conversation: Places = np.asarray(conversations, dtype=np.int64) << _POSITION_BITS
    return by_conversation + np.asarray(positions, dtype=np.int64)


def conversations_at(spots: Places) -> Places:
    """The conversations in which these places are, shape (n,)."""
    return spots >> _POSITION_BITS


def standing(around: Places, known: Places) -> Mapping[int, Indexes]:
    """
    Which of the m `known` messages stands at each offset of the n messages at `around`.

    Returns:
        By offset (-1 and 1) an index into `known`, shape (n,); m where there is none.
    """
    order = np.argsort(known)
    found = {}
    for offset in _BESIDE:
        wanted = around + offset
        at = np.minimum(np.searchsorted(known, wanted, sorter=order), len(known) - 1)
        index = order[at]
        found[offset] = np.where(known[index] == wanted, index, len(known))
    return found

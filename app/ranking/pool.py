"""The candidates of one query as arrays."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from app.domain.context import MemoryItem
from app.domain.ids import ConversationKey, ItemKey, MessageKey
from app.domain.memory import OF_MESSAGES, RETELLING, ItemType
from app.domain.periods import Span
from app.ranking import Floats
from app.ranking.bm25 import Bags
from app.ranking.neighbours import Neighbours, reach_of
from app.ranking.query import About
from app.text.intervals import Interval
from app.text.scripts import fold

VECTOR = np.dtype("<f2")
"""How vectors lie in SQL: float16, little endian."""

_HALVES = np.dtype("<u2")
_SINGLE = np.arange(2**16, dtype=_HALVES).view(VECTOR).astype(np.float32)
"""Every float16 as a float32, by its bits: to look one up takes half as long as to convert it."""


def pack_vector(vector: Floats) -> bytes:
    return vector.astype(VECTOR).tobytes()


def unpack_vectors(packed: Sequence[bytes | None], dimension: int) -> Floats:
    """Vectors as float32, shape (n, dimension); zeros where there is none of that dimension."""
    size = dimension * VECTOR.itemsize
    if any(each is None or len(each) != size for each in packed):
        nothing = bytes(size)
        packed = [each if each and len(each) == size else nothing for each in packed]
    whole = b"".join(cast("Sequence[bytes]", packed))
    return _SINGLE.take(np.frombuffer(whole, dtype=_HALVES)).reshape(len(packed), dimension)


def unpacked(packed: Sequence[bytes | None]) -> Floats:
    """The same where all that are there have one dimension; shape (n, 0) where none is."""
    size = max((len(each) for each in packed if each), default=0)
    return unpack_vectors(packed, size // VECTOR.itemsize)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gist:
    """
    What a summary tells of: the messages that it was made from and, where it is of no single
    conversation, the time that it sums up.
    """

    cited: frozenset[MessageKey]
    span: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """
    n items in columns, as ranking needs them; `read` makes a whole item of one of them.

    Few of a pool become part of an answer, so only those are made. `created_at` in seconds since
    1970, `importance` from 1 to 10. `vectors` are packed, and so are those of their `words`, None
    while an item is not embedded; `bags` are packed terms.

    `messages` are those that items are or are a part of; `whole_vectors`, `whole_bags`,
    `conversations`, `positions`, `roles` and `names` are theirs, and so are `context_vectors`: of
    a brief one with what leads in to it (app/text/lead_in.py). `pieces` counts the chunks of an
    item, 0 for what has none; `kinds` says what a chunk consists of.

    A memory item of its own counts as the one message of a conversation of its own, and the parts
    of a document as chunks that are the messages of one; the keys of these are below zero.
    `shown_at` is, in seconds, when such an item was last part of an answer; None: never. `gists`
    are of summaries, None for all else; `subjects` tell under what memory items are kept.
    """

    keys: Sequence[ItemKey]
    created_at: Sequence[float]
    tokens: Sequence[int]
    importance: Sequence[int]
    labels: Sequence[str | None]
    contents: Sequence[str]
    hashes: Sequence[bytes]
    vectors: Sequence[bytes | None]
    words: Sequence[bytes | None]
    bags: Sequence[bytes]
    messages: Sequence[MessageKey]
    whole_vectors: Sequence[bytes | None]
    context_vectors: Sequence[bytes | None]
    whole_bags: Sequence[bytes]
    pieces: Sequence[int]
    kinds: Sequence[str | None]
    conversations: Sequence[ConversationKey]
    positions: Sequence[int]
    roles: Sequence[str | None]
    names: Sequence[str | None]
    types: Sequence[ItemType]
    shown_at: Sequence[float | None]
    gists: Sequence[Gist | None]
    subjects: Sequence[str | None]
    read: Callable[[int], MemoryItem]

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def reach(self) -> int:
        """How many messages on either side of these an answer may stand."""
        told = zip(self.tokens, self.messages, strict=True)
        return reach_of([tokens for tokens, message in told if message > 0])

    def of_messages(self) -> NDArray[np.bool_]:
        """True for messages and their chunks, shape (n,)."""
        return np.array([each in OF_MESSAGES for each in self.types], dtype=np.bool_)

    def best_first(self, worth: Floats) -> NDArray[np.intp]:
        """The indexes, newest first among equals, in whatever order they were found, shape (n,)."""
        return np.lexsort((-np.array(self.keys, dtype=np.int64), -worth))

    def said_in(self, moments: Sequence[Interval]) -> NDArray[np.bool_]:
        """True for what was said at one of these times, shape (n,)."""
        at = np.array(self.created_at, dtype=np.float64)
        then = np.zeros(len(self), dtype=np.bool_)
        for each in moments:
            then |= (each.start.timestamp() <= at) & (at < each.stop.timestamp())
        return then & self.of_messages()

    def telling(self, facts: About) -> NDArray[np.bool_]:
        """True for these facts, shape (n,)."""
        told = zip(self.types, self.subjects, strict=True)
        return np.array(
            [kind is ItemType.FACT and facts.is_told(subject) for kind, subject in told],
            dtype=np.bool_,
        )

    def summing_up(self, periods: Collection[Span]) -> NDArray[np.bool_]:
        """True for what sums up one of these periods, shape (n,)."""
        spans = (each.span if each else None for each in self.gists)
        return np.array([span in periods for span in spans], dtype=np.bool_)

    @property
    def retelling(self) -> NDArray[np.bool_]:
        """True for what says in other words what messages said, shape (n,)."""
        return np.array([each in RETELLING for each in self.types], dtype=np.bool_)

    @classmethod
    def nothing(cls) -> Self:
        empty: dict[str, Any] = dict.fromkeys(cls.columns(), ())
        return cls(**empty, read=().__getitem__)

    @classmethod
    def columns(cls) -> Sequence[str]:
        return [each.name for each in fields(cls) if each.name != "read"]

    def only(self, wanted: Sequence[int]) -> Self:
        """The items at these indexes, in their order."""
        columns = ((name, getattr(self, name)) for name in self.columns())
        chosen = {name: [column[at] for at in wanted] for name, column in columns}
        return replace(self, **chosen, read=lambda at: self.read(wanted[at]))

    def and_also(self, other: Self) -> Self:
        """These items, and the others behind them."""
        both = {name: [*getattr(self, name), *getattr(other, name)] for name in self.columns()}
        own = len(self)
        return replace(
            self,
            **both,
            read=lambda at: self.read(at) if at < own else other.read(at - own),
        )


def without(unwanted: re.Pattern[str] | None, recalled: Recalled) -> Recalled:
    """Those that hold nothing of what is unwanted."""
    if unwanted is None:
        return recalled
    contents = enumerate(recalled.contents)
    return recalled.only([at for at, said in contents if not unwanted.search(fold(said))])


@dataclass(frozen=True, slots=True, kw_only=True)
class Surrounded:
    """Items, and what stands beside the messages that they are or are a part of."""

    recalled: Recalled
    neighbours: Neighbours

    def put_aside(self, items: Sequence[int]) -> Self:
        """Without these messages, which still stand beside the others."""
        if not items:
            return self
        left = [at for at in range(len(self.recalled)) if at not in items]
        aside = self.recalled.only(items)
        neighbours = Neighbours(
            keys=aside.messages,
            conversations=aside.conversations,
            positions=aside.positions,
            vectors=aside.context_vectors,
            bags=aside.bags,
        )
        return replace(
            self,
            recalled=self.recalled.only(left),
            neighbours=self.neighbours.and_also(neighbours),
        )

    def and_also(self, coming: Recalled) -> Self:
        """With more items; what is one is no neighbour any more."""
        return replace(
            self,
            recalled=self.recalled.and_also(coming),
            neighbours=self.neighbours.without(coming.messages),
        )

    @classmethod
    def nothing(cls) -> Self:
        return cls(recalled=Recalled.nothing(), neighbours=Neighbours.none())


Widening = Callable[[Surrounded], Sequence[MessageKey]]
"""Which neighbours of what was found shall be items of a pool themselves."""


Among = slice | NDArray[np.intp]
"""Which candidates of a pool."""

EVERYTHING = slice(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """
    n candidates: what they are, their vectors, shape (n, d), and their words.

    The whole ones are those of the messages that they belong to; the same where none is a
    chunk. `neighbours` stand beside these messages; `around` are the vectors in context of the
    whole ones, then of k neighbours, then zeros for what is not there, shape (n + k + 1, d).
    """

    recalled: Recalled
    vectors: Floats
    bags: Bags
    whole_vectors: Floats
    whole_bags: Bags
    neighbours: Neighbours
    around: Floats
    replied: NDArray[np.bool_] | None = None
    """True for what was replied when the same was asked before, shape (n,); None: nothing was."""

    def told_of(self, replied: NDArray[np.bool_]) -> Self:
        """The same, with what was replied."""
        return replace(self, replied=replied if replied.any() else None)

    @property
    def has_chunks(self) -> bool:
        return self.whole_vectors is not self.vectors

    @property
    def is_chunk(self) -> NDArray[np.bool_]:
        """True for each chunk, shape (n,)."""
        return np.array([kind is not None for kind in self.recalled.kinds], dtype=np.bool_)

    @property
    def among(self) -> Among:
        """
        Those with which all are compared: what was said, or everything where nothing was.

        What stands out of a pool would else change with what was distilled from it.
        """
        said = np.flatnonzero(~self.recalled.retelling)
        return EVERYTHING if len(said) in (0, len(self.recalled)) else said

    @classmethod
    def of(
        cls, recalled: Recalled, *, dimension: int, neighbours: Neighbours | None = None
    ) -> Self:
        beside = neighbours or Neighbours.none()
        nothing = bytes(dimension * VECTOR.itemsize)
        packed = [*recalled.context_vectors, *beside.vectors, nothing]
        around = unpack_vectors(packed, dimension)
        whole, bags = around[: len(recalled)], Bags.unpack(recalled.bags)
        if recalled.context_vectors != recalled.whole_vectors:
            whole = unpack_vectors(recalled.whole_vectors, dimension)
        parts = any(recalled.kinds)
        return cls(
            recalled=recalled,
            vectors=unpack_vectors(recalled.vectors, dimension) if parts else whole,
            bags=bags,
            whole_vectors=whole,
            whole_bags=Bags.unpack(recalled.whole_bags) if parts else bags,
            neighbours=beside,
            around=around,
        )

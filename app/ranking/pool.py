"""The candidates of one query as arrays."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from app.domain.context import MemoryItem
from app.domain.ids import ConversationKey, ItemKey, MessageKey
from app.ranking import Floats
from app.ranking.bm25 import Bags
from app.ranking.neighbours import Neighbours
from app.text.times import Interval
from app.text.wording import PLAIN, Wording

VECTOR = np.dtype("<f2")
"""How vectors lie in SQL: float16, little endian."""


def pack_vector(vector: Floats) -> bytes:
    return vector.astype(VECTOR).tobytes()


def unpack_vectors(packed: Sequence[bytes | None], dimension: int) -> Floats:
    """Vectors as float32, shape (n, dimension); zeros where there is none of that dimension."""
    size = dimension * VECTOR.itemsize
    if any(each is None or len(each) != size for each in packed):
        nothing = bytes(size)
        packed = [each if each and len(each) == size else nothing for each in packed]
    whole = b"".join(cast("Sequence[bytes]", packed))
    return np.frombuffer(whole, dtype=VECTOR).reshape(len(packed), dimension).astype(np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """
    n items in columns, as ranking needs them; `read` makes a whole item of one of them.

    Few of a pool become part of an answer, so only those are made. `created_at` in seconds since
    1970, `importance` from 1 to 10. `vectors` are packed, None while an item is not embedded;
    `bags` are packed terms.

    `messages` are those that items are or are a part of; `whole_vectors`, `whole_bags`,
    `conversations`, `positions`, `roles` and `names` are theirs. `pieces` counts the chunks of an
    item, 0 for what has none; `kinds` says what a chunk consists of.
    """

    keys: Sequence[ItemKey]
    created_at: Sequence[float]
    tokens: Sequence[int]
    importance: Sequence[int]
    labels: Sequence[str | None]
    contents: Sequence[str]
    hashes: Sequence[bytes]
    vectors: Sequence[bytes | None]
    bags: Sequence[bytes]
    messages: Sequence[MessageKey]
    whole_vectors: Sequence[bytes | None]
    whole_bags: Sequence[bytes]
    pieces: Sequence[int]
    kinds: Sequence[str | None]
    conversations: Sequence[ConversationKey]
    positions: Sequence[int]
    roles: Sequence[str | None]
    names: Sequence[str | None]
    read: Callable[[int], MemoryItem]

    def __len__(self) -> int:
        return len(self.keys)

    @classmethod
    def nothing(cls) -> Self:
        empty: dict[str, Any] = dict.fromkeys(cls.columns(), ())
        return cls(**empty, read=().__getitem__)

    @classmethod
    def columns(cls) -> Sequence[str]:
        return [each.name for each in fields(cls) if each.name != "read"]

    def only(self, wanted: Sequence[int]) -> Self:
        """The items at these indexes, in their order."""
        chosen = {name: [getattr(self, name)[at] for at in wanted] for name in self.columns()}
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """
    n candidates: what they are, their vectors, shape (n, d), and their words.

    The whole ones are those of the messages that they belong to; the same where none is a
    chunk. `neighbours` stand beside these messages.
    """

    recalled: Recalled
    vectors: Floats
    bags: Bags
    whole_vectors: Floats
    whole_bags: Bags
    neighbours: Neighbours

    @property
    def has_chunks(self) -> bool:
        return self.whole_vectors is not self.vectors

    @property
    def is_chunk(self) -> NDArray[np.bool_]:
        """True for each chunk, shape (n,)."""
        return np.array([kind is not None for kind in self.recalled.kinds], dtype=np.bool_)

    @classmethod
    def of(
        cls, recalled: Recalled, *, dimension: int, neighbours: Neighbours | None = None
    ) -> Self:
        vectors, bags = unpack_vectors(recalled.vectors, dimension), Bags.unpack(recalled.bags)
        parts = any(recalled.kinds)
        return cls(
            recalled=recalled,
            vectors=vectors,
            bags=bags,
            whole_vectors=unpack_vectors(recalled.whole_vectors, dimension) if parts else vectors,
            whole_bags=Bags.unpack(recalled.whole_bags) if parts else bags,
            neighbours=neighbours or Neighbours.none(),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryView:
    """
    The query as ranking sees it: its vector, shape (d,), and its terms with their idf.

    `terms` are those that the scope knows; `idf_mass` is the sum over all, the unknown ones too.
    `intervals` are the times that it speaks of.
    """

    vector: Floats | None
    terms: Sequence[str]
    idf: Floats
    idf_mass: float
    average_length: float
    intervals: Sequence[Interval] = ()
    wording: Wording = PLAIN

    @property
    def known(self) -> float:
        """The share of the query's idf mass that the scope knows."""
        return float(self.idf.sum()) / self.idf_mass if self.idf_mass > 0 else 0.0

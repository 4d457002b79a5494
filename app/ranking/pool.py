"""The candidates of one query as arrays."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np

from app.domain.context import MemoryItem
from app.domain.ids import ItemKey
from app.ranking import Floats
from app.ranking.bm25 import Bags
from app.text.times import Interval

VECTOR = np.dtype("<f2")
"""How vectors lie in SQL: float16, little endian."""


def pack_vector(vector: Floats) -> bytes:
    return vector.astype(VECTOR).tobytes()


def unpack_vectors(packed: Sequence[bytes | None], dimension: int) -> Floats:
    """Vectors as float32, shape (n, dimension); zeros where there is none of that dimension."""
    size = dimension * VECTOR.itemsize
    nothing = bytes(size)
    whole = b"".join(each if each and len(each) == size else nothing for each in packed)
    return np.frombuffer(whole, dtype=VECTOR).reshape(len(packed), dimension).astype(np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """
    n items in columns, as ranking needs them; `read` makes a whole item of one of them.

    Few of a pool become part of an answer, so only those are made. `created_at` in seconds since
    1970, `importance` from 1 to 10. `vectors` are packed, None while an item is not embedded;
    `bags` are packed terms.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """n candidates: what they are, their vectors, shape (n, d), and their words."""

    recalled: Recalled
    vectors: Floats
    bags: Bags

    @classmethod
    def of(cls, recalled: Recalled, *, dimension: int) -> Self:
        return cls(
            recalled=recalled,
            vectors=unpack_vectors(recalled.vectors, dimension),
            bags=Bags.unpack(recalled.bags),
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

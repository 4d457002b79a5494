"""The candidates of one query as arrays."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from app.domain.context import MemoryItem
from app.domain.ids import ItemKey
from app.ranking import Floats
from app.ranking.bm25 import Bags

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
    An item as ranking needs it; `read` makes the whole item of it, which few of a pool become.

    `created_at` in seconds since 1970. `vector` is packed, None while the item is not embedded;
    `bag` are its packed terms.
    """

    key: ItemKey
    id: str
    created_at: float
    tokens: int
    importance: int
    label: str | None
    content: str
    content_hash: bytes
    vector: bytes | None
    bag: bytes
    read: Callable[[], MemoryItem]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """n candidates: what they are, their vectors, shape (n, d), and their words."""

    recalled: Sequence[Recalled]
    vectors: Floats
    bags: Bags

    @classmethod
    def of(cls, recalled: Sequence[Recalled], *, dimension: int) -> Self:
        return cls(
            recalled=recalled,
            vectors=unpack_vectors([each.vector for each in recalled], dimension),
            bags=Bags.unpack([each.bag for each in recalled]),
        )

    @property
    def created_at(self) -> NDArray[np.float64]:
        """Seconds since 1970, shape (n,)."""
        return np.array([each.created_at for each in self.recalled], dtype=np.float64)

    @property
    def importance(self) -> Floats:
        """1 to 10, shape (n,)."""
        return np.array([each.importance for each in self.recalled], dtype=np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryView:
    """The query as ranking sees it: its vector, shape (d,), and its terms with their idf."""

    vector: Floats | None
    terms: Sequence[str]
    idf: Floats
    average_length: float

"""The candidates of one query as arrays."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.domain.context import MemoryItem
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
class Pool:
    """n candidates: what they are, their vectors, shape (n, d), and their words."""

    items: Sequence[MemoryItem]
    vectors: Floats
    bags: Bags

    @property
    def created_at(self) -> NDArray[np.float64]:
        """Moments of creation in seconds since 1970, shape (n,)."""
        return np.array([item.created_at.timestamp() for item in self.items], dtype=np.float64)

    @property
    def importance(self) -> Floats:
        """1 to 10, shape (n,)."""
        return np.array([item.importance for item in self.items], dtype=np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryView:
    """The query as ranking sees it: its vector, shape (d,), and its terms with their idf."""

    vector: Floats | None
    terms: Sequence[str]
    idf: Floats
    average_length: float

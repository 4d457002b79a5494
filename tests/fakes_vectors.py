"""A vector index as simple as can be: points in a dict, filters in plain Python."""

from collections.abc import AsyncIterator, Sequence

import numpy as np

from app.domain.ids import ItemKey
from app.ports import RecallFilter, VectorPoint
from app.ranking import Floats

_BATCH = 3
"""Small, so that a caller who reads one batch only is found out."""


class FakeVectorIndex:
    """Passes the contract of VectorIndex. Its cosines are exact, to six digits."""

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._points: dict[ItemKey, VectorPoint] = {}

    async def upsert(self, points: Sequence[VectorPoint]) -> None:
        for point in points:
            assert point.vector.shape == (self._dimension,)
            self._points[point.key] = point

    async def remove(self, keys: Sequence[ItemKey]) -> None:
        for key in keys:
            self._points.pop(key, None)

    async def search(
        self, query: Floats, *, within: RecallFilter, limit: int
    ) -> Sequence[tuple[ItemKey, float]]:
        found = [
            (point.key, _cosine(query, point.vector))
            for point in self._points.values()
            if _lies_within(point, within)
        ]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))[: max(limit, 0)]

    async def known(self, keys: Sequence[ItemKey]) -> frozenset[ItemKey]:
        return frozenset(key for key in keys if key in self._points)

    async def keys(self) -> AsyncIterator[Sequence[ItemKey]]:
        ascending = sorted(self._points)
        for start in range(0, len(ascending), _BATCH):
            yield ascending[start : start + _BATCH]

    async def count(self) -> int:
        return len(self._points)

    async def flush(self) -> None:
        """Do nothing: there is nothing that lasts."""


def _cosine(one: Floats, other: Floats) -> float:
    a, b = one.astype(np.float64), other.astype(np.float64)
    lengths = float(np.linalg.norm(a) * np.linalg.norm(b))
    return round(float(a @ b) / lengths, 6) if lengths else 0.0


def _lies_within(point: VectorPoint, within: RecallFilter) -> bool:
    return (
        point.scope in within.scopes
        and (within.conversations is None or point.conversation in within.conversations)
        and point.conversation not in within.without_conversations
        and (not within.roles or point.role in within.roles)
        and (not within.types or point.type in within.types)
        and (within.after is None or within.after <= point.created_at)
        and (within.before is None or point.created_at < within.before)
        and (within.as_of is None or point.created_at <= within.as_of)
    )

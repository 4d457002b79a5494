"""A vector index as simple as can be, and points to put into any."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import fields
from datetime import UTC, datetime

import numpy as np

from app.domain.conversation import Role
from app.domain.ids import ConversationKey, ItemKey, ScopeKey, TenantId
from app.domain.memory import ItemType
from app.ports import RecallFilter, VectorPlace, VectorPoint
from app.ranking import Floats

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
DEFAULT_SCOPE = ScopeKey(1)

_BATCH = 3
"""Small, so that a caller who reads one batch only is found out."""


def towards(*values: float) -> Floats:
    """The vector of length 1 in this direction."""
    return np.array(values, dtype=np.float32) / np.float32(np.linalg.norm(values))


def point(
    key: int,
    vector: Floats | None = None,
    *,
    scope: ScopeKey = DEFAULT_SCOPE,
    conversation: int | None = None,
    role: Role | None = None,
    item_type: ItemType = ItemType.MESSAGE,
    at: datetime = NOON,
    until: datetime | None = None,
) -> VectorPoint:
    """A point of four dimensions, unless a vector of others is given."""
    return VectorPoint(
        key=ItemKey(key),
        vector=towards(1, 0, 0, 0) if vector is None else vector,
        tenant=TenantId("acme"),
        scope=scope,
        conversation=None if conversation is None else ConversationKey(conversation),
        role=role,
        type=item_type,
        created_at=at,
        until=until,
    )


class FakeVectorIndex:
    """Points in a dict, filters in plain Python. Its cosines are exact, to six digits."""

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

    async def misplaced(self, places: Sequence[VectorPlace]) -> frozenset[ItemKey]:
        there = {key: place_of(point) for key, point in self._points.items()}
        return frozenset(each.key for each in places if there.get(each.key, each) != each)

    async def keys(self) -> AsyncIterator[Sequence[ItemKey]]:
        ascending = sorted(self._points)
        for start in range(0, len(ascending), _BATCH):
            yield ascending[start : start + _BATCH]

    async def count(self) -> int:
        return len(self._points)

    async def flush(self) -> None:
        """Do nothing: there is nothing that lasts."""

    async def intact(self) -> bool:
        return True


def place_of(point: VectorPoint) -> VectorPlace:
    """Where a point lies."""
    return VectorPlace(**{each.name: getattr(point, each.name) for each in fields(VectorPlace)})


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
        and (within.held_at is None or point.until is None or within.held_at < point.until)
    )

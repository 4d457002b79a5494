"""Memory items by what they are about."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, and_, or_

from app.adapters.sql import tables as t
from app.adapters.sql.items.reading import SqlItems, memory_of
from app.adapters.sql.narrowing.items import unexpired
from app.domain.ids import ScopeKey
from app.domain.memories import Memory
from app.domain.memory import ItemType


@dataclass(frozen=True, slots=True)
class SqlItemsBySubject(SqlItems):
    """The same, to be found by their subjects."""

    async def about(self, scope: ScopeKey, kind: ItemType, subject: str) -> Sequence[Memory]:
        i = t.memory_item.c
        return await self._of(scope, kind, i.subject == subject, i.parent_key.is_(None))

    async def newest(self, scope: ScopeKey, kind: ItemType, subject: str) -> Memory | None:
        """The last of what was ever stored about a subject."""
        i = t.memory_item.c
        about = (i.scope_key == scope, i.type == kind.value, i.subject == subject)
        wanted = self._all().where(*about, i.parent_key.is_(None))
        wanted = wanted.order_by(i.valid_from.desc(), i.key.desc()).limit(1)
        row = (await self.connection.execute(wanted)).one_or_none()
        return None if row is None else memory_of(row)

    async def of_subjects(
        self, scope: ScopeKey, kind: ItemType, subjects: Sequence[str], *, now: datetime
    ) -> Sequence[Memory]:
        """What nothing superseded, and what has not expired, of these subjects."""
        i = t.memory_item.c
        held = (i.superseded_by.is_(None), unexpired(now))
        return await self._of(scope, kind, i.subject.in_(subjects), *held)

    async def under(
        self,
        scope: ScopeKey,
        kind: ItemType,
        groups: Sequence[str],
        *,
        beginnings: Sequence[str] = (),
    ) -> Sequence[Memory]:
        i = t.memory_item.c
        begun = [*(f"{each}|" for each in groups), *beginnings]
        return await self._of(scope, kind, or_(i.subject.in_(groups), *_begin_with(begun)))

    async def alike(
        self,
        scope: ScopeKey,
        kind: ItemType,
        subjects: Sequence[str],
        *,
        groups: Sequence[str],
        telling: str,
    ) -> Sequence[Memory]:
        i = t.memory_item.c
        below = or_(*_begin_with([f"{each}|" for each in groups]))
        tells = i.metadata[telling].as_string().is_not(None)
        return await self._of(scope, kind, or_(i.subject.in_(subjects), and_(below, tells)))

    async def _of(
        self, scope: ScopeKey, kind: ItemType, *conditions: ColumnElement[bool]
    ) -> Sequence[Memory]:
        """What is kept there, by when it began to hold."""
        i = t.memory_item.c
        wanted = self._all().where(i.scope_key == scope, i.type == kind.value, *conditions)
        rows = await self.connection.execute(wanted.order_by(i.valid_from, i.key))
        return [memory_of(row) for row in rows]


def _begin_with(beginnings: Sequence[str]) -> Sequence[ColumnElement[bool]]:
    """Whether a subject begins so, for each."""
    return [t.memory_item.c.subject.startswith(each, autoescape=True) for each in beginnings]

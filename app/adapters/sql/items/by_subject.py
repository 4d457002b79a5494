"""Memory items by what they are about."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, and_, union_all

from app.adapters.sql import tables as t
from app.adapters.sql.beginnings import begins_with
from app.adapters.sql.items.reading import SqlItems, memory_of
from app.adapters.sql.narrowing.items import unexpired
from app.adapters.sql.portioned import portions
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
        about = [i.subject.in_(groups), *(begins_with(i.subject, each) for each in begun)]
        return await self._any_of(scope, kind, about)

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
        tells = i.metadata[telling].as_string().is_not(None)
        below = (and_(begins_with(i.subject, f"{each}|"), tells) for each in groups)
        return await self._any_of(scope, kind, [i.subject.in_(subjects), *below])

    async def _any_of(
        self, scope: ScopeKey, kind: ItemType, about: Sequence[ColumnElement[bool]]
    ) -> Sequence[Memory]:
        """
        What meets one of the conditions, each of which is a range of the index of subjects.

        One after the other: joined by OR, SQLite goes through all that the scope has instead.
        """
        i = t.memory_item.c
        ours = self._all().where(i.scope_key == scope, i.type == kind.value)
        found = dict[int, Memory]()
        for some in portions(about):
            rows = await self.connection.execute(union_all(*(ours.where(each) for each in some)))
            found |= {row.key: memory_of(row) for row in rows}
        return sorted(found.values(), key=lambda each: (each.valid_from, each.key))

    async def _of(
        self, scope: ScopeKey, kind: ItemType, *conditions: ColumnElement[bool]
    ) -> Sequence[Memory]:
        """What is kept there, by when it began to hold."""
        i = t.memory_item.c
        wanted = self._all().where(i.scope_key == scope, i.type == kind.value, *conditions)
        rows = await self.connection.execute(wanted.order_by(i.valid_from, i.key))
        return [memory_of(row) for row in rows]

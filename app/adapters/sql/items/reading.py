from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Row,
    Select,
    and_,
    or_,
    select,
    tuple_,
    type_coerce,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql.cursors import decode_cursor, encode_cursor
from app.adapters.sql.dialect import numbers
from app.adapters.sql.items.of_messages import lineage_of_said, said
from app.adapters.sql.items.rows import document_edge, source_edge
from app.adapters.sql.narrowing.items import unexpired
from app.adapters.sql.types import Key, to_micros
from app.domain.errors import MemoryNotFound
from app.domain.ids import ConversationId, ItemId, ItemKey, ScopeKey, TenantId
from app.domain.memories import Memory, MemoryFilter
from app.domain.memory import (
    OF_MESSAGES,
    ItemType,
    LineageEdge,
    Table,
    item_key,
    table_and_row,
)
from app.ports.stored import Page

_PARENT = t.memory_item.alias("parent")
_HEIR = t.memory_item.alias("heir")


@dataclass(frozen=True, slots=True)
class SqlItems:
    """The memory items of one tenant, as they were told or derived."""

    connection: AsyncConnection
    tenant: TenantId

    async def get(self, item_id: ItemId, *, now: datetime | None) -> Memory:
        wanted = self._all().where(t.memory_item.c.id == item_id)
        if now is not None:
            wanted = wanted.where(unexpired(now))
        row = (await self.connection.execute(wanted)).one_or_none()
        if row is None:
            raise MemoryNotFound(memory_id=str(item_id))
        return memory_of(row)

    async def recalled(self, item_id: ItemId, *, now: datetime | None) -> Memory:
        found = await said(self.connection, self.tenant, item_id)
        return await self.get(item_id, now=now) if found is None else found

    async def page(self, wanted: MemoryFilter, *, cursor: str | None, limit: int) -> Page[Memory]:
        i = t.memory_item.c
        newest_first = self._all().where(*_conditions(wanted))
        if cursor:
            created_at, key = decode_cursor(cursor, parts=2)
            last = tuple_(created_at, key, types=[BigInteger(), Key])
            place = tuple_(type_coerce(i.created_at, BigInteger), i.key)
            newest_first = newest_first.where(place < last)
        newest_first = newest_first.order_by(i.created_at.desc(), i.key.desc()).limit(limit + 1)
        rows = (await self.connection.execute(newest_first)).all()
        items = [memory_of(row) for row in rows[:limit]]
        if len(rows) <= limit:
            return Page(items=items, next_cursor=None)
        place_of_last = [to_micros(items[-1].created_at), table_and_row(items[-1].key)[1]]
        return Page(items=items, next_cursor=encode_cursor(place_of_last))

    async def stored(
        self, scope: ScopeKey, *conditions: ColumnElement[bool], after: int, limit: int
    ) -> Sequence[Memory]:
        """Those of a scope in the order in which they were stored, behind the key `after`."""
        i = t.memory_item.c
        wanted = self._all().where(
            i.scope_key == scope, i.parent_key.is_(None), i.key > after, *conditions
        )
        rows = await self.connection.execute(wanted.order_by(i.key).limit(limit))
        return [memory_of(row) for row in rows]

    async def such(self, *conditions: ColumnElement[bool]) -> Sequence[Memory]:
        """All that meet the conditions, in the order in which they were stored."""
        rows = await self.connection.execute(
            self._all().where(*conditions).order_by(t.memory_item.c.key)
        )
        return [memory_of(row) for row in rows]

    async def lineage(self, memory: Memory) -> Sequence[LineageEdge]:
        if memory.type in OF_MESSAGES:
            return [await lineage_of_said(self.connection, memory)]
        if memory.type is ItemType.DOCUMENT:
            _, row = table_and_row(memory.key)
            i = t.memory_item.c
            span = (
                await self.connection.execute(select(i.start, i.stop).where(i.key == row))
            ).one()
            return [document_edge(memory.parent or memory.id, memory.source, *span)]
        m = t.message.c
        wanted = (
            select(m.id, m.external_id)
            .join(t.lineage, t.lineage.c.message_key == m.key)
            .where(t.lineage.c.item_key == table_and_row(memory.key)[1])
            .order_by(m.key)
        )
        derived = [
            LineageEdge(kind="message", id=str(row.id), external_id=row.external_id)
            for row in await self.connection.execute(wanted)
        ]
        return [*derived, *source_edge(memory.source)]

    async def superseded(
        self, memories: Sequence[Memory], *, now: datetime
    ) -> Mapping[ItemId, Sequence[ItemId]]:
        i, s = t.memory_item.c, t.scope.c
        heirs = {table_and_row(each.key)[1]: each.id for each in memories}
        wanted = (
            select(i.id, i.superseded_by)
            .join(t.scope, s.key == i.scope_key)
            .where(
                s.tenant == self.tenant,
                i.superseded_by.in_(numbers(heirs)),
                i.parent_key.is_(None),
                unexpired(now),
            )
            .order_by(i.valid_from.desc(), i.key.desc())
        )
        found: dict[ItemId, list[ItemId]] = {each.id: [] for each in memories}
        for row in await self.connection.execute(wanted):
            found[heirs[row.superseded_by]].append(ItemId(row.id))
        return found

    def _all(self) -> Select[Any]:
        c = t.conversation.c
        return (
            select(
                t.memory_item,
                t.scope.c.user_id,
                c.id.label("conversation_id"),
                _PARENT.c.id.label("parent"),
                _HEIR.c.id.label("heir"),
            )
            .join(t.scope, t.scope.c.key == t.memory_item.c.scope_key)
            .outerjoin(t.conversation, c.key == t.memory_item.c.conversation_key)
            .outerjoin(_PARENT, _PARENT.c.key == t.memory_item.c.parent_key)
            .outerjoin(_HEIR, _HEIR.c.key == t.memory_item.c.superseded_by)
            .where(
                t.scope.c.tenant == self.tenant,
                or_(c.key.is_(None), c.scope_key == t.memory_item.c.scope_key),
            )
        )


def _conditions(wanted: MemoryFilter) -> list[ColumnElement[bool]]:
    i, s = t.memory_item.c, t.scope.c
    conditions = [
        i.parent_key.is_(None),
        or_(s.shared, s.user_id == (wanted.user_id or "")),
        unexpired(wanted.now),
    ]
    if wanted.at is not None:
        open_end = or_(i.valid_to.is_(None), i.valid_to > wanted.at)
        conditions.append(and_(i.valid_from <= wanted.at, open_end))
    if wanted.type is not None:
        conditions.append(i.type == wanted.type.value)
    if wanted.conversation_id is not None:
        conditions.append(t.conversation.c.id == wanted.conversation_id)
    return conditions


def memory_of(row: Row[Any]) -> Memory:
    """An item of a row of `SqlItems._all`."""
    inside = row.conversation_id
    return Memory(
        key=ItemKey(item_key(Table.MEMORY, row.key)),
        id=ItemId(row.id),
        scope=ScopeKey(row.scope_key),
        type=ItemType(row.type),
        user_id=row.user_id or None,
        conversation_id=None if inside is None else ConversationId(inside),
        parent=row.parent,
        parts=row.parts,
        subject=row.subject,
        content=row.content,
        source=row.source,
        importance=row.importance,
        metadata=row.metadata,
        tokens=row.tokens,
        content_hash=row.content_hash,
        created_at=row.created_at,
        updated_at=row.updated_at,
        valid_from=row.valid_from,
        ends_at=row.ends_at,
        valid_to=row.valid_to,
        expires_at=row.expires_at,
        superseded_by=row.heir,
        last_accessed_at=row.last_accessed_at,
        access_count=row.access_count,
        derived=row.derived,
    )

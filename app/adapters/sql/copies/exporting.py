"""Everything of a tenant, in the order in which it was stored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, func, null, or_, select, true, union_all
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import numbers, shifted
from app.adapters.sql.items.reading import SqlItems
from app.adapters.sql.items.rows import key_of_item
from app.adapters.sql.narrowing.items import unexpired
from app.adapters.sql.said.conversations import SqlConversations
from app.adapters.sql.said.messages import SqlMessages
from app.domain.conversation import Conversation, Message
from app.domain.ids import (
    ConversationKey,
    ItemId,
    ItemKey,
    MessageId,
    ScopeKey,
    TenantId,
)
from app.domain.memories import Memory
from app.domain.memory import Table, item_key, rows_of
from app.ports.moving import Owner, StoredVector


@dataclass(frozen=True, slots=True)
class SqlExport:
    connection: AsyncConnection
    tenant: TenantId

    async def owners(self, *, after: int, limit: int) -> Sequence[Owner]:
        s = t.scope.c
        wanted = (
            select(s.key, s.user_id, s.shared)
            .where(s.tenant == self.tenant, s.key > after)
            .order_by(s.key)
            .limit(limit)
        )
        return [
            Owner(scope=ScopeKey(row.key), user_id=row.user_id or None, shared=row.shared)
            for row in await self.connection.execute(wanted)
        ]

    async def said(self, scope: ScopeKey | None = None) -> int:
        c = t.conversation.c
        own = true() if scope is None else c.scope_key == scope
        counted = select(func.coalesce(func.sum(c.message_count), 0))
        ours = counted.where(own, self._is_ours(c.scope_key))
        return int((await self.connection.execute(ours)).scalar_one())

    async def conversations(
        self, scope: ScopeKey, *, after: int, limit: int
    ) -> Sequence[Conversation]:
        return await SqlConversations(self.connection, self.tenant).stored(
            scope, after=after, limit=limit
        )

    async def messages(
        self, several: Sequence[ConversationKey]
    ) -> Mapping[ConversationKey, Sequence[Message]]:
        return await SqlMessages(self.connection, self.tenant).of_several(several)

    async def weights(self, several: Sequence[ConversationKey]) -> Mapping[ConversationKey, int]:
        return await SqlMessages(self.connection, self.tenant).weights(several)

    async def memories(
        self, scope: ScopeKey, *, after: int, limit: int, now: datetime, superseded: bool = False
    ) -> Sequence[Memory]:
        return await SqlItems(self.connection, self.tenant).stored(
            scope, unexpired(now), *_superseded(wanted=superseded), after=after, limit=limit
        )

    async def lineages(
        self, several: Sequence[ItemKey]
    ) -> Mapping[ItemKey, Sequence[tuple[MessageId, bool]]]:
        edge, m = t.lineage.c, t.message.c
        wanted = (
            select(edge.item_key, m.id, edge.reworded)
            .join(t.message, m.key == edge.message_key)
            .join(t.scope, t.scope.c.key == m.scope_key)
            .where(
                edge.item_key.in_(numbers(rows_of(Table.MEMORY, several))),
                t.scope.c.tenant == self.tenant,
            )
            .order_by(edge.item_key, m.key)
        )
        found: dict[ItemKey, list[tuple[MessageId, bool]]] = {}
        for row in await self.connection.execute(wanted):
            key = item_key(Table.MEMORY, row.item_key)
            found.setdefault(key, []).append((MessageId(row.id), row.reworded))
        return found

    async def vectors(self, several: Sequence[ItemKey]) -> Sequence[StoredVector]:
        messages, items = rows_of(Table.MESSAGE, several), rows_of(Table.MEMORY, several)
        statements = [
            *([self._of_messages(messages), self._of_chunks(messages)] if messages else []),
            *([self._of_items(items)] if items else []),
        ]
        if not statements:
            return []
        rows = await self.connection.execute(union_all(*statements).order_by("item_key", "model"))
        return [_vector(row) for row in rows]

    def _of_messages(self, keys: Sequence[int]) -> Select[Any]:
        m = t.message.c
        key = shifted(m.key, 2) + Table.MESSAGE
        nothing = (null().label("message_id"), null().label("start"), null().label("stop"))
        return _vectors(key, m.id, *nothing).where(
            m.key.in_(numbers(keys)), self._is_ours(m.scope_key)
        )

    def _of_chunks(self, keys: Sequence[int]) -> Select[Any]:
        c, m = t.chunk.c, t.message.c
        key = shifted(c.key, 2) + Table.CHUNK
        place = (m.id.label("message_id"), c.start.label("start"), c.stop.label("stop"))
        return (
            _vectors(key, c.id, *place)
            .join(t.message, m.key == c.message_key)
            .where(c.message_key.in_(numbers(keys)), self._is_ours(c.scope_key))
        )

    def _of_items(self, keys: Sequence[int]) -> Select[Any]:
        i = t.memory_item.c
        whole = or_(i.key.in_(numbers(keys)), i.parent_key.in_(numbers(keys)))
        place = (null().label("message_id"), i.start.label("start"), i.stop.label("stop"))
        return _vectors(key_of_item(), i.id, *place).where(whole, self._is_ours(i.scope_key))

    def _is_ours(self, scope: ColumnElement[int]) -> ColumnElement[bool]:
        return scope.in_(select(t.scope.c.key).where(t.scope.c.tenant == self.tenant))


def _superseded(*, wanted: bool) -> Sequence[ColumnElement[bool]]:
    return [t.memory_item.c.superseded_by.is_not(None)] if wanted else []


def _vectors(key: ColumnElement[int], *columns: ColumnElement[Any]) -> Select[Any]:
    e, model = d.embedding.c, d.embedding_model.c
    return (
        select(key.label("item_key"), *columns, model.name.label("model"), e.vector)
        .join(d.embedding, e.item_key == key)
        .join(d.embedding_model, model.key == e.model_key)
    )


def _vector(row: Any) -> StoredVector:  # noqa: ANN401  (a row)
    kinds = {Table.MESSAGE: "message", Table.CHUNK: "chunk", Table.MEMORY: "memory"}
    return StoredVector(
        kind=kinds[Table(row.item_key & 3)],
        id=ItemId(row.id),
        model=row.model,
        vector=row.vector,
        message_id=None if row.message_id is None else MessageId(row.message_id),
        start=row.start,
        stop=row.stop,
    )

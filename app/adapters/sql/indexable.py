"""What belongs into the vector index, by the truth."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, Select, and_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import shifted
from app.adapters.sql.recall import recallable
from app.domain.conversation import Role
from app.domain.ids import ConversationKey, ItemKey, ScopeKey, TenantId
from app.domain.memory import ItemType, Table, item_key, table_and_row
from app.ports.store import VectorItem
from app.text.terms import indexed_text


@dataclass(frozen=True, slots=True)
class SqlIndexable:
    connection: AsyncConnection

    async def to_index(self, keys: Sequence[ItemKey], *, model: str) -> Sequence[VectorItem]:
        wanted = _indexed(model).where(t.message.c.key.in_(message_rows(keys)))
        wanted = wanted.order_by(t.message.c.key)
        return [_vector_item(row) for row in await self.connection.execute(wanted)]

    async def belonging(self, keys: Sequence[ItemKey]) -> frozenset[ItemKey]:
        return await belonging(self.connection, keys)

    async def recallable(self, *, after: ItemKey, limit: int) -> Sequence[ItemKey]:
        m = t.message.c
        wanted = (
            select(m.key)
            .join(t.conversation, t.conversation.c.key == m.conversation_key)
            .where(m.key > table_and_row(after)[1], *recallable())
            .order_by(m.key)
            .limit(limit)
        )
        return [
            item_key(Table.MESSAGE, key)
            for key in (await self.connection.execute(wanted)).scalars()
        ]


def message_rows(keys: Sequence[ItemKey]) -> Sequence[int]:
    """The row keys of those of `keys` that are messages."""
    return [row for table, row in map(table_and_row, keys) if table is Table.MESSAGE]


async def belonging(
    connection: AsyncConnection, keys: Sequence[ItemKey], *, lock: bool = False
) -> frozenset[ItemKey]:
    """Those of `keys` that belong into the index; with `lock`, no delete slips in meanwhile."""
    m = t.message.c
    wanted = (
        select(m.key)
        .join(t.conversation, t.conversation.c.key == m.conversation_key)
        .where(m.key.in_(message_rows(keys)), *recallable())
    )
    if lock:
        wanted = wanted.with_for_update(read=True, of=t.message)
    found = (await connection.execute(wanted)).scalars()
    return frozenset(item_key(Table.MESSAGE, key) for key in found)


def _indexed(model: str) -> Select[Any]:
    """Every item that belongs into the vector index, with its vector of `model` where stored."""
    m, c = t.message.c, t.conversation.c
    of_model = select(d.embedding_model.c.key).where(d.embedding_model.c.name == model)
    stored = and_(
        d.embedding.c.model_key == of_model.scalar_subquery(),
        d.embedding.c.item_key == shifted(m.key, 2),
    )
    return (
        select(
            m.key,
            m.scope_key,
            m.conversation_key,
            m.role,
            m.name,
            m.content,
            m.created_at,
            t.scope.c.tenant,
            d.embedding.c.vector,
        )
        .join(t.conversation, c.key == m.conversation_key)
        .join(t.scope, t.scope.c.key == m.scope_key)
        .outerjoin(d.embedding, stored)
        .where(*recallable())
    )


def _vector_item(row: Row[Any]) -> VectorItem:
    return VectorItem(
        key=item_key(Table.MESSAGE, row.key),
        tenant=TenantId(row.tenant),
        scope=ScopeKey(row.scope_key),
        conversation=ConversationKey(row.conversation_key),
        role=Role(row.role),
        type=ItemType.MESSAGE,
        created_at=row.created_at,
        text=indexed_text(row.content, row.name),
        vector=row.vector,
    )

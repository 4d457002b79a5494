"""Messages and their chunks as the memory items that bundles show of them."""

from typing import Any

from sqlalchemy import ColumnElement, FromClause, Row, Select, literal, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql.narrowing.recallable import importance_of_message
from app.domain.ids import ConversationId, ItemId, ItemKey, ScopeKey, TenantId
from app.domain.memories import Memory
from app.domain.memory import ItemType, LineageEdge, Table, item_key, table_and_row


async def said(connection: AsyncConnection, tenant: TenantId, item_id: ItemId) -> Memory | None:
    """The message or chunk of this id, unless its conversation is being erased."""
    m, k = t.message.c, t.chunk.c
    whole = _columns(t.message, m.chunks, literal(ItemType.MESSAGE.value)).where(m.id == item_id)
    part = _columns(t.chunk, literal(0), literal(ItemType.CHUNK.value)).where(k.id == item_id)
    for wanted in (whole, part.join(t.chunk, k.message_key == m.key)):
        row = (await connection.execute(wanted.where(_in_reach(tenant)))).one_or_none()
        if row is not None:
            return _memory(row)
    return None


async def lineage_of_said(connection: AsyncConnection, memory: Memory) -> LineageEdge:
    """The message that it is, or the stretch of one."""
    m, k = t.message.c, t.chunk.c
    table, key = table_and_row(memory.key)
    if table is Table.MESSAGE:
        wanted = select(m.external_id).where(m.key == key)
        external_id = (await connection.execute(wanted)).scalar_one()
        return LineageEdge(kind="message", id=str(memory.id), external_id=external_id)
    of_message = select(m.id, m.external_id, k.start, k.stop).join(t.chunk, k.message_key == m.key)
    row = (await connection.execute(of_message.where(k.key == key))).one()
    return LineageEdge(
        kind="message", id=str(row.id), external_id=row.external_id, start=row.start, stop=row.stop
    )


def _columns(own: FromClause, pieces: ColumnElement[int], kind: ColumnElement[str]) -> Select[Any]:
    """What is told of `own`, which is the message or a chunk of it."""
    m, c = t.message.c, t.conversation.c
    return (
        select(
            own.c.key,
            own.c.id,
            own.c.content,
            own.c.tokens,
            own.c.content_hash,
            kind.label("type"),
            pieces.label("parts"),
            m.scope_key,
            m.metadata.label("told"),
            m.created_at,
            importance_of_message().label("importance"),
            c.id.label("conversation_id"),
            t.scope.c.user_id,
        )
        .select_from(t.message)
        .join(t.conversation, c.key == m.conversation_key)
        .join(t.scope, t.scope.c.key == m.scope_key)
    )


def _in_reach(tenant: TenantId) -> ColumnElement[bool]:
    ours = t.scope.c.tenant == tenant
    return ours & (t.conversation.c.scope_key == t.message.c.scope_key)


def _memory(row: Row[Any]) -> Memory:
    kind = ItemType(row.type)
    table = Table.MESSAGE if kind is ItemType.MESSAGE else Table.CHUNK
    return Memory(
        key=ItemKey(item_key(table, row.key)),
        id=ItemId(row.id),
        scope=ScopeKey(row.scope_key),
        type=kind,
        user_id=row.user_id or None,
        conversation_id=ConversationId(row.conversation_id),
        parent=None,
        parts=row.parts,
        subject=None,
        content=row.content or "",
        source=None,
        importance=row.importance,
        metadata=row.told,
        tokens=row.tokens,
        content_hash=row.content_hash,
        created_at=row.created_at,
        updated_at=row.created_at,
        valid_from=row.created_at,
        ends_at=None,
        valid_to=None,
        expires_at=None,
        superseded_by=None,
        last_accessed_at=None,
        access_count=0,
        derived=False,
    )

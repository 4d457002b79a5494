"""Conversations that nobody wrote to here for long, of which nothing is pinned."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import exists, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.domain.conversation import PINNED
from app.domain.ids import ERASED, ConversationId, ConversationKey, TenantId
from app.ports.projecting import IdleConversation


async def idle_conversations(
    connection: AsyncConnection,
    *,
    since: datetime,
    tenant: TenantId | None,
    after: ConversationKey,
    limit: int,
) -> Sequence[IdleConversation]:
    c, s = t.conversation.c, t.scope.c
    pinned = (
        exists().where(each.c.conversation_key == c.key, each.c.importance == PINNED)
        for each in (t.message, t.memory_item)
    )
    wanted = (
        select(c.key, c.id, c.message_count, s.tenant)
        .join(t.scope, s.key == c.scope_key)
        .where(c.key > after, c.written_at < since, c.importance < PINNED)
        .where(s.tenant != ERASED, *(~each for each in pinned))
        .order_by(c.key)
        .limit(limit)
    )
    if tenant is not None:
        wanted = wanted.where(s.tenant == tenant)
    return [
        IdleConversation(
            key=ConversationKey(row.key),
            id=ConversationId(row.id),
            tenant=TenantId(row.tenant),
            messages=row.message_count,
        )
        for row in await connection.execute(wanted)
    ]

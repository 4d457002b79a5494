"""When the last was said in a conversation, in whatever order: asked only where it is shown."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.domain.ids import ConversationKey

_LAST_SAID = (
    select(func.max(t.message.c.created_at))
    .where(t.message.c.conversation_key == t.conversation.c.key)
    .correlate(t.conversation)
    .scalar_subquery()
)


async def last_said(
    connection: AsyncConnection, keys: Sequence[ConversationKey], ours: ColumnElement[bool]
) -> Mapping[ConversationKey, datetime]:
    """Of the conversations that are `ours`; none of one in which nothing was said."""
    if not keys:
        return {}
    wanted = select(t.conversation.c.key, _LAST_SAID).where(t.conversation.c.key.in_(keys), ours)
    rows = await connection.execute(wanted)
    return {ConversationKey(key): said_at for key, said_at in rows if said_at is not None}

"""What distilling gave up, as its tenant is told of it."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Join, Row, Select, and_, exists, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.domain.ids import ERASED, ConversationId, MessageId, TenantId
from app.ports.distilling import GivenUp

SHOWN = 100
"""Of what was given up, the newest."""

_NAMED = 1_000
"""Messages that are named of all that was given up, the first of each conversation."""


def owned() -> Join:
    c, s = t.conversation.c, t.scope.c
    owner = d.distillation.join(t.conversation, c.key == d.distillation.c.conversation_key)
    return owner.join(t.scope, s.key == c.scope_key)


def waiting() -> ColumnElement[bool]:
    """Of what is not archived, nor out of reach to be erased."""
    return and_(t.conversation.c.archived.is_(False), t.scope.c.tenant != ERASED)


def is_left_out() -> ColumnElement[bool]:
    """Of messages: whether distilling goes on without them."""
    return exists().where(d.omission.c.message_key == t.message.c.key)


@dataclass(frozen=True, slots=True)
class SqlDistilReader:
    """The notes of one tenant."""

    connection: AsyncConnection
    tenant: TenantId

    async def given_up(self) -> Sequence[GivenUp]:
        newest = self._dead().order_by(
            d.distillation.c.noted_at.desc(), d.distillation.c.conversation_key
        )
        rows = await self.connection.execute(newest.limit(SHOWN))
        return await self._letters(rows.all())

    async def _letters(self, rows: Sequence[Row[Any]]) -> Sequence[GivenUp]:
        """Of notes that were given up, with the messages that are left out."""
        o, m = d.omission.c, t.message.c
        wanted = (
            select(o.conversation_key, m.id)
            .join(t.message, m.key == o.message_key)
            .where(o.conversation_key.in_([row.conversation_key for row in rows]))
            .order_by(o.conversation_key, o.message_key)
            .limit(_NAMED)
        )
        left_out = defaultdict[int, list[MessageId]](list)
        for inside, message_id in await self.connection.execute(wanted):
            left_out[inside].append(MessageId(message_id))
        return [_given_up(row, left_out[row.conversation_key]) for row in rows]

    def _dead(self) -> Select[Any]:
        return (
            select(d.distillation, t.conversation.c.id.label("conversation_id"))
            .select_from(owned())
            .where(t.scope.c.tenant == self.tenant, d.distillation.c.dead)
        )


def _given_up(row: Row[Any], messages: Sequence[MessageId]) -> GivenUp:
    return GivenUp(
        id=row.id,
        conversation_id=ConversationId(row.conversation_id),
        noted_at=row.noted_at,
        attempts=row.attempts,
        error=row.error or "",
        messages=messages,
    )

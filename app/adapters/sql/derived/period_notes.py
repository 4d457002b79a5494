"""Notes, made in the transaction of a change, that periods are to be summed up after it."""

from collections.abc import Iterable
from datetime import datetime
from uuid import uuid4

from sqlalchemy import BigInteger, ColumnElement, and_, case, func, or_, select, type_coerce
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.derived.erasing import derived_from, erase_items
from app.adapters.sql.dialect import is_postgres
from app.adapters.sql.narrowing.items import sums_up_several
from app.adapters.sql.one_hop import UNREAD
from app.adapters.sql.types import from_micros
from app.domain.conversation import Conversation
from app.domain.ids import ScopeKey, TenantId
from app.domain.periods import Span, span_about, spans_of
from app.ports.stored import Erased

_DAY = 86_400_000_000
_BEFORE_TIME = 1_000_000
"""Days, more than lie between year 1 and 1970: so much is added to divide no negative number."""


async def note_periods(
    connection: AsyncConnection, scope: ScopeKey, spans: Iterable[Span], *, now: datetime
) -> None:
    """
    Note that the summaries of these are to be looked at; among the last locks that are taken.

    What was given up gets a try with each note.
    """
    rows = [
        {
            "scope_key": scope,
            "level": each.period,
            "begins": each.begins,
            "until": each.until,
            "id": uuid4(),
            "revision": 1,
            "noted_at": max(now, each.until),
            "due_at": max(now, each.until),
        }
        for each in sorted(set(spans), key=lambda each: (each.period, each.begins))
    ]
    if not rows:
        return
    insert = postgresql.insert if is_postgres(connection) else sqlite.insert
    n, new = d.period_note.c, insert(d.period_note)
    sooner = or_(n.dead, new.excluded.due_at < n.due_at)
    noted = {
        "revision": n.revision + 1,
        "noted_at": case((n.dead, new.excluded.noted_at), else_=n.noted_at),
        "due_at": case((sooner, new.excluded.due_at), else_=n.due_at),
        "dead": False,
    }
    key = ["scope_key", "level", "begins"]
    noting = new.on_conflict_do_update(index_elements=key, set_=noted)
    await connection.execute(noting, rows, execution_options=UNREAD)


async def retell(
    connection: AsyncConnection, tenant: TenantId, conversation: Conversation, *, now: datetime
) -> None:
    """Have what sums up the times of a conversation made anew, without it or with it."""
    m = t.message.c
    inside = m.conversation_key == conversation.key
    await forget_periods(connection, tenant, conversation.scope, inside, now=now)
    micros = type_coerce(m.created_at, BigInteger)
    days = (micros + _BEFORE_TIME * _DAY).op("/")(_DAY)
    found = await connection.execute(select(func.min(micros)).where(inside).group_by(days))
    spans = {span for each in found.scalars() for span in spans_of(from_micros(each))}
    await note_periods(connection, conversation.scope, spans, now=now)


async def forget_periods(
    connection: AsyncConnection,
    tenant: TenantId,
    scope: ScopeKey,
    messages: ColumnElement[bool],
    *,
    now: datetime,
) -> Erased:
    """Erase the summaries of periods that tell of these messages of a scope; they come anew."""
    i = t.memory_item.c
    telling = and_(derived_from(messages), sums_up_several(), i.scope_key == scope)
    subjects = (await connection.execute(select(i.subject).where(telling))).scalars()
    spans = [span for each in subjects if (span := span_about(each))]
    erased = await erase_items(connection, tenant, telling, now=now)
    await note_periods(connection, scope, spans, now=now)
    return erased

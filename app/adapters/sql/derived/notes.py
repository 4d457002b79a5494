"""Notes, made in the transaction of a change, that distilling must follow it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any
from uuid import uuid4

from sqlalchemy import Executable, case, or_, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import is_postgres
from app.adapters.sql.one_hop import UNREAD
from app.domain.ids import ConversationKey, MessageKey


async def note(
    connection: AsyncConnection,
    conversations: Sequence[ConversationKey],
    *,
    now: datetime,
    anew: bool = False,
) -> None:
    """
    Note that these conversations are to be distilled; given `anew`, from their first message on.

    What was given up gets a try with each note. The last lock that a transaction takes.
    """
    told = {"revision": 1, "noted_at": now, "due_at": now}
    rows = [{**told, "conversation_key": key, "id": uuid4()} for key in sorted(conversations)]
    if rows:
        noting = _noting(on_postgres=is_postgres(connection), anew=anew)
        await connection.execute(noting, rows, execution_options=UNREAD)


@cache
def _noting(*, on_postgres: bool, anew: bool) -> Executable:
    """What is in the rows is when they are noted; it belongs to every turn."""
    new = (postgresql.insert if on_postgres else sqlite.insert)(d.distillation)
    o, now = d.distillation.c, new.excluded
    idle = or_(o.due_at.is_(None), o.dead)
    noted: dict[str, Any] = {
        "revision": o.revision + 1,
        "noted_at": case((idle, now.noted_at), else_=o.noted_at),
        "due_at": case((idle, now.due_at), else_=o.due_at),
        "dead": False,
    }
    if anew:
        noted |= {"until_key": 0, "due_at": now.due_at, "anew_at": now.noted_at}
    return new.on_conflict_do_update(index_elements=["conversation_key"], set_=noted)


async def note_again(
    connection: AsyncConnection,
    several: Mapping[ConversationKey, MessageKey],
    *,
    now: datetime,
) -> None:
    """The same; conversations are distilled once more from these messages on."""
    o = d.distillation.c
    for inside, first in sorted(several.items()):
        behind = update(d.distillation).where(o.conversation_key == inside, o.until_key >= first)
        await connection.execute(behind.values(until_key=first - 1), execution_options=UNREAD)
    await note(connection, list(several), now=now)


async def note_summaries(
    connection: AsyncConnection, conversations: Sequence[ConversationKey]
) -> None:
    """Note that what sums up these is to be made anew."""
    ours = d.distillation.c.conversation_key.in_(conversations)
    if conversations:
        await connection.execute(
            update(d.distillation).where(ours).values(resummarise=True), execution_options=UNREAD
        )

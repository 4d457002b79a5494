"""Notes, made in the transaction of a change, that distilling must follow it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import case, literal, or_, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import is_postgres
from app.adapters.sql.types import Instant
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
    rows = [
        {"conversation_key": key, "id": uuid4(), "revision": 1, "noted_at": now, "due_at": now}
        for key in sorted(conversations)
    ]
    if not rows:
        return
    o = d.distillation.c
    at_once = literal(now, Instant)
    idle = or_(o.due_at.is_(None), o.dead)
    noted: dict[str, Any] = {
        "revision": o.revision + 1,
        "noted_at": case((idle, at_once), else_=o.noted_at),
        "due_at": case((idle, at_once), else_=o.due_at),
        "dead": False,
    }
    if anew:
        noted |= {"until_key": 0, "due_at": now, "anew_at": now}
    insert = postgresql.insert if is_postgres(connection) else sqlite.insert
    upsert = insert(d.distillation).on_conflict_do_update(
        index_elements=["conversation_key"], set_=noted
    )
    await connection.execute(upsert, rows)


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
        await connection.execute(behind.values(until_key=first - 1))
    await note(connection, list(several), now=now)


async def note_summaries(
    connection: AsyncConnection, conversations: Sequence[ConversationKey]
) -> None:
    """Note that what sums up these is to be made anew."""
    ours = d.distillation.c.conversation_key.in_(conversations)
    if conversations:
        await connection.execute(update(d.distillation).where(ours).values(resummarise=True))

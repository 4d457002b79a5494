"""What somebody deleted or changed of all that was derived, kept with what says it."""

from collections.abc import Sequence

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql.said.scopes import hold_scopes
from app.distil.facts.filing import mark_of
from app.domain.memories import Memory
from app.domain.memory import ItemType, table_and_row

_DRAWN = frozenset({ItemType.FACT, ItemType.TOOL})
"""What is drawn from messages one by one; a summary is always made anew."""


async def refuse(connection: AsyncConnection, item: Memory) -> None:
    """
    Have what an item says not derived again from the messages that it was derived from.

    Their conversations are taken first, as a worker does that writes what it distilled there. Who
    says it again later is heard: the marks are of these messages, and go with them.
    """
    if item.type not in _DRAWN:
        return
    row = table_and_row(item.key)[1]
    await take(connection, item)
    mark = mark_of(item.subject, item.metadata if item.derived else None)
    for key, unwanted in await _derived_from(connection, row, derived=item.derived):
        marked = update(t.message).where(t.message.c.key == key)
        await connection.execute(marked.values(unwanted=sorted({*unwanted, mark})))


async def take(connection: AsyncConnection, item: Memory) -> None:
    """Take the scope of an item, after the conversations of what it is derived from."""
    await _take_conversations(connection, table_and_row(item.key)[1])
    await hold_scopes(connection, [item.scope])


async def _take_conversations(connection: AsyncConnection, row: int) -> None:
    c, m, edge = t.conversation.c, t.message.c, t.lineage.c
    citing = select(m.conversation_key).join(t.lineage, edge.message_key == m.key)
    ours = select(c.key).where(c.key.in_(citing.where(edge.item_key == row)))
    await connection.execute(ours.order_by(c.key).with_for_update())


async def _derived_from(
    connection: AsyncConnection, row: int, *, derived: bool
) -> Sequence[tuple[int, Sequence[str]]]:
    """
    The messages that an item was derived from, with what is unwanted there; none where only a
    caller told the item.
    """
    m, edge = t.message.c, t.lineage.c
    said_by = (
        select(m.key, m.unwanted, edge.found_at)
        .join(t.lineage, edge.message_key == m.key)
        .where(edge.item_key == row)
        .order_by(m.key)
    )
    rows = (await connection.execute(said_by)).all()
    drawn = derived or any(each.found_at is not None for each in rows)
    return [(each.key, each.unwanted or ()) for each in rows] if drawn else []

"""What full text holds of memory items, and how they are taken out of it."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, and_, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql.full_text.asking import full_text
from app.adapters.sql.full_text.entries import Entry
from app.adapters.sql.full_text.rebuild_window import items_built
from app.adapters.sql.items.pieces import item_pieces_of
from app.adapters.sql.said.counters import count
from app.domain.ids import ScopeKey


async def entries_held(
    connection: AsyncConnection, condition: ColumnElement[bool]
) -> Sequence[Entry]:
    """Of the items that meet `condition`; not of archived conversations, nor what is unbuilt."""
    c, inside = t.conversation.c, t.memory_item.c.conversation_key
    archived = select(c.key).where(c.archived, c.key == inside).exists()
    shown = or_(inside.is_(None), ~archived)
    held = and_(condition, shown, await items_built(connection))
    return (await item_pieces_of(connection, held)).entries


async def unindex_items(connection: AsyncConnection, condition: ColumnElement[bool]) -> int:
    """Take items out of full text, and out of the counters of their scopes; how many entries."""
    entries = await entries_held(connection, condition)
    await full_text(connection).remove(entries)
    owners = select(t.memory_item.c.scope_key).where(condition).distinct()
    touched = [ScopeKey(key) for key in (await connection.execute(owners)).scalars()]
    await count(connection, entries, sign=-1, touched=touched)
    return len(entries)

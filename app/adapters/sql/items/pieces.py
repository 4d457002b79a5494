"""What the indexes hold of memory items, made again from the truth."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql.full_text.entries import Entry
from app.adapters.sql.narrowing.items import in_words
from app.adapters.sql.said.pieces import Pieces
from app.domain.ids import ConversationKey, ItemKey, ScopeKey
from app.domain.memory import Table, item_key
from app.text.terms import terms_of


async def item_pieces_of(connection: AsyncConnection, condition: ColumnElement[bool]) -> Pieces:
    """Those in full text of the memory items that meet `condition`: each itself, or its parts."""
    i = t.memory_item.c
    root = func.coalesce(i.parent_key, i.key).label("root")
    wanted: Select[Any] = (
        select(i.key, i.scope_key, i.conversation_key, root, i.content)
        .where(in_words(), condition)
        .order_by(i.key)
    )
    rows = (await connection.execute(wanted)).all()
    return Pieces(
        keys=[item_key(Table.MEMORY, row.key) for row in rows],
        entries=[item_entry(row, terms_of(row.content)) for row in rows],
    )


async def item_keys_of(
    connection: AsyncConnection, condition: ColumnElement[bool]
) -> Sequence[ItemKey]:
    """The keys of the same pieces; nothing is read that they hold."""
    i = t.memory_item.c
    wanted = select(i.key).where(i.terms.is_not(None), condition).order_by(i.key)
    return [item_key(Table.MEMORY, key) for key in (await connection.execute(wanted)).scalars()]


def item_entry(row: Row[Any], terms: Sequence[str]) -> Entry:
    """An entry of a row with key, scope_key, conversation_key and root."""
    inside = row.conversation_key
    return Entry(
        key=item_key(Table.MEMORY, row.key),
        scope=ScopeKey(row.scope_key),
        conversation=None if inside is None else ConversationKey(inside),
        terms=terms,
        item=item_key(Table.MEMORY, row.root),
    )

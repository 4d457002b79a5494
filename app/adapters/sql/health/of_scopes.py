"""Whether what is derived lies in the scope of what it is derived from, and bringing it there."""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Integer,
    Select,
    and_,
    delete,
    exists,
    literal,
    or_,
    select,
    update,
)
from sqlalchemy import Table as SqlTable
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import numbers
from app.adapters.sql.projecting.indexable import ROWS
from app.domain.ids import ERASED, EntityKey, ItemKey
from app.domain.memory import Table, item_key, rows_of

_whole = t.memory_item.alias("whole")
_target = d.entity.alias("target")

_OWNED_BY = {
    "chunk": t.chunk.c.message_key == t.message.c.key,
    "part": t.memory_item.c.parent_key == _whole.c.key,
    "item": t.memory_item.c.conversation_key == t.conversation.c.key,
}


async def strays(connection: AsyncConnection) -> Sequence[ItemKey]:
    """Of the truth itself: messages, and what a caller told, in another scope than their chat."""
    m, c, i = t.message.c, t.conversation.c, t.memory_item.c
    messages = (
        select(m.key)
        .join(t.conversation, c.key == m.conversation_key)
        .where(m.scope_key != c.scope_key, ~is_doomed(c.scope_key))
    )
    told = _items_astray().where(i.derived.is_(False))
    return [
        *await _keys(connection, Table.MESSAGE, messages),
        *await _keys(connection, Table.MEMORY, told),
    ]


async def astray(connection: AsyncConnection) -> Sequence[ItemKey]:
    """Chunks, parts of items, and derived items that lie in another scope than their origin."""
    m, k, i = t.message.c, t.chunk.c, t.memory_item.c
    chunks = select(k.key).join(t.message, _OWNED_BY["chunk"]).where(k.scope_key != m.scope_key)
    parts = select(i.key).join(_whole, _OWNED_BY["part"]).where(i.scope_key != _whole.c.scope_key)
    derived = _items_astray().where(i.derived)
    return [
        *await _keys(connection, Table.CHUNK, chunks),
        *await _keys(connection, Table.MEMORY, parts),
        *await _keys(connection, Table.MEMORY, derived),
    ]


def _items_astray() -> Select[Any]:
    i, c = t.memory_item.c, t.conversation.c
    return (
        select(i.key)
        .join(t.conversation, _OWNED_BY["item"])
        .where(i.parent_key.is_(None), i.scope_key != c.scope_key, ~is_doomed(c.scope_key))
    )


async def bring_home(connection: AsyncConnection, keys: Sequence[ItemKey]) -> None:
    """Put what is astray into the scope of its origin; the parts of an item follow the item."""
    k, i = t.chunk.c, t.memory_item.c
    chunks, items = rows_of(Table.CHUNK, keys), rows_of(Table.MEMORY, keys)
    moves = (
        (t.chunk, k.key.in_(numbers(chunks)), t.message, _OWNED_BY["chunk"]),
        (t.memory_item, i.key.in_(numbers(items)), t.conversation, _OWNED_BY["item"]),
        (t.memory_item, i.key.in_(numbers(items)), _whole, _OWNED_BY["part"]),
    )
    for table, ours, owner, owned in moves:
        home = select(owner.c.scope_key).where(owned).scalar_subquery()
        moved = update(table).where(ours, exists().where(owned))
        await connection.execute(moved.values(scope_key=home))


async def notes_astray(connection: AsyncConnection) -> Sequence[ItemKey]:
    """Items that the outbox names under another scope, or another tenant, than their own."""
    found: set[int] = set()
    for table, rows in ROWS.items():
        noted = (
            select(d.outbox.c.item_key)
            .join(rows, _noted(table, rows))
            .join(t.scope, t.scope.c.key == rows.c.scope_key)
            .where(_differs(rows), t.scope.c.tenant != ERASED)
        )
        found |= set((await connection.execute(noted)).scalars())
    return [ItemKey(key) for key in sorted(found)]


async def bring_notes_home(connection: AsyncConnection, keys: Sequence[ItemKey]) -> None:
    """Put what the outbox says of these items under their own scope and tenant."""
    o, s = d.outbox.c, t.scope.c
    for table, rows in ROWS.items():
        home = select(rows.c.scope_key).where(_noted(table, rows)).scalar_subquery()
        owner = select(s.tenant).join(rows, rows.c.scope_key == s.key).where(_noted(table, rows))
        noted = o.item_key.in_(numbers(keys)), exists().where(_noted(table, rows))
        moved = update(d.outbox).where(*noted)
        await connection.execute(moved.values(scope_key=home, tenant=owner.scalar_subquery()))


def _noted(table: Table, rows: SqlTable) -> ColumnElement[bool]:
    """By the key of the row, of which there is an index."""
    noted = d.outbox.c.item_key
    row, kind = noted.op(">>")(literal(2, Integer)), noted.op("&")(literal(3, Integer))
    return and_(rows.c.key == row, kind == int(table))


def _differs(rows: SqlTable) -> ColumnElement[bool]:
    o = d.outbox.c
    return or_(o.scope_key != rows.c.scope_key, o.tenant != t.scope.c.tenant)


def is_doomed(scope: ColumnElement[int]) -> ColumnElement[bool]:
    """Of the key of a scope: what lies in it is being erased."""
    return exists().where(t.scope.c.key == scope, t.scope.c.tenant == ERASED)


async def mixed_entities(connection: AsyncConnection) -> Sequence[EntityKey]:
    """Entities with a name, a mention or an edge that is of another scope."""
    found: set[int] = set()
    for rows in _mixing():
        found |= set((await connection.execute(rows)).scalars())
    return [EntityKey(key) for key in sorted(found)]


def _mixing() -> Iterator[Select[Any]]:
    e, a, n = d.entity.c, d.entity_alias.c, d.mention.c
    m, g, p = t.message.c, d.edge.c, d.edge_evidence.c
    yield (
        select(e.key).join(d.entity_alias, a.entity_key == e.key).where(a.scope_key != e.scope_key)
    )
    yield (
        select(e.key)
        .join(d.mention, n.entity_key == e.key)
        .join(d.entity_alias, a.key == n.alias_key)
        .join(t.message, m.key == n.message_key)
        .where(or_(m.scope_key != e.scope_key, a.entity_key != e.key))
    )
    yield (
        select(e.key)
        .join(d.edge, g.source_key == e.key)
        .join(_target, _target.c.key == g.target_key)
        .where(_target.c.scope_key != e.scope_key)
    )
    yield (
        select(e.key)
        .join(d.edge, g.source_key == e.key)
        .join(d.edge_evidence, p.edge_key == g.key)
        .join(t.message, m.key == p.message_key)
        .where(m.scope_key != e.scope_key)
    )


async def forget_entities(connection: AsyncConnection, keys: Sequence[EntityKey]) -> None:
    """Drop these with their names, mentions and edges: what messages say makes them anew."""
    gone = delete(d.entity).where(d.entity.c.key.in_(numbers(keys)))
    await connection.execute(gone)


async def _keys(connection: AsyncConnection, table: Table, rows: Select[Any]) -> Sequence[ItemKey]:
    found = (await connection.execute(rows.order_by(rows.selected_columns[0]))).scalars()
    return [item_key(table, key) for key in found]

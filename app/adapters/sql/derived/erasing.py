"""Memory items, and all that is derived from them in SQL, erased in one transaction."""

from collections.abc import Mapping
from datetime import datetime
from itertools import groupby
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, delete, exists, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql.dialect import numbers
from app.adapters.sql.items.full_text import unindex_items
from app.adapters.sql.items.timeline import rows_with_parts, superseded
from app.adapters.sql.projecting.embeddings import forget_embeddings
from app.adapters.sql.projecting.outbox import enqueue
from app.adapters.sql.said.scopes import hold_scopes
from app.domain.ids import ConversationKey, MessageKey, ScopeKey, TenantId
from app.domain.memory import ItemType, Table, item_key
from app.ports.stored import Erased

_WHATEVER_IS_LEFT = (ItemType.FACT.value,)
"""The types that any one message of the lineage says in full; others draw on all of them."""


def derived_from(messages: ColumnElement[bool]) -> ColumnElement[bool]:
    """Of memory items: that they would not be there without the messages of the condition."""
    i, edges = (
        t.memory_item.c,
        t.lineage.join(t.message, t.message.c.key == t.lineage.c.message_key),
    )
    drawn = i.key.in_(select(t.lineage.c.item_key).select_from(edges).where(messages))
    said = and_(t.lineage.c.item_key == i.key, t.lineage.c.reworded.is_(False))
    other = exists().select_from(edges).where(said, ~messages)
    return and_(drawn, or_(i.type.not_in(_WHATEVER_IS_LEFT), ~other))


async def said_elsewhere(
    connection: AsyncConnection, items: ColumnElement[bool], messages: ColumnElement[bool]
) -> Mapping[ConversationKey, MessageKey]:
    """The first of the messages, by conversation, from which the items were drawn as well."""
    m = t.message.c
    wanted = (
        select(m.conversation_key, func.min(m.key))
        .select_from(t.lineage.join(t.message, m.key == t.lineage.c.message_key))
        .where(t.lineage.c.item_key.in_(select(t.memory_item.c.key).where(items)), messages)
        .group_by(m.conversation_key)
    )
    rows = await connection.execute(wanted)
    return {ConversationKey(inside): MessageKey(first) for inside, first in rows}


async def erase_items(
    connection: AsyncConnection, tenant: TenantId, condition: ColumnElement[bool], *, now: datetime
) -> Erased:
    """
    Erase the memory items that meet `condition`, whoever's they are, with their parts.

    What they superseded holds again, as if they had never been; the older versions of a document go
    with it. Vectors follow through the outbox of `tenant`.
    """
    doomed = await _doomed(connection, condition)
    if not doomed:
        return Erased()
    await hold_scopes(connection, [row.scope_key for row in doomed.values()])
    i = t.memory_item.c
    keys = sorted(doomed)
    ours = rows_with_parts(keys)
    found = select(i.key, i.scope_key, i.conversation_key).where(ours).order_by(i.scope_key, i.key)
    rows = (await connection.execute(found)).all()
    item_keys = [item_key(Table.MEMORY, row.key) for row in rows]
    indexed = await unindex_items(connection, ours)
    await _relink(connection, tenant, doomed, now=now)
    entry = t.profile_entry.c.item_key.in_(numbers(keys))
    told = await connection.execute(select(func.count()).select_from(t.profile_entry).where(entry))
    await connection.execute(delete(t.memory_item).where(i.key.in_(numbers(keys))))
    # Behind the items, as whoever stores embeddings takes them.
    embeddings = await forget_embeddings(connection, item_keys)
    for scope, several in groupby(rows, key=lambda row: ScopeKey(row.scope_key)):
        gone = [item_key(Table.MEMORY, row.key) for row in several]
        await enqueue(connection, tenant, scope, gone, now=now)
    return Erased(
        conversations=sorted({row.conversation_key for row in rows} - {None}),
        keys=item_keys,
        items=[item_key(Table.MEMORY, key) for key in keys],
        memory_items=len(keys),
        profile_entries=told.scalar_one(),
        embeddings=embeddings,
        full_text=indexed,
    )


async def _doomed(
    connection: AsyncConnection, condition: ColumnElement[bool]
) -> Mapping[int, Row[Any]]:
    """The whole items, by key, with the older versions of documents."""
    i = t.memory_item.c
    told = select(i.key, i.scope_key, i.superseded_by).where(i.parent_key.is_(None))
    rows = (await connection.execute(told.where(condition))).all()
    doomed: dict[int, Row[Any]] = {}
    while rows:
        doomed |= {row.key: row for row in rows}
        older = and_(
            i.type == ItemType.DOCUMENT.value,
            i.superseded_by.in_(numbers([row.key for row in rows])),
            i.key.not_in(numbers(doomed)),
        )
        rows = (await connection.execute(told.where(older))).all()
    return doomed


async def _relink(
    connection: AsyncConnection,
    tenant: TenantId,
    doomed: Mapping[int, Row[Any]],
    *,
    now: datetime,
) -> None:
    """What doomed items superseded is now superseded by what superseded these, if anything did."""
    i = t.memory_item.c
    left = and_(i.superseded_by.in_(numbers(doomed)), i.key.not_in(numbers(doomed)))
    wanted = select(i.key, i.scope_key, i.superseded_by).where(left, i.parent_key.is_(None))
    for row in (await connection.execute(wanted)).all():
        heir = _heir(row.superseded_by, doomed)
        keys = await superseded(connection, row.key, by=heir, now=now)
        await enqueue(connection, tenant, ScopeKey(row.scope_key), keys, now=now)


def _heir(key: int | None, doomed: Mapping[int, Row[Any]]) -> int | None:
    while key is not None and key in doomed:
        key = doomed[key].superseded_by
    return key

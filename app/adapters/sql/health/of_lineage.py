"""Whether what is derived tells what it was derived from, and having it derived anew."""

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby

from sqlalchemy import ColumnElement, and_, delete, exists, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql.derived.erasing import erase_items
from app.adapters.sql.derived.notes import note, note_summaries
from app.adapters.sql.derived.period_notes import note_periods
from app.adapters.sql.dialect import numbers
from app.domain.ids import ERASED, ConversationKey, ItemKey, ScopeKey, TenantId
from app.domain.memory import Table, item_key, rows_of
from app.domain.periods import span_about


def _false_edge() -> ColumnElement[bool]:
    """Of a lineage: what it joins is not there, or in two scopes."""
    w, i, m = t.lineage.c, t.memory_item.c, t.message.c
    true = exists().where(i.key == w.item_key, m.key == w.message_key, i.scope_key == m.scope_key)
    return ~true


def _underived() -> ColumnElement[bool]:
    """Of memory items: a worker made them, and nothing says of what."""
    i = t.memory_item.c
    told = exists().where(t.lineage.c.item_key == i.key)
    return and_(i.derived, i.parent_key.is_(None), ~told)


async def misled(connection: AsyncConnection) -> Sequence[ItemKey]:
    """Memory items, there or not, whose lineage leads nowhere or into another scope."""
    w = t.lineage.c
    rows = select(w.item_key).where(_false_edge()).distinct().order_by(w.item_key)
    return [item_key(Table.MEMORY, key) for key in (await connection.execute(rows)).scalars()]


async def underived(connection: AsyncConnection) -> Sequence[ItemKey]:
    """Derived memory items without a lineage."""
    i = t.memory_item.c
    rows = (
        select(i.key)
        .join(t.scope, t.scope.c.key == i.scope_key)
        .where(_underived(), t.scope.c.tenant != ERASED)
        .order_by(i.key)
    )
    return [item_key(Table.MEMORY, key) for key in (await connection.execute(rows)).scalars()]


async def drop_false_lineage(connection: AsyncConnection, keys: Sequence[ItemKey]) -> None:
    ours = t.lineage.c.item_key.in_(numbers(rows_of(Table.MEMORY, keys)))
    await connection.execute(delete(t.lineage).where(ours, _false_edge()))


async def derive_anew(
    connection: AsyncConnection, keys: Sequence[ItemKey], *, now: datetime
) -> None:
    """Erase those of these that have no lineage, and note that they are to be made anew."""
    i, s = t.memory_item.c, t.scope.c
    ours = and_(i.key.in_(numbers(rows_of(Table.MEMORY, keys))), _underived())
    columns = (i.key, i.scope_key, i.conversation_key, i.subject, s.tenant)
    found = select(*columns).join(t.scope, s.key == i.scope_key).where(ours).order_by(s.tenant)
    rows = (await connection.execute(found)).all()
    for tenant, several in groupby(rows, key=lambda row: TenantId(row.tenant)):
        mine = i.key.in_(numbers([row.key for row in several]))
        await erase_items(connection, tenant, mine, now=now)
    spans = {row.key: span_about(row.subject) for row in rows if row.conversation_key is None}
    homeless = {row.scope_key for row in rows if row.key in spans and spans[row.key] is None}
    inside = {row.conversation_key for row in rows} - {None}
    inside |= await _conversations_of(connection, homeless)
    await note(connection, sorted(inside), now=now, anew=True)
    await note_summaries(connection, sorted(inside))
    for row in rows:
        if span := spans.get(row.key):
            await note_periods(connection, ScopeKey(row.scope_key), [span], now=now)


async def _conversations_of(connection: AsyncConnection, scopes: set[int]) -> set[ConversationKey]:
    c = t.conversation.c
    rows = await connection.execute(select(c.key).where(c.scope_key.in_(numbers(scopes))))
    return {ConversationKey(key) for key in rows.scalars()}

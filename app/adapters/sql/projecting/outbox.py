"""The outbox: notes, made in the transaction of a change, that projections must follow it."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import bindparam, func, insert, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.items.rows import key_of_item
from app.adapters.sql.one_hop import UNREAD
from app.adapters.sql.portioned import portions
from app.adapters.sql.said.pieces import embedded_keys
from app.domain.ids import ItemKey, ScopeKey, TenantId


async def enqueue(
    connection: AsyncConnection,
    tenant: TenantId,
    scope: ScopeKey,
    keys: Sequence[ItemKey],
    *,
    now: datetime,
) -> None:
    """Note that these items may differ from their projections."""
    note = {"tenant": tenant, "scope_key": scope, "created_at": now, "due_at": now}
    for some in portions(keys):
        rows = [{**note, "item_key": key} for key in some]
        await connection.execute(_NOTED, rows, execution_options=UNREAD)


async def last_note(connection: AsyncConnection, tenant: TenantId) -> int:
    """The last note of a tenant, by its key; 0 for none."""
    return int((await connection.execute(_LAST_NOTE, {"of_tenant": tenant})).scalar_one())


_NOTED = insert(d.outbox)
_LAST_NOTE = select(func.coalesce(func.max(d.outbox.c.key), 0)).where(
    d.outbox.c.tenant == bindparam("of_tenant")
)
"""Made once: they belong to every turn."""


async def waits(connection: AsyncConnection, tenant: TenantId, *, until: int) -> bool:
    """Whether a note of the tenant, up to this one, waits for a worker."""
    o = d.outbox.c
    waiting = select(o.key).where(o.tenant == tenant, o.key <= until, o.dead.is_(False))
    return (await connection.execute(waiting.limit(1))).first() is not None


async def given_up(connection: AsyncConnection, tenant: TenantId, ids: Sequence[UUID]) -> int:
    """How many of these messages and memory items, with their parts, workers gave up."""
    o, i = d.outbox.c, t.memory_item.c
    whole = select(i.key).where(i.id.in_(ids))
    items = select(key_of_item()).where(or_(i.id.in_(ids), i.parent_key.in_(whole)))
    ours = or_(o.item_key.in_(embedded_keys(t.message.c.id.in_(ids))), o.item_key.in_(items))
    dead = select(func.count()).where(o.tenant == tenant, o.dead.is_(True), ours)
    return int((await connection.execute(dead)).scalar_one())

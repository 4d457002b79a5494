"""The outbox: notes, made in the transaction of a change, that projections must follow it."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables_derived as d
from app.adapters.sql.portioned import portions
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
        await connection.execute(insert(d.outbox), [{**note, "item_key": key} for key in some])

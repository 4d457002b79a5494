"""Erasures that take more than one transaction: begun, gone on with, ended."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables_log as t
from app.adapters.sql.dialect import is_postgres
from app.domain.ids import ScopeKey, TenantId
from app.ports.stored import Erased, Erasure


async def begin(
    connection: AsyncConnection, erasure: Erasure, erased: Erased, *, now: datetime
) -> None:
    row = {"id": erasure.id, "tenant": erasure.tenant, "subject": erasure.subject}
    row |= {"scope_key": erasure.scope, "counts": erased.counts(), "worked_on_at": now}
    await connection.execute(insert(t.erasure).values(row))


async def go_on(
    connection: AsyncConnection, scope: ScopeKey, erased: Erased, *, now: datetime
) -> None:
    """Count what one more portion erased; whoever calls has the erasure to themself."""
    mine = t.erasure.c.scope_key == scope
    so_far = await connection.execute(select(t.erasure.c.counts).where(mine))
    if (counts := so_far.scalar_one_or_none()) is None:
        return
    total = Erased(**counts) + erased
    changed = update(t.erasure).where(mine).values(counts=total.counts(), worked_on_at=now)
    await connection.execute(changed)


async def end(connection: AsyncConnection, tenant: TenantId, erasure: UUID) -> Erased | None:
    """What all of it erased; None if it was ended before."""
    e = t.erasure.c
    ended = delete(t.erasure).where(e.id == erasure, e.tenant == tenant).returning(e.counts)
    counts = (await connection.execute(ended)).scalar_one_or_none()
    return None if counts is None else Erased(**counts)


async def unfinished(connection: AsyncConnection, *, until: datetime) -> Sequence[Erasure]:
    """What is not told to be over; on PostgreSQL, where others may be at it, nobody was since."""
    e = t.erasure.c
    left = select(e.id, e.tenant, e.subject, e.scope_key).order_by(e.scope_key)
    if is_postgres(connection):
        left = left.where(e.worked_on_at <= until)
    return [
        Erasure(
            id=row.id,
            tenant=TenantId(row.tenant),
            subject=row.subject,
            scope=ScopeKey(row.scope_key),
        )
        for row in await connection.execute(left)
    ]

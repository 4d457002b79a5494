"""Receipts of bundles and retrieval metrics: what was answered, without a word of memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables_derived as d
from app.domain.errors import BundleNotFound
from app.domain.ids import BundleId, TenantId
from app.ports.stored import Receipt

BUNDLES_KEPT = timedelta(days=7)
METRICS_KEPT = timedelta(days=30)
ANSWERS_KEPT = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class SqlBundles:
    connection: AsyncConnection
    tenant: TenantId

    async def get(self, bundle_id: BundleId) -> Receipt:
        b = d.bundle.c
        wanted = select(b.scope_key, b.created_at, b.request, b.answer).where(
            b.id == bundle_id, b.tenant == self.tenant
        )
        row = (await self.connection.execute(wanted)).one_or_none()
        if row is None:
            raise BundleNotFound(bundle_id=str(bundle_id))
        return Receipt(
            bundle_id=bundle_id,
            tenant=self.tenant,
            scope=row.scope_key,
            created_at=row.created_at,
            request=row.request,
            answer=row.answer,
            total_ms=row.answer["timings"]["total"] * 1000,
            facts={},
        )


async def keep_receipts(connection: AsyncConnection, receipts: Sequence[Receipt]) -> None:
    bundles = [
        {
            "id": each.bundle_id,
            "tenant": each.tenant,
            "scope_key": each.scope,
            "created_at": each.created_at,
            "request": each.request,
            "answer": each.answer,
        }
        for each in receipts
    ]
    metrics = [
        {
            "tenant": each.tenant,
            "created_at": each.created_at,
            "total_ms": each.total_ms,
            "facts": each.facts,
        }
        for each in receipts
    ]
    if receipts:
        await connection.execute(insert(d.bundle), bundles)
        await connection.execute(insert(d.retrieval_metric), metrics)


async def forget_old(connection: AsyncConnection, *, now: datetime) -> None:
    """Drop receipts, metrics and idempotency keys past their time."""
    for table, kept in (
        (d.bundle, BUNDLES_KEPT),
        (d.retrieval_metric, METRICS_KEPT),
        (d.idempotency, ANSWERS_KEPT),
    ):
        await connection.execute(delete(table).where(table.c.created_at < now - kept))

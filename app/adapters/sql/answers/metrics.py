"""Retrieval metrics: contexts one by one, and by minute what the cache answered and what waited."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Text,
    case,
    cast,
    func,
    literal_column,
    select,
    type_coerce,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import is_postgres
from app.adapters.sql.types import to_micros
from app.domain.ids import TenantId
from app.ports.measuring import Beat, Built, Span


@dataclass(frozen=True, slots=True)
class SqlMetrics:
    connection: AsyncConnection
    tenant: TenantId

    async def built_by_bucket(self, span: Span) -> Sequence[int]:
        m = d.retrieval_metric.c
        bucket = _bucket(m.created_at, span)
        rows = await self.connection.execute(
            select(bucket, func.count()).where(*self._within(m, span)).group_by(bucket)
        )
        counts = [0] * span.buckets
        for at, count in rows:
            counts[at] = count
        return counts

    async def built(self, span: Span, *, every: int, after: int, limit: int) -> Sequence[Built]:
        m = d.retrieval_metric.c
        some = (m.key > after, m.key % every == 0)
        wanted = (
            select(m.key, m.created_at, m.total_ms, cast(m.facts, Text).label("facts"))
            .where(*self._within(m, span), *some)
            .order_by(m.key)
            .limit(limit)
        )
        return [
            Built(key=row.key, at=row.created_at, total_ms=row.total_ms, facts=row.facts)
            for row in await self.connection.execute(wanted)
        ]

    async def beats(self, span: Span) -> Sequence[Beat]:
        p = d.pulse.c
        bucket = _bucket(p.created_at, span)
        rows = await self.connection.execute(
            select(
                bucket.label("bucket"),
                func.sum(p.cached).label("cached"),
                func.sum(p.cached_ms).label("cached_ms"),
                func.max(p.waiting).label("waiting"),
                func.max(p.oldest_s).label("oldest_s"),
                func.max(p.dead).label("dead"),
            )
            .where(*self._within(p, span))
            .group_by(bucket)
            .order_by(bucket)
        )
        return [
            Beat(
                tenant=self.tenant,
                at=span.start + timedelta(seconds=row.bucket * span.bucket),
                cached=int(row.cached),
                cached_ms=row.cached_ms,
                waiting=row.waiting,
                oldest_s=row.oldest_s,
                dead=row.dead,
            )
            for row in rows
        ]

    def _within(self, columns: Any, span: Span) -> Sequence[ColumnElement[bool]]:  # noqa: ANN401  (of either table)
        at = columns.created_at
        return columns.tenant == self.tenant, at >= span.start, at < span.stop


async def keep_beats(connection: AsyncConnection, several: Sequence[Beat]) -> None:
    """Add to what is there of the same minute, which other processes may have written."""
    if not several:
        return
    rows = [asdict(each) for each in several]
    for row in rows:
        row["created_at"] = row.pop("at")
    server = postgresql.insert(d.pulse) if is_postgres(connection) else sqlite.insert(d.pulse)
    p, new = d.pulse.c, server.excluded
    added = {name: p[name] + new[name] for name in ("cached", "cached_ms")}
    most = {
        name: case((p[name] > new[name], p[name]), else_=new[name])
        for name in ("waiting", "oldest_s", "dead")
    }
    statement = server.on_conflict_do_update(
        index_elements=["tenant", "created_at"], set_=added | most
    )
    await connection.execute(statement, rows)


def _bucket(moment: ColumnElement[Any], span: Span) -> ColumnElement[int]:
    """Which bucket a moment lies in. The numbers are ours, and written into the statement."""
    since: ColumnElement[int] = type_coerce(moment, BigInteger) - literal_column(
        str(to_micros(span.start))
    )
    return since.op("/", precedence=8, return_type=BigInteger())(
        literal_column(str(span.bucket * 1_000_000))
    )

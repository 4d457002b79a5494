"""Units of work over a database: the only way to a DAO."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from sqlalchemy import Column, ColumnElement, Select, func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import receipts
from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.conversations import SqlConversations
from app.adapters.sql.database import Database
from app.adapters.sql.dialect import is_postgres
from app.adapters.sql.erase import SqlEraser
from app.adapters.sql.messages import SqlMessages
from app.adapters.sql.observations import SqlObservations
from app.adapters.sql.pieces import embedded_keys
from app.adapters.sql.projections import SqlProjections
from app.adapters.sql.recall import SqlRecall
from app.adapters.sql.recallable import of_any_model
from app.adapters.sql.scopes import SqlScopes
from app.domain.ids import TenantId
from app.ports.stored import Counts, Receipt


class _Unit:
    """The DAOs of one tenant on one connection."""

    def __init__(self, connection: AsyncConnection, tenant: TenantId) -> None:
        self._connection = connection
        self._tenant = tenant

    @cached_property
    def scopes(self) -> SqlScopes:
        return SqlScopes(self._connection, self._tenant)

    @cached_property
    def conversations(self) -> SqlConversations:
        return SqlConversations(self._connection, self._tenant)

    @cached_property
    def messages(self) -> SqlMessages:
        return SqlMessages(self._connection, self._tenant)


class SqlSnapshot(_Unit):
    @cached_property
    def recall(self) -> SqlRecall:
        return SqlRecall(self._connection, self._tenant)

    @cached_property
    def bundles(self) -> receipts.SqlBundles:
        return receipts.SqlBundles(self._connection, self._tenant)

    async def counts(self) -> Counts:
        ours = t.scope.c.tenant == self._tenant
        of_scope = {
            "users": select(func.count()).select_from(t.scope).where(ours),
            "conversations": _counted(t.conversation.c.scope_key, ours),
            "messages": _counted(t.message.c.scope_key, ours),
            "chunks": _counted(t.chunk.c.scope_key, ours),
            "memory_items": _counted(t.memory_item.c.scope_key, ours),
            "embeddings": _counted_embeddings(ours),
        }
        columns = [each.scalar_subquery().label(name) for name, each in of_scope.items()]
        row = (await self._connection.execute(select(*columns))).one()
        return Counts(**row._mapping)  # noqa: SLF001  (SQLAlchemy's public name)

    async def indexed_until(self, outbox_key: int) -> bool:
        waiting = (
            select(d.outbox.c.key)
            .where(
                d.outbox.c.tenant == self._tenant,
                d.outbox.c.key <= outbox_key,
                d.outbox.c.dead.is_(False),
            )
            .limit(1)
        )
        return (await self._connection.execute(waiting)).first() is None


class SqlTransaction(_Unit):
    @cached_property
    def erase(self) -> SqlEraser:
        return SqlEraser(self._connection, self._tenant)

    async def last_outbox_key(self) -> int:
        last = select(func.coalesce(func.max(d.outbox.c.key), 0)).where(
            d.outbox.c.tenant == self._tenant
        )
        return int((await self._connection.execute(last)).scalar_one())

    async def find_answer(self, path: str, key: str) -> tuple[bytes, Mapping[str, object]] | None:
        if is_postgres(self._connection):
            # Of requests that come at once, the second waits here until the first has answered.
            held = func.hashtextextended(f"{self._tenant} {path} {key}", 0)
            await self._connection.execute(select(func.pg_advisory_xact_lock(held)))
        i = d.idempotency.c
        wanted = select(i.body_hash, i.answer).where(
            i.tenant == self._tenant, i.path == path, i.key == key
        )
        row = (await self._connection.execute(wanted)).one_or_none()
        return None if row is None else (row.body_hash, row.answer)

    async def keep_answer(
        self,
        path: str,
        key: str,
        *,
        body_hash: bytes,
        answer: Mapping[str, object],
        now: datetime,
    ) -> None:
        row = {"tenant": self._tenant, "path": path, "key": key, "created_at": now}
        row |= {"body_hash": body_hash, "answer": answer}
        await self._connection.execute(insert(d.idempotency), row)


class SqlSystem(SqlProjections):
    """Every tenant's projections and receipts: for workers only."""

    async def keep_receipts(self, several: Sequence[Receipt]) -> None:
        await receipts.keep_receipts(self.connection, several)

    async def forget_old(self, *, now: datetime) -> None:
        await receipts.forget_old(self.connection, now=now)


def _counted(scope: Column[int], ours: ColumnElement[bool]) -> Select[Any]:
    owned = scope.table.join(t.scope, scope == t.scope.c.key)
    return select(func.count()).select_from(owned).where(ours)


def _counted_embeddings(ours: ColumnElement[bool]) -> Select[Any]:
    keys = embedded_keys(t.message.c.scope_key.in_(select(t.scope.c.key).where(ours)))
    return (
        select(func.count())
        .select_from(d.embedding)
        .where(of_any_model(), d.embedding.c.item_key.in_(keys))
    )


@dataclass(frozen=True, slots=True)
class SqlStore:
    database: Database

    @asynccontextmanager
    async def read(self, tenant: TenantId) -> AsyncIterator[SqlSnapshot]:
        async with self.database.read() as connection:
            yield SqlSnapshot(connection, tenant)

    @asynccontextmanager
    async def write(self, tenant: TenantId) -> AsyncIterator[SqlTransaction]:
        async with self.database.write() as connection:
            yield SqlTransaction(connection, tenant)

    @asynccontextmanager
    async def project(self) -> AsyncIterator[SqlSystem]:
        async with self.database.write() as connection:
            yield SqlSystem(connection)

    @asynccontextmanager
    async def observe(self) -> AsyncIterator[SqlObservations]:
        async with self.database.read() as connection:
            yield SqlObservations(connection)

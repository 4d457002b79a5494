"""Units of work over a database: the only way to a DAO."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any
from uuid import UUID

from sqlalchemy import Column, ColumnElement, Select, and_, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.answers import receipts
from app.adapters.sql.answers.keyed import SqlAnswers
from app.adapters.sql.answers.metrics import SqlMetrics, keep_beats
from app.adapters.sql.copies.exporting import SqlExport
from app.adapters.sql.database import Database
from app.adapters.sql.derived.letters import SqlDistilReader
from app.adapters.sql.distilling.period_projections import (
    SqlPeriodProjections,
    SqlPeriodReader,
    SqlPeriodWriter,
)
from app.adapters.sql.distilling.progress import SqlDistilWriter
from app.adapters.sql.erasing.erase import SqlEraser
from app.adapters.sql.erasing.traces import empty_log, merge_some
from app.adapters.sql.governing.audit import SqlAuditReader, SqlAuditWriter, WhoActs, the_command
from app.adapters.sql.governing.flags import SqlFlags
from app.adapters.sql.governing.keys import SqlAdmission, SqlKeys, note_uses
from app.adapters.sql.governing.personal import SqlPersonal
from app.adapters.sql.graph.reading import SqlGraph
from app.adapters.sql.graph.writing import SqlGraphWriter
from app.adapters.sql.health.inspect import SqlInspection
from app.adapters.sql.health.observations import SqlObservations
from app.adapters.sql.health.repairs import SqlRepairs
from app.adapters.sql.items.reading import SqlItems
from app.adapters.sql.items.rows import key_of_item
from app.adapters.sql.narrowing.recallable import of_any_model
from app.adapters.sql.projecting import outbox
from app.adapters.sql.recall.finding import SqlRecall
from app.adapters.sql.said.conversations import SqlConversations
from app.adapters.sql.said.identities import SqlIdentities
from app.adapters.sql.said.messages import SqlMessages
from app.adapters.sql.said.pieces import embedded_keys
from app.adapters.sql.said.scopes import SqlScopes
from app.adapters.sql.writing.aging import count_accesses, erase_expired
from app.adapters.sql.writing.items import SqlItemWriter
from app.adapters.sql.writing.messages import SqlMessageWriter
from app.domain.audit import Actor
from app.domain.ids import KeyId, TenantId
from app.ports import NewId
from app.ports.measuring import Beat
from app.ports.stored import Access, Counts, Receipt


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
    def personal(self) -> SqlPersonal:
        return SqlPersonal(self._connection, self._tenant)

    @cached_property
    def flags(self) -> SqlFlags:
        return SqlFlags(self._connection, self._tenant)

    @cached_property
    def keys(self) -> SqlKeys:
        return SqlKeys(self._connection, self._tenant)


class SqlSnapshot(_Unit):
    @cached_property
    def messages(self) -> SqlMessages:
        return SqlMessages(self._connection, self._tenant)

    @cached_property
    def recall(self) -> SqlRecall:
        return SqlRecall(self._connection, self._tenant)

    @cached_property
    def memories(self) -> SqlItems:
        return SqlItems(self._connection, self._tenant)

    @cached_property
    def bundles(self) -> receipts.SqlBundles:
        return receipts.SqlBundles(self._connection, self._tenant)

    @cached_property
    def audit(self) -> SqlAuditReader:
        return SqlAuditReader(self._connection, self._tenant)

    @cached_property
    def metrics(self) -> SqlMetrics:
        return SqlMetrics(self._connection, self._tenant)

    @cached_property
    def distilling(self) -> SqlDistilReader:
        return SqlDistilReader(self._connection, self._tenant)

    @cached_property
    def periods(self) -> SqlPeriodReader:
        return SqlPeriodReader(self._connection, self._tenant)

    @cached_property
    def graph(self) -> SqlGraph:
        return SqlGraph(self._connection, self._tenant)

    @cached_property
    def export(self) -> SqlExport:
        return SqlExport(self._connection, self._tenant)

    async def counts(self) -> Counts:
        ours = t.scope.c.tenant == self._tenant
        of_scope = {
            "users": select(func.count()).select_from(t.scope).where(ours, ~t.scope.c.shared),
            "conversations": _counted(t.conversation.c.scope_key, ours),
            "messages": _counted(t.message.c.scope_key, ours),
            "chunks": _counted(t.chunk.c.scope_key, ours),
            "memory_items": _counted(
                t.memory_item.c.scope_key, and_(ours, t.memory_item.c.parent_key.is_(None))
            ),
            "embeddings": _counted_embeddings(ours),
        }
        columns = [each.scalar_subquery().label(name) for name, each in of_scope.items()]
        row = (await self._connection.execute(select(*columns))).one()
        return Counts(**row._mapping)  # noqa: SLF001  (SQLAlchemy's public name)

    async def indexed_until(self, outbox_key: int) -> bool:
        return not await outbox.waits(self._connection, self._tenant, until=outbox_key)

    async def given_up(self, ids: Sequence[UUID]) -> int:
        return await outbox.given_up(self._connection, self._tenant, ids)


class SqlTransaction(_Unit):
    def __init__(self, connection: AsyncConnection, tenant: TenantId, actor: Actor) -> None:
        super().__init__(connection, tenant)
        self._actor = actor

    @cached_property
    def audit(self) -> SqlAuditWriter:
        return SqlAuditWriter(self._connection, self._tenant, self._actor)

    @cached_property
    def messages(self) -> SqlMessageWriter:
        return SqlMessageWriter(self._connection, self._tenant)

    @cached_property
    def memories(self) -> SqlItemWriter:
        return SqlItemWriter(self._connection, self._tenant)

    @cached_property
    def distilling(self) -> SqlDistilWriter:
        return SqlDistilWriter(self._connection, self._tenant)

    @cached_property
    def periods(self) -> SqlPeriodWriter:
        return SqlPeriodWriter(self._connection, self._tenant)

    @cached_property
    def graph(self) -> SqlGraphWriter:
        return SqlGraphWriter(self._connection, self._tenant)

    @cached_property
    def erase(self) -> SqlEraser:
        return SqlEraser(self._connection, self._tenant)

    @cached_property
    def identities(self) -> SqlIdentities:
        return SqlIdentities(self._connection, self._tenant)

    async def last_outbox_key(self) -> int:
        return await outbox.last_note(self._connection, self._tenant)

    @cached_property
    def answers(self) -> SqlAnswers:
        return SqlAnswers(self._connection, self._tenant)


class SqlSystem(SqlPeriodProjections):
    """Every tenant's projections and receipts: for workers only."""

    async def keep_receipts(self, several: Sequence[Receipt]) -> None:
        await receipts.keep_receipts(self.connection, several)

    async def keep_beats(self, several: Sequence[Beat]) -> None:
        await keep_beats(self.connection, several)

    async def count_accesses(self, several: Sequence[Access]) -> None:
        await count_accesses(self.connection, several)

    async def erase_expired(self, *, now: datetime, limit: int, new_id: NewId) -> int:
        return await erase_expired(self.connection, now=now, limit=limit, new_id=new_id)

    async def forget_old(self, *, now: datetime, limit: int) -> bool:
        return await receipts.forget_old(self.connection, now=now, limit=limit)

    async def note_uses(self, uses: Mapping[KeyId, datetime]) -> None:
        await note_uses(self.connection, uses)


def _counted(scope: Column[int], ours: ColumnElement[bool]) -> Select[Any]:
    owned = scope.table.join(t.scope, scope == t.scope.c.key)
    return select(func.count()).select_from(owned).where(ours)


def _counted_embeddings(ours: ColumnElement[bool]) -> Select[Any]:
    scopes, item = select(t.scope.c.key).where(ours), d.embedding.c.item_key
    keys = embedded_keys(t.message.c.scope_key.in_(scopes))
    items = select(key_of_item()).where(t.memory_item.c.scope_key.in_(scopes))
    held = or_(item.in_(keys), item.in_(items))
    return select(func.count()).select_from(d.embedding).where(of_any_model(), held)


@dataclass(frozen=True, slots=True)
class SqlStore:
    database: Database
    who_acts: WhoActs = the_command

    @asynccontextmanager
    async def inspect(self) -> AsyncIterator[SqlInspection]:
        async with self.database.moment() as connection:
            yield SqlInspection(connection)

    @asynccontextmanager
    async def repair(self) -> AsyncIterator[SqlRepairs]:
        async with self.database.write() as connection:
            yield SqlRepairs(connection)

    async def overwrite_some(self) -> bool:
        if not self.database.embedded:
            return False
        async with self.database.write() as connection:
            more = await merge_some(connection)
        if more:
            return True
        async with self.database.read() as connection:
            return not await empty_log(connection)

    @asynccontextmanager
    async def read(self, tenant: TenantId) -> AsyncIterator[SqlSnapshot]:
        async with self.database.read() as connection:
            yield SqlSnapshot(connection, tenant)

    @asynccontextmanager
    async def read_latest(self, tenant: TenantId) -> AsyncIterator[SqlSnapshot]:
        async with self.database.read_latest() as connection:
            yield SqlSnapshot(connection, tenant)

    @asynccontextmanager
    async def write(self, tenant: TenantId) -> AsyncIterator[SqlTransaction]:
        async with self.database.write() as connection:
            yield SqlTransaction(connection, tenant, self.who_acts())

    @asynccontextmanager
    async def project(self) -> AsyncIterator[SqlSystem]:
        async with self.database.write() as connection:
            yield SqlSystem(connection)

    @asynccontextmanager
    async def observe(self) -> AsyncIterator[SqlObservations]:
        # What waits was claimed on the primary; a replica that lags would tell that it is gone.
        async with self.database.read_latest() as connection:
            yield SqlObservations(connection)

    @asynccontextmanager
    async def admit(self) -> AsyncIterator[SqlAdmission]:
        async with self.database.read_latest() as connection:
            yield SqlAdmission(connection)

"""Which periods are to be summed up: claimed by one worker, and gone once it is done."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Row,
    Select,
    and_,
    delete,
    exists,
    select,
    type_coerce,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.derived.letters import SHOWN
from app.adapters.sql.derived.period_notes import note_periods
from app.adapters.sql.distilling.progress import SqlDistilProjections
from app.adapters.sql.leases import put_off, release, revived, still_held, unclaimed
from app.adapters.sql.one_hop import UNREAD
from app.adapters.sql.types import Json
from app.domain.errors import JobNotFound, Overtaken
from app.domain.ids import ERASED, ScopeKey, TenantId
from app.domain.periods import Period, Span
from app.ports.periods import DuePeriod, GivenUpPeriod


@dataclass(frozen=True, slots=True)
class SqlPeriodProjections(SqlDistilProjections):
    """The notes of every tenant: for workers only."""

    async def claim_periods(
        self, *, now: datetime, limit: int, lease: float
    ) -> Sequence[DuePeriod]:
        n = d.period_note.c
        wanted = (
            select(d.period_note, t.scope.c.tenant)
            .join(t.scope, t.scope.c.key == n.scope_key)
            .where(periods_wanted(), n.due_at <= now, ~_waits_inside())
            .where(unclaimed(d.period_note, now=now))
            .order_by(n.due_at, n.scope_key, n.level, n.begins)
            .limit(limit)
            .with_for_update(skip_locked=True, of=d.period_note)
        )
        until = now + timedelta(seconds=lease)
        rows = [_due(row) for row in await self.connection.execute(wanted)]
        for each in rows:
            taken = update(d.period_note).where(_is(each)).values(leased_until=until)
            await self.connection.execute(taken, execution_options=UNREAD)
        return [replace(each, leased_until=until) for each in rows]

    async def release_periods(self) -> None:
        await release(self.connection, d.period_note)

    async def leave_periods(
        self,
        several: Sequence[DuePeriod],
        *,
        due_at: datetime,
        error: str | None = None,
        dead: bool = False,
    ) -> None:
        left = put_off(d.period_note, due_at=due_at, error=error, dead=dead)
        for each in several:
            ours = and_(_is(each), still_held(d.period_note, until=each.leased_until))
            await self.connection.execute(
                update(d.period_note).where(ours).values(left), execution_options=UNREAD
            )


@dataclass(frozen=True, slots=True)
class SqlPeriodReader:
    """The notes of one tenant."""

    connection: AsyncConnection
    tenant: TenantId

    async def given_up(self) -> Sequence[GivenUpPeriod]:
        n = d.period_note.c
        newest = self._dead().order_by(n.noted_at.desc(), n.scope_key, n.level, n.begins)
        rows = await self.connection.execute(newest.limit(SHOWN))
        return [_given_up(row) for row in rows]

    def _dead(self) -> Select[Any]:
        return (
            select(d.period_note, t.scope.c.user_id)
            .join(t.scope, t.scope.c.key == d.period_note.c.scope_key)
            .where(t.scope.c.tenant == self.tenant, d.period_note.c.dead)
        )


@dataclass(frozen=True, slots=True)
class SqlPeriodWriter(SqlPeriodReader):
    async def note(self, scope: ScopeKey, spans: Sequence[Span], *, now: datetime) -> None:
        await note_periods(self.connection, scope, spans, now=now)

    async def settle(self, due: DuePeriod) -> None:
        as_read = and_(_is(due), d.period_note.c.revision == due.revision)
        done = await self.connection.execute(delete(d.period_note).where(as_read))
        if not done.rowcount:
            raise Overtaken

    async def revive(self, note: UUID, *, now: datetime) -> GivenUpPeriod:
        n = d.period_note.c
        row = (await self.connection.execute(self._dead().where(n.id == note))).one_or_none()
        if row is None:
            raise JobNotFound(job_id=str(note))
        again = update(d.period_note).where(n.id == note).values(**revived(now=now))
        await self.connection.execute(again, execution_options=UNREAD)
        return _given_up(row)


def periods_wanted() -> ColumnElement[bool]:
    """Notes that a worker would take once they are due; given their scope."""
    return and_(d.period_note.c.dead.is_(False), t.scope.c.tenant != ERASED, ~_unwanted())


def _unwanted() -> ColumnElement[bool]:
    """Whether a tenant wants no summaries, given its scope."""
    f = t.flag.c
    off = type_coerce(f.value, Json) == type_coerce(False, Json)  # noqa: FBT003  (a value of JSON)
    return exists().where(f.tenant == t.scope.c.tenant, f.name == "summaries", off)


def _waits_inside() -> ColumnElement[bool]:
    own, inner = d.period_note.c, d.period_note.alias("inner_note").c
    return exists().where(
        inner.scope_key == own.scope_key,
        inner.level < own.level,
        inner.begins >= own.begins,
        inner.until <= own.until,
        inner.dead.is_(False),
    )


def _is(due: DuePeriod) -> ColumnElement[bool]:
    n, span = d.period_note.c, due.span
    return and_(n.scope_key == due.scope, n.level == span.period, n.begins == span.begins)


def _given_up(row: Row[Any]) -> GivenUpPeriod:
    return GivenUpPeriod(
        id=row.id,
        user_id=row.user_id or None,
        span=Span(period=Period(row.level), begins=row.begins, until=row.until),
        noted_at=row.noted_at,
        attempts=row.attempts,
        error=row.error or "",
    )


def _due(row: Row[Any]) -> DuePeriod:
    return DuePeriod(
        tenant=TenantId(row.tenant),
        scope=ScopeKey(row.scope_key),
        span=Span(period=Period(row.level), begins=row.begins, until=row.until),
        revision=row.revision,
        attempts=row.attempts,
    )

"""What the summaries of periods are made of."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, exists, func, or_, select

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.derived.letters import is_left_out
from app.adapters.sql.dialect import numbers
from app.adapters.sql.distilling.observations import SqlDistilObservations, within_tokens
from app.adapters.sql.distilling.period_projections import periods_wanted
from app.adapters.sql.distilling.progress import of_tenant
from app.adapters.sql.said.messages import SqlMessages
from app.adapters.sql.writing.items import SqlItemWriter
from app.domain.conversation import Message, Role
from app.domain.ids import ERASED, MessageKey, ScopeKey, TenantId
from app.domain.memories import Memory
from app.domain.memory import ItemType, Table, rows_of
from app.domain.periods import Span
from app.ports.periods import DuePeriod, PeriodMaterial, PeriodsState

_COUNTED = 2_000
"""Messages whose tokens are counted: of more, that it is much is all that matters."""


@dataclass(frozen=True, slots=True)
class SqlPeriodObservations(SqlDistilObservations):
    async def period_material(
        self, due: DuePeriod, *, least: int, messages: int, tokens: int, now: datetime
    ) -> PeriodMaterial:
        items, span = SqlItemWriter(self.connection, due.tenant), due.span
        s = t.scope.c
        owner = select(s.user_id).where(s.key == due.scope, s.tenant == due.tenant)
        user_id = (await self.connection.execute(owner)).scalar_one_or_none()
        before = await items.newest(due.scope, ItemType.SUMMARY, span.subject)
        said = await self._tokens(due)
        if said < least:
            return PeriodMaterial(user_id=user_id or None, tokens=said, before=before)
        below = await self._below(items, due, now=now)
        beside = _beside(due, [inner for inner, _ in below])
        return PeriodMaterial(
            user_id=user_id or None,
            tokens=said,
            before=before,
            below=[each for _, each in below],
            cited=await self._read(due, self._cited([each for _, each in below])),
            said=await self._most_important(due, beside, messages, tokens),
        )

    async def periods_due(self, *, now: datetime) -> int:
        due = _noted(func.count()).where(periods_wanted(), d.period_note.c.due_at <= now)
        return int((await self.connection.execute(due)).scalar_one())

    async def periods(self, *, now: datetime, tenant: TenantId | None = None) -> PeriodsState:
        n, theirs = d.period_note.c, of_tenant(tenant)
        over = _noted(func.count(), func.min(n.noted_at)).where(periods_wanted(), n.until <= now)
        waiting, oldest = (await self.connection.execute(over.where(theirs))).one()
        dead = _noted(func.count()).where(n.dead, t.scope.c.tenant != ERASED, theirs)
        return PeriodsState(
            waiting=waiting,
            oldest_age=max((now - oldest).total_seconds(), 0.0) if oldest else 0.0,
            dead=(await self.connection.execute(dead)).scalar_one(),
        )

    async def _tokens(self, due: DuePeriod) -> int:
        said = select(t.message.c.tokens).where(_shown(due.scope))
        within = said.where(_between(due.span.begins, due.span.until)).limit(_COUNTED).subquery()
        total = select(func.coalesce(func.sum(within.c.tokens), 0))
        return int((await self.connection.execute(total)).scalar_one())

    async def _below(
        self, items: SqlItemWriter, due: DuePeriod, *, now: datetime
    ) -> Sequence[tuple[Span, Memory]]:
        """Summaries of smaller periods inside, but those that lie in another such."""
        inside = {each.subject: each for each in due.span.inside()}
        found = await items.of_subjects(due.scope, ItemType.SUMMARY, sorted(inside), now=now)
        outermost: list[tuple[Span, Memory]] = []
        for each in sorted(found, key=lambda each: -inside[each.subject or ""].period):
            inner = inside[each.subject or ""]
            if not any(outer.covers(inner) for outer, _ in outermost):
                outermost.append((inner, each))
        return sorted(outermost, key=lambda each: each[0].begins)

    def _cited(self, below: Sequence[Memory]) -> Select[Any]:
        edge = t.lineage.c
        rows = rows_of(Table.MEMORY, [each.key for each in below])
        return select(edge.message_key).where(edge.item_key.in_(numbers(rows)))

    async def _most_important(
        self, due: DuePeriod, where: ColumnElement[bool], messages: int, tokens: int
    ) -> Sequence[Message]:
        m = t.message.c
        worth = func.coalesce(m.importance, m.rated, 0)
        wanted = (
            select(m.key, m.tokens)
            .where(_shown(due.scope), where)
            .order_by(worth.desc(), m.created_at, m.key)
            .limit(messages)
        )
        rows = (await self.connection.execute(wanted)).all()
        chosen = within_tokens(rows, tokens)
        return _in_time(await SqlMessages(self.connection, due.tenant).get(chosen))

    async def _read(self, due: DuePeriod, keys: Select[Any]) -> Sequence[Message]:
        found = sorted(set((await self.connection.execute(keys)).scalars()))
        messages = SqlMessages(self.connection, due.tenant)
        return _in_time(await messages.get([MessageKey(key) for key in found]))


def _noted(*columns: ColumnElement[Any]) -> Select[Any]:
    """Of notes with their scope."""
    noted = d.period_note.join(t.scope, t.scope.c.key == d.period_note.c.scope_key)
    return select(*columns).select_from(noted)


def _in_time(messages: Sequence[Message]) -> Sequence[Message]:
    return sorted(messages, key=lambda each: (each.created_at, each.key))


def _shown(scope: ScopeKey) -> ColumnElement[bool]:
    """Of messages: what users and assistants said where it may be recalled."""
    m, c = t.message.c, t.conversation.c
    here = exists().where(
        c.key == m.conversation_key, c.scope_key == m.scope_key, c.archived.is_(False)
    )
    spoken = m.role.in_([Role.USER.value, Role.ASSISTANT.value])
    return and_(m.scope_key == scope, spoken, here, ~is_left_out())


def _between(begins: datetime, until: datetime) -> ColumnElement[bool]:
    created_at = t.message.c.created_at
    return and_(created_at >= begins, created_at < until)


def _beside(due: DuePeriod, below: Sequence[Span]) -> ColumnElement[bool]:
    """Of messages: the time of a period that no summary below tells of."""
    gaps, begins = [], due.span.begins
    for each in below:
        gaps.append(_between(begins, each.begins))
        begins = each.until
    return or_(*gaps, _between(begins, due.span.until))

"""Which conversations are to be distilled, and how far that is: one row for each."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Join,
    Row,
    Select,
    and_,
    case,
    delete,
    exists,
    func,
    literal,
    null,
    select,
    true,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.conversations import SqlConversations
from app.adapters.sql.dialect import numbers
from app.adapters.sql.distil_notes import note, note_again
from app.adapters.sql.erase_items import erase_items, said_elsewhere
from app.adapters.sql.items import SqlItems
from app.adapters.sql.leases import put_off, release, revived, unclaimed
from app.adapters.sql.projections import SqlProjections
from app.adapters.sql.types import Instant
from app.domain.conversation import Message
from app.domain.errors import JobNotFound, Overtaken
from app.domain.ids import ERASED, ConversationId, ConversationKey, ItemKey, MessageKey, TenantId
from app.domain.memories import Memory
from app.domain.memory import ItemType, Table, rows_of
from app.ports.distilling import (
    DueConversation,
    GivenUp,
    Undistilled,
)

SHOWN = 100
"""Of what was given up, the newest."""


def owned() -> Join:
    c, s = t.conversation.c, t.scope.c
    owner = d.distillation.join(t.conversation, c.key == d.distillation.c.conversation_key)
    return owner.join(t.scope, s.key == c.scope_key)


def waiting() -> ColumnElement[bool]:
    """Of what is not archived, nor out of reach to be erased."""
    return and_(t.conversation.c.archived.is_(False), t.scope.c.tenant != ERASED)


def of_tenant(tenant: TenantId | None) -> ColumnElement[bool]:
    """Of scopes: those of one tenant, or all."""
    return true() if tenant is None else t.scope.c.tenant == tenant


@dataclass(frozen=True, slots=True)
class SqlDistilProjections(SqlProjections):
    """The notes of every tenant: for workers only."""

    async def claim_conversations(
        self, *, now: datetime, limit: int, lease: float
    ) -> Sequence[DueConversation]:
        o = d.distillation.c
        due = (
            select(d.distillation, t.scope.c.tenant)
            .select_from(owned())
            .where(
                waiting(),
                o.dead.is_(False),
                o.due_at <= now,
                unclaimed(d.distillation, now=now),
            )
            .order_by(o.due_at, o.conversation_key)
            .limit(limit)
            .with_for_update(skip_locked=True, of=d.distillation)
        )
        rows = [due_of(row) for row in await self.connection.execute(due)]
        await self._set_notes(rows, leased_until=now + timedelta(seconds=lease))
        return rows

    async def release_conversations(self) -> None:
        await release(self.connection, d.distillation)

    async def leave_conversations(
        self,
        several: Sequence[DueConversation],
        *,
        due_at: datetime,
        error: str | None = None,
        dead: bool = False,
    ) -> None:
        left = put_off(d.distillation, due_at=due_at, error=error, dead=dead)
        await self._set_notes(several, **left)

    async def distil_anew(
        self, *, after: ConversationKey, limit: int, now: datetime
    ) -> Sequence[ConversationKey]:
        c = t.conversation.c
        wanted = (
            select(c.key)
            .join(t.scope, t.scope.c.key == c.scope_key)
            .where(c.key > after, t.scope.c.tenant != ERASED)
            .order_by(c.key)
            .limit(limit)
        )
        found = (await self.connection.execute(wanted.with_for_update(of=t.conversation))).scalars()
        keys = [ConversationKey(key) for key in found]
        await note(self.connection, keys, now=now, anew=True)
        return keys

    async def _set_notes(self, several: Sequence[DueConversation], **values: object) -> None:
        keys = [each.conversation for each in several]
        if keys:
            ours = d.distillation.c.conversation_key.in_(keys)
            await self.connection.execute(update(d.distillation).where(ours).values(**values))


@dataclass(frozen=True, slots=True)
class SqlDistilReader:
    """The notes of one tenant."""

    connection: AsyncConnection
    tenant: TenantId

    async def given_up(self) -> Sequence[GivenUp]:
        newest = self._dead().order_by(
            d.distillation.c.noted_at.desc(), d.distillation.c.conversation_key
        )
        rows = await self.connection.execute(newest.limit(SHOWN))
        return [_given_up(row) for row in rows]

    def _dead(self) -> Select[Any]:
        return (
            select(d.distillation, t.conversation.c.id.label("conversation_id"))
            .select_from(owned())
            .where(t.scope.c.tenant == self.tenant, d.distillation.c.dead)
        )


@dataclass(frozen=True, slots=True)
class SqlDistilWriter(SqlDistilReader):
    async def hold(self, due: DueConversation, found: Undistilled) -> None:
        await self.take(due.conversation, found.messages)
        o = d.distillation.c
        mark = select(o.until_key, o.anew_at).where(o.conversation_key == due.conversation)
        if (await self.connection.execute(mark)).one_or_none() != (due.until, due.anew_at):
            raise Overtaken

    async def take(self, conversation: ConversationKey, messages: Sequence[Message]) -> None:
        await SqlConversations(self.connection, self.tenant).lock(conversation)
        keys = [each.key for each in messages]
        there = select(func.count()).where(t.message.c.key.in_(numbers(keys)))
        if (await self.connection.execute(there)).scalar_one() != len(keys):
            raise Overtaken

    async def advance(self, due: DueConversation, found: Undistilled, *, now: datetime) -> None:
        until = found.messages[-1].key if found.messages else due.until
        o = d.distillation.c
        values: dict[str, Any] = {"due_at": literal(now, Instant)}
        if not found.more:
            values["due_at"] = case((o.revision == due.revision, null()), else_=values["due_at"])
            values["anew_at"] = null()
        await self._settle(due, until_key=until, attempts=0, error=null(), **values)

    async def rest(self, due: DueConversation) -> None:
        o = d.distillation.c
        kept = case((o.revision == due.revision, null()), else_=o.due_at)
        await self._settle(due, due_at=kept)

    async def outdated(
        self, conversation: ConversationKey, kinds: Collection[ItemType], *, since: datetime
    ) -> Sequence[Memory]:
        i = t.memory_item.c
        told = select(t.lineage.c.item_key).where(_not_found(conversation, since))
        wanted = (i.type.in_(sorted(each.value for each in kinds)), i.derived, i.key.in_(told))
        return await SqlItems(self.connection, self.tenant).such(*wanted)

    async def unsay(
        self,
        conversation: ConversationKey,
        several: Sequence[ItemKey],
        *,
        since: datetime,
        now: datetime,
    ) -> None:
        if not several:
            return
        i, edge = t.memory_item.c, t.lineage.c
        ours = numbers(rows_of(Table.MEMORY, several))
        stale = delete(t.lineage).where(edge.item_key.in_(ours), _not_found(conversation, since))
        await self.connection.execute(stale)
        said = exists().where(edge.item_key == i.key, edge.reworded.is_(False))
        unsaid = and_(i.key.in_(ours), ~said)
        again = await said_elsewhere(self.connection, unsaid, true())
        await erase_items(self.connection, self.tenant, unsaid, now=now)
        await note_again(self.connection, again, now=now)

    async def summarised(self, conversation: ConversationKey) -> None:
        ours = d.distillation.c.conversation_key == conversation
        await self.connection.execute(update(d.distillation).where(ours).values(resummarise=False))

    async def revive(self, note: UUID, *, now: datetime) -> GivenUp:
        o = d.distillation.c
        row = (await self.connection.execute(self._dead().where(o.id == note))).one_or_none()
        if row is None:
            raise JobNotFound(job_id=str(note))
        again = update(d.distillation).where(o.id == note).values(**revived(now=now))
        await self.connection.execute(again)
        return _given_up(row)

    async def _settle(self, due: DueConversation, **values: Any) -> None:  # noqa: ANN401  (values)
        ours = d.distillation.c.conversation_key == due.conversation
        settled = update(d.distillation).where(ours).values(leased_until=null(), **values)
        await self.connection.execute(settled)


def _not_found(conversation: ConversationKey, since: datetime) -> ColumnElement[bool]:
    """Of the lineage: what is of messages of a conversation, and was not seen there since."""
    edge, m = t.lineage.c, t.message.c
    seen = and_(edge.found_at.is_not(None), edge.found_at >= since)
    return and_(
        edge.message_key.in_(select(m.key).where(m.conversation_key == conversation)), ~seen
    )


def due_of(row: Row[Any]) -> DueConversation:
    return DueConversation(
        id=row.id,
        tenant=TenantId(row.tenant),
        conversation=ConversationKey(row.conversation_key),
        until=MessageKey(row.until_key),
        revision=row.revision,
        attempts=row.attempts,
        anew_at=row.anew_at,
    )


def _given_up(row: Row[Any]) -> GivenUp:
    return GivenUp(
        id=row.id,
        conversation_id=ConversationId(row.conversation_id),
        noted_at=row.noted_at,
        attempts=row.attempts,
        error=row.error or "",
    )

"""Which conversations are to be distilled, and how far that is: one row for each."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Row,
    Text,
    and_,
    case,
    delete,
    exists,
    false,
    insert,
    literal,
    null,
    select,
    true,
    update,
)

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.derived.erasing import erase_items, said_elsewhere
from app.adapters.sql.derived.letters import SqlDistilReader, is_left_out, owned, waiting
from app.adapters.sql.derived.notes import note, note_again
from app.adapters.sql.dialect import numbers
from app.adapters.sql.items.reading import SqlItems
from app.adapters.sql.leases import put_off, release, revived, still_held, unclaimed
from app.adapters.sql.one_hop import UNREAD
from app.adapters.sql.projecting.projections import SqlProjections
from app.adapters.sql.said.conversations import SqlConversations
from app.adapters.sql.said.scopes import hold_scopes
from app.adapters.sql.types import Instant
from app.domain.conversation import Message
from app.domain.errors import JobNotFound, Overtaken
from app.domain.ids import (
    ERASED,
    ConversationKey,
    ItemKey,
    MessageKey,
    TenantId,
)
from app.domain.memories import Memory
from app.domain.memory import ItemType, Table, rows_of
from app.ports.distilling import (
    DueConversation,
    GivenUp,
    Undistilled,
)


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
        until = now + timedelta(seconds=lease)
        rows = [due_of(row) for row in await self.connection.execute(due)]
        if rows:
            ours = d.distillation.c.conversation_key.in_([each.conversation for each in rows])
            taken = update(d.distillation).where(ours).values(leased_until=until)
            await self.connection.execute(taken, execution_options=UNREAD)
        return [replace(each, leased_until=until) for each in rows]

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
        for each in several:
            own = d.distillation.c.conversation_key == each.conversation
            ours = and_(own, still_held(d.distillation, until=each.leased_until))
            await self.connection.execute(
                update(d.distillation).where(ours).values(left), execution_options=UNREAD
            )

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
        c = t.conversation.c
        await hold_scopes(self.connection, select(c.scope_key).where(c.key == conversation))
        m, known = t.message.c, {each.key: each.unwanted for each in messages}
        there = select(m.key, m.unwanted).where(m.key.in_(numbers(known)))
        rows = await self.connection.execute(there)
        if {row.key: frozenset(row.unwanted or ()) for row in rows} != known:
            raise Overtaken

    async def leave_out(
        self, due: DueConversation, found: Undistilled, without: Mapping[MessageKey, str]
    ) -> None:
        o = d.omission.c
        tried = numbers([each.key for each in found.messages])
        before = delete(d.omission).where(o.conversation_key == due.conversation)
        await self.connection.execute(
            before.where(o.message_key.in_(tried)), execution_options=UNREAD
        )
        own = {"conversation_key": due.conversation, "revision": due.revision}
        rows = [{**own, "message_key": key, "error": why} for key, why in sorted(without.items())]
        if rows:
            await self.connection.execute(insert(d.omission), rows, execution_options=UNREAD)

    async def advance(
        self, due: DueConversation, found: Undistilled, *, now: datetime, error: str | None = None
    ) -> None:
        o, left_out = d.distillation.c, d.omission.c
        lacking = select(left_out.error).where(left_out.conversation_key == due.conversation)
        first = lacking.order_by(left_out.message_key).limit(1).scalar_subquery()
        why = first if error is None else literal(error, Text)
        at_end = false() if found.more else o.revision == due.revision
        values: dict[str, Any] = {
            "until_key": max([due.until, *(each.key for each in found.messages)]),
            "due_at": case((and_(at_end, why.is_(None)), null()), else_=literal(now, Instant)),
            "attempts": case((why.is_(None), 0), else_=due.attempts),
            "dead": and_(at_end, why.is_not(None)),
            "error": why,
        }
        if error is None and not found.more:
            values["anew_at"] = null()
        await self._settle(due, **values)

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
        await self.connection.execute(stale, execution_options=UNREAD)
        said = exists().where(edge.item_key == i.key, edge.reworded.is_(False))
        unsaid = and_(i.key.in_(ours), ~said)
        again = await said_elsewhere(self.connection, unsaid, true())
        await erase_items(self.connection, self.tenant, unsaid, now=now)
        await note_again(self.connection, again, now=now)

    async def summarised(self, conversation: ConversationKey) -> None:
        ours = d.distillation.c.conversation_key == conversation
        await self.connection.execute(
            update(d.distillation).where(ours).values(resummarise=False), execution_options=UNREAD
        )

    async def revive(self, note: UUID, *, now: datetime) -> GivenUp:
        o = d.distillation.c
        row = (await self.connection.execute(self._dead().where(o.id == note))).one_or_none()
        if row is None:
            raise JobNotFound(job_id=str(note))
        (letter,) = await self._letters([row])
        again = {**revived(now=now), "revision": o.revision + 1}
        await self.connection.execute(
            update(d.distillation).where(o.id == note).values(again), execution_options=UNREAD
        )
        return letter

    async def _settle(self, due: DueConversation, **values: Any) -> None:  # noqa: ANN401  (values)
        ours = d.distillation.c.conversation_key == due.conversation
        settled = update(d.distillation).where(ours).values(leased_until=null(), **values)
        await self.connection.execute(settled, execution_options=UNREAD)


def _not_found(conversation: ConversationKey, since: datetime) -> ColumnElement[bool]:
    """
    Of the lineage: what is of messages of a conversation, and was not seen there since.

    In messages that were left out it was not looked for to the end.
    """
    edge, m = t.lineage.c, t.message.c
    seen = and_(edge.found_at.is_not(None), edge.found_at >= since)
    looked_at = select(m.key).where(m.conversation_key == conversation, ~is_left_out())
    return and_(edge.message_key.in_(looked_at), ~seen)


def due_of(row: Row[Any]) -> DueConversation:
    return DueConversation(
        id=row.id,
        tenant=TenantId(row.tenant),
        conversation=ConversationKey(row.conversation_key),
        until=MessageKey(row.until_key),
        revision=row.revision,
        attempts=row.attempts,
        anew_at=row.anew_at,
        leased_until=row.leased_until,
    )

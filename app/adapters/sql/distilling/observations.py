"""What is to be distilled of conversations, as workers and operators look at it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row, Select, func, select

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.derived.letters import is_left_out, owned, waiting
from app.adapters.sql.dialect import numbers
from app.adapters.sql.distilling.progress import due_of, of_tenant
from app.adapters.sql.projecting.indexable import SqlIndexable
from app.adapters.sql.said.conversations import SqlConversations
from app.adapters.sql.said.messages import SqlMessages
from app.adapters.sql.writing.items import SqlItemWriter
from app.domain.conversation import Conversation, Message, Role
from app.domain.ids import ERASED, ConversationKey, MessageKey, TenantId
from app.domain.memories import Memory
from app.domain.memory import ItemType, Table, item_key, table_and_row
from app.ports.distilling import (
    DistillingState,
    DueConversation,
    SummaryTail,
    Undistilled,
)


@dataclass(frozen=True, slots=True)
class SqlDistilObservations(SqlIndexable):
    """What is to be distilled, as workers and operators look at it."""

    async def conversation(self, tenant: TenantId, key: ConversationKey) -> Conversation | None:
        return await SqlConversations(self.connection, tenant).find_key(key)

    async def vectors_of(
        self, messages: Sequence[MessageKey], *, model: str
    ) -> Mapping[MessageKey, bytes]:
        e, of_model = d.embedding.c, d.embedding_model.c
        key = select(of_model.key).where(of_model.name == model).scalar_subquery()
        wanted = numbers([item_key(Table.MESSAGE, each) for each in messages])
        stored = select(e.item_key, e.vector).where(e.model_key == key, e.item_key.in_(wanted))
        return {
            MessageKey(table_and_row(row.item_key)[1]): row.vector
            for row in await self.connection.execute(stored)
        }

    async def undistilled(
        self, due: DueConversation, *, messages: int, tokens: int
    ) -> Undistilled | None:
        conversation = await self.conversation(due.tenant, due.conversation)
        if conversation is None or conversation.archived:
            return None
        m, left_out = t.message.c, d.omission.c
        inside = select(m.key, m.tokens).where(m.conversation_key == due.conversation)
        tried_before = select(left_out.message_key).where(
            left_out.conversation_key == due.conversation, left_out.revision < due.revision
        )
        again, behind = [
            (await self.connection.execute(each.order_by(m.key).limit(messages + 1))).all()
            for each in (
                inside.where(m.key <= due.until, m.key.in_(tried_before)),
                inside.where(m.key > due.until),
            )
        ]
        chosen = within_tokens((again or behind)[:messages], tokens)
        found = await SqlMessages(self.connection, due.tenant).get(chosen)
        more = len(chosen) < len(again) + len(behind)
        return Undistilled(conversation=conversation, messages=found, more=more)

    async def distilled(self, *, after: ConversationKey, limit: int) -> Sequence[DueConversation]:
        o = d.distillation.c
        next_ones = (
            select(d.distillation, t.scope.c.tenant)
            .select_from(owned())
            .where(o.conversation_key > after, o.until_key > 0, t.scope.c.tenant != ERASED)
            .order_by(o.conversation_key)
            .limit(limit)
        )
        return [due_of(row) for row in await self.connection.execute(next_ones)]

    async def summary_tail(
        self, tenant: TenantId, conversation: Conversation, *, subject: str, anew: bool = False
    ) -> SummaryTail:
        items = SqlItemWriter(self.connection, tenant)
        before = await items.newest(conversation.scope, ItemType.SUMMARY, subject)
        anew = anew and (before is None or before.derived)
        last = None if anew else before
        quoted = await self._quoted(tenant, last)
        after = await self._told_until(last, quoted)
        m, o = t.message.c, d.distillation.c
        spoken = m.role.in_([Role.USER.value, Role.ASSISTANT.value])
        by_assistant = func.count().filter(m.role == Role.ASSISTANT.value)
        since = select(by_assistant, func.count(), func.coalesce(func.sum(m.tokens), 0)).where(
            m.conversation_key == conversation.key, m.key > after, spoken
        )
        assistants, messages, tokens = (await self.connection.execute(since)).one()
        wanted = select(o.resummarise).where(o.conversation_key == conversation.key)
        return SummaryTail(
            before=before,
            after=after,
            quoted=quoted,
            assistants=assistants,
            messages=messages,
            tokens=int(tokens),
            wanted=bool((await self.connection.execute(wanted)).scalar_one_or_none()),
            anew=anew,
        )

    async def said_after(
        self,
        tenant: TenantId,
        conversation: Conversation,
        after: MessageKey,
        *,
        limit: int,
        tokens: int,
    ) -> Sequence[Message]:
        m = t.message.c
        wanted = (
            select(m.key, m.tokens)
            .where(m.conversation_key == conversation.key, m.key > after, ~is_left_out())
            .order_by(m.key)
            .limit(limit)
        )
        chosen = within_tokens((await self.connection.execute(wanted)).all(), tokens)
        return await SqlMessages(self.connection, tenant).get(chosen)

    async def said_before(
        self, tenant: TenantId, conversation: Conversation, before: MessageKey, *, limit: int
    ) -> Sequence[Message]:
        m = t.message.c
        inside = select(m.key).where(m.conversation_key == conversation.key)
        return await self._messages(
            tenant, inside.where(m.key < before).order_by(m.key.desc()).limit(limit)
        )

    async def _messages(self, tenant: TenantId, keys: Select[Any]) -> Sequence[Message]:
        found = (await self.connection.execute(keys)).scalars()
        return await SqlMessages(self.connection, tenant).get([MessageKey(key) for key in found])

    async def _quoted(self, tenant: TenantId, before: Memory | None) -> Sequence[Message]:
        if before is None:
            return []
        cited = select(t.lineage.c.message_key).where(
            t.lineage.c.item_key == table_and_row(before.key)[1]
        )
        return await self._messages(tenant, cited)

    async def _told_until(self, before: Memory | None, quoted: Sequence[Message]) -> MessageKey:
        """Up to the message that a summary names; if that is gone, up to the last it is made of."""
        if before is None:
            return MessageKey(0)
        last = max((each.key for each in quoted), default=MessageKey(0))
        named = before.metadata.get("until")
        if not isinstance(named, str):
            return last
        wanted = select(t.message.c.key).where(t.message.c.id == UUID(named))
        found = (await self.connection.execute(wanted)).scalar_one_or_none()
        return last if found is None else MessageKey(found)

    async def distilling(self, *, now: datetime, tenant: TenantId | None = None) -> DistillingState:
        o = d.distillation.c
        live = o.dead.is_(False)
        counted = (
            select(func.count().filter(live), func.min(o.noted_at).filter(live), func.count())
            .select_from(owned())
            .where(waiting(), o.due_at.is_not(None), of_tenant(tenant))
        )
        live_ones, oldest, every = (await self.connection.execute(counted)).one()
        age = (now - oldest).total_seconds() if oldest else 0.0
        return DistillingState(waiting=live_ones, oldest_age=age, dead=every - live_ones)


def within_tokens(rows: Sequence[Row[Any, Any]], tokens: int) -> list[MessageKey]:
    """As many as `tokens` allow, but one at least."""
    chosen: list[MessageKey] = []
    for row in rows:
        tokens -= row.tokens
        if chosen and tokens < 0:
            break
        chosen.append(MessageKey(row.key))
    return chosen

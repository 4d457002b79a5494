"""Deleting for good: rows, full text and embeddings at once, vectors through the outbox."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.conversations import SqlConversations
from app.adapters.sql.full_text import full_text
from app.adapters.sql.messages import SqlMessages
from app.adapters.sql.outbox import enqueue
from app.adapters.sql.pieces import embedded_keys, pieces_of
from app.adapters.sql.rebuild import built
from app.adapters.sql.recallable import of_any_model
from app.adapters.sql.scopes import SqlScopes
from app.domain.ids import (
    ConversationId,
    ConversationKey,
    MessageId,
    ScopeKey,
    TenantId,
)
from app.ports.stored import Erased


@dataclass(frozen=True, slots=True)
class SqlEraser:
    connection: AsyncConnection
    tenant: TenantId

    async def message(self, message_id: MessageId, *, now: datetime) -> Erased:
        conversation, scope = await SqlMessages(self.connection, self.tenant).scope_of(message_id)
        await SqlConversations(self.connection, self.tenant).lock(conversation)
        erased = await self._messages(scope, t.message.c.id == message_id, now=now)
        await self._recount(conversation)
        return erased

    async def conversation(self, conversation_id: ConversationId, *, now: datetime) -> Erased:
        conversations = SqlConversations(self.connection, self.tenant)
        found = await conversations.get(conversation_id)
        await conversations.lock(found.key)
        return await self._conversations(found.scope, [found.key], now=now)

    async def user(self, user_id: str | None, *, limit: int, now: datetime) -> tuple[Erased, bool]:
        scope = await SqlScopes(self.connection, self.tenant).find(user_id)
        if scope is None:
            return Erased(), False
        wanted = (
            select(t.conversation.c.key)
            .where(t.conversation.c.scope_key == scope.key)
            .order_by(t.conversation.c.key)
            .limit(limit + 1)
            .with_for_update()
        )
        keys = list((await self.connection.execute(wanted)).scalars())
        erased = await self._conversations(scope.key, keys[:limit], now=now)
        return erased, len(keys) > limit

    async def _conversations(
        self, scope: ScopeKey, keys: Sequence[ConversationKey], *, now: datetime
    ) -> Erased:
        erased = await self._messages(scope, t.message.c.conversation_key.in_(keys), now=now)
        await self.connection.execute(delete(t.conversation).where(t.conversation.c.key.in_(keys)))
        return erased

    async def _messages(
        self, scope: ScopeKey, condition: ColumnElement[bool], *, now: datetime
    ) -> Erased:
        """
        Erase the messages of one scope that meet `condition`, with all that is derived.

        Their conversations are locked, so nothing joins them between the statements.
        """
        ours = and_(t.message.c.scope_key == scope, condition)
        doomed = (await self.connection.execute(_doomed(ours))).all()
        keys = list((await self.connection.execute(embedded_keys(ours))).scalars())
        archived = {row.conversation_key for row in doomed if row.archived}
        shown = and_(ours, t.message.c.conversation_key.not_in(sorted(archived)))
        shown = and_(shown, await built(self.connection))
        entries = (await pieces_of(self.connection, shown)).entries
        await full_text(self.connection).remove(entries)
        embeddings = await self.connection.execute(
            delete(d.embedding).where(
                of_any_model(), d.embedding.c.item_key.in_(embedded_keys(ours))
            )
        )
        bundles = await self.connection.execute(
            delete(d.bundle).where(d.bundle.c.scope_key == scope)
        )
        await self.connection.execute(delete(t.message).where(ours))
        await enqueue(self.connection, self.tenant, scope, keys, now=now)
        await SqlScopes(self.connection, self.tenant).touch(
            scope, messages=-len(entries), terms=-sum(len(each.terms) for each in entries)
        )
        return Erased(
            scope=scope,
            conversations=sorted({row.conversation_key for row in doomed}),
            keys=keys,
            messages=len(doomed),
            chunks=len(keys) - len(doomed),
            embeddings=embeddings.rowcount,
            full_text=len(entries),
            bundles=bundles.rowcount,
        )

    async def _recount(self, conversation: ConversationKey) -> None:
        m = t.message.c
        left = select(func.count(), func.coalesce(func.sum(m.tokens), 0)).where(
            m.conversation_key == conversation
        )
        messages, tokens = (await self.connection.execute(left)).one()
        await self.connection.execute(
            update(t.conversation)
            .where(t.conversation.c.key == conversation)
            .values(message_count=messages, token_count=tokens)
        )


def _doomed(condition: ColumnElement[bool]) -> Select[Any]:
    m, c = t.message.c, t.conversation.c
    return (
        select(m.conversation_key, c.archived)
        .join(t.conversation, c.key == m.conversation_key)
        .where(condition)
    )

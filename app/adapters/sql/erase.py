"""Deleting for good: rows, full text and embeddings at once, vectors through the outbox."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.conversations import SqlConversations
from app.adapters.sql.dialect import shifted
from app.adapters.sql.full_text import Entry, full_text
from app.adapters.sql.messages import SqlMessages
from app.adapters.sql.outbox import enqueue
from app.adapters.sql.rebuild import not_yet_built
from app.adapters.sql.recall import of_any_model
from app.adapters.sql.scopes import SqlScopes
from app.domain.ids import (
    ConversationId,
    ConversationKey,
    ItemKey,
    MessageId,
    ScopeKey,
    TenantId,
)
from app.domain.memory import Table, item_key
from app.ports.store import Erased
from app.text.terms import indexed_text, terms_of


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
        later = await not_yet_built(self.connection)
        rows = await self._doomed(ours)
        keys = [item_key(Table.MESSAGE, row.key) for row in rows]
        indexed = [_entry(scope, row) for row in rows if row.indexed and not row.archived]
        entries = [entry for entry in indexed if not later(entry.key)]
        await full_text(self.connection).remove(entries)
        embeddings = await self.connection.execute(
            delete(d.embedding).where(
                of_any_model(),
                d.embedding.c.item_key.in_(select(shifted(t.message.c.key, 2)).where(ours)),
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
            conversations=sorted({row.conversation_key for row in rows}),
            keys=keys,
            messages=len(rows),
            embeddings=embeddings.rowcount,
            full_text=len(entries),
            bundles=bundles.rowcount,
        )

    async def _doomed(self, condition: ColumnElement[bool]) -> Sequence[Row[Any]]:
        m, c = t.message.c, t.conversation.c
        wanted = (
            select(
                m.key,
                m.conversation_key,
                m.name,
                m.content,
                m.terms.is_not(None).label("indexed"),
                c.archived,
            )
            .join(t.conversation, c.key == m.conversation_key)
            .where(condition)
        )
        return (await self.connection.execute(wanted)).all()

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


def _entry(scope: ScopeKey, row: Row[Any]) -> Entry:
    return Entry(
        key=ItemKey(item_key(Table.MESSAGE, row.key)),
        scope=scope,
        conversation=ConversationKey(row.conversation_key),
        terms=terms_of(indexed_text(row.content, row.name)),
    )

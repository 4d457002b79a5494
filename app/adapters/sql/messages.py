from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Row,
    Select,
    and_,
    insert,
    literal,
    or_,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql.cursors import decode_cursor, encode_cursor
from app.adapters.sql.full_text import Entry, full_text
from app.adapters.sql.outbox import enqueue
from app.adapters.sql.pieces import Pieces, add_chunks, pieces_of
from app.adapters.sql.rebuild import built
from app.adapters.sql.scopes import SqlScopes
from app.domain.conversation import Conversation, Message, Role
from app.domain.errors import MessageNotFound
from app.domain.ids import (
    ConversationId,
    ConversationKey,
    ItemKey,
    MessageId,
    MessageKey,
    ScopeKey,
    TenantId,
)
from app.domain.memory import Table, item_key
from app.ports.stored import Page, PreparedMessage, StoredMessage


@dataclass(frozen=True, slots=True)
class SqlMessages:
    """The messages of one tenant, in the order they were said."""

    connection: AsyncConnection
    tenant: TenantId

    async def get(self, keys: Sequence[MessageKey]) -> Sequence[Message]:
        wanted = self._all().where(t.message.c.key.in_(keys)).order_by(t.message.c.position)
        return [_message(row) for row in await self.connection.execute(wanted)]

    async def tail(
        self, conversation: ConversationKey, *, limit: int, as_of: datetime | None = None
    ) -> Sequence[Message]:
        latest = self._of(conversation).order_by(t.message.c.position.desc()).limit(limit)
        if as_of is not None:
            latest = latest.where(t.message.c.created_at <= as_of)
        rows = (await self.connection.execute(latest)).all()
        return [_message(row) for row in reversed(rows)]

    async def page(
        self, conversation: ConversationKey, *, cursor: str | None, limit: int, newest_first: bool
    ) -> Page[Message]:
        position = t.message.c.position
        wanted = self._of(conversation)
        if cursor:
            (place,) = decode_cursor(cursor, parts=1)
            last = literal(place, BigInteger)  # a forged one may be larger than any position
            wanted = wanted.where(position < last if newest_first else position > last)
        wanted = wanted.order_by(position.desc() if newest_first else position).limit(limit + 1)
        rows = (await self.connection.execute(wanted)).all()
        items = [_message(row) for row in rows[:limit]]
        more = len(rows) > limit
        return Page(items=items, next_cursor=encode_cursor([items[-1].position]) if more else None)

    async def stored(
        self,
        conversation: ConversationKey,
        *,
        external_ids: Sequence[str],
        content_hashes: Sequence[bytes],
        last: int,
    ) -> Sequence[StoredMessage]:
        c = t.message.c
        newest = (
            select(c.key)
            .where(c.conversation_key == conversation)
            .order_by(c.position.desc())
            .limit(last)
        )
        alike = [c.external_id.in_(external_ids), c.content_hash.in_(content_hashes)]
        wanted = (
            select(c.id, c.position, c.external_id, c.role, c.name, c.content_hash, c.created_at)
            .join(t.scope, t.scope.c.key == c.scope_key)
            .where(
                t.scope.c.tenant == self.tenant,
                c.conversation_key == conversation,
                or_(c.key.in_(newest), *alike),
            )
            .order_by(c.position)
        )
        rows = await self.connection.execute(wanted)
        return [StoredMessage(**row._mapping) for row in rows]  # noqa: SLF001  (SQLAlchemy's public name)

    async def scope_of(self, message_id: MessageId) -> tuple[ConversationKey, ScopeKey]:
        wanted = (
            select(t.message.c.conversation_key, t.message.c.scope_key)
            .join(t.scope, t.scope.c.key == t.message.c.scope_key)
            .where(t.message.c.id == message_id, t.scope.c.tenant == self.tenant)
        )
        row = (await self.connection.execute(wanted)).one_or_none()
        if row is None:
            raise MessageNotFound(message_id=str(message_id))
        return ConversationKey(row.conversation_key), ScopeKey(row.scope_key)

    async def append(
        self, conversation: Conversation, messages: Sequence[PreparedMessage], *, now: datetime
    ) -> Sequence[ItemKey]:
        if not messages:
            return []
        added = insert(t.message).returning(t.message.c.key, sort_by_parameter_order=True)
        rows = [_row(conversation, each) for each in messages]
        keys = [MessageKey(key) for key in (await self.connection.execute(added, rows)).scalars()]
        await self._count(conversation, messages, now=now)
        pieces = await self._pieces(conversation, keys, messages)
        if conversation.archived:
            return []
        await self._index(conversation, pieces, now=now)
        return pieces.keys

    async def unindex(self, conversation: Conversation, *, now: datetime) -> None:
        everything = await pieces_of(self.connection, _in(conversation))
        held = await self._held(conversation)
        await full_text(self.connection).remove(held.entries)
        await enqueue(self.connection, self.tenant, conversation.scope, everything.keys, now=now)
        await self._touch(conversation, held, sign=-1)

    async def reindex(self, conversation: Conversation, *, now: datetime) -> None:
        everything = await pieces_of(self.connection, _in(conversation))
        held = await self._held(conversation)
        await self._index(conversation, replace(held, keys=everything.keys), now=now)

    async def _held(self, conversation: Conversation) -> Pieces:
        """What full text may hold of a conversation; not what a rebuild has yet to bring."""
        already = and_(_in(conversation), await built(self.connection))
        return await pieces_of(self.connection, already)

    async def _pieces(
        self,
        conversation: Conversation,
        keys: Sequence[MessageKey],
        messages: Sequence[PreparedMessage],
    ) -> Pieces:
        """What the indexes will hold of messages just stored under `keys`; stores the chunks."""
        pairs = list(zip(keys, messages, strict=True))
        chunks = [(key, each.chunks) for key, each in pairs]
        chunk_keys = await add_chunks(self.connection, conversation.scope, chunks)
        recalled = [(key, each) for key, each in pairs if each.bag is not None]
        message_keys = [item_key(Table.MESSAGE, key) for key, _ in recalled]
        chunk_terms = [chunk.terms for _, several in chunks for chunk in several]
        terms = [
            *(
                (key, each.terms)
                for key, (_, each) in zip(message_keys, recalled, strict=True)
                if not each.chunks
            ),
            *zip(chunk_keys, chunk_terms, strict=True),
        ]
        return Pieces(
            keys=[*chunk_keys, *message_keys],
            entries=[
                Entry(key=key, scope=conversation.scope, conversation=conversation.key, terms=each)
                for key, each in terms
            ],
        )

    async def _index(self, conversation: Conversation, pieces: Pieces, *, now: datetime) -> None:
        await full_text(self.connection).add(pieces.entries)
        await enqueue(self.connection, self.tenant, conversation.scope, pieces.keys, now=now)
        await self._touch(conversation, pieces, sign=1)

    async def _touch(self, conversation: Conversation, pieces: Pieces, *, sign: int) -> None:
        await SqlScopes(self.connection, self.tenant).touch(
            conversation.scope,
            messages=sign * len(pieces.entries),
            terms=sign * sum(len(each.terms) for each in pieces.entries),
        )

    async def _count(
        self, conversation: Conversation, messages: Sequence[PreparedMessage], *, now: datetime
    ) -> None:
        c = t.conversation.c
        await self.connection.execute(
            update(t.conversation)
            .where(c.key == conversation.key)
            .values(
                message_count=c.message_count + len(messages),
                token_count=c.token_count + sum(each.message.tokens for each in messages),
                updated_at=now,
            )
        )

    def _of(self, conversation: ConversationKey) -> Select[Any]:
        return self._all().where(t.message.c.conversation_key == conversation)

    def _all(self) -> Select[Any]:
        return (
            select(t.message, t.conversation.c.id.label("conversation_id"))
            .join(t.conversation, t.conversation.c.key == t.message.c.conversation_key)
            .join(t.scope, t.scope.c.key == t.message.c.scope_key)
            .where(t.scope.c.tenant == self.tenant)
        )


def _in(conversation: Conversation) -> ColumnElement[bool]:
    return t.message.c.conversation_key == conversation.key


def _row(conversation: Conversation, prepared: PreparedMessage) -> dict[str, object]:
    message = prepared.message
    return {
        "id": message.id,
        "conversation_key": conversation.key,
        "scope_key": conversation.scope,
        "position": message.position,
        "external_id": message.external_id,
        "role": message.role.value,
        "name": message.name,
        "content": message.content,
        "tool_calls": message.tool_calls,
        "tool_call_id": message.tool_call_id,
        "importance": message.importance,
        "metadata": message.metadata,
        "created_at": message.created_at,
        "tokens": message.tokens,
        "content_hash": prepared.content_hash,
        "terms": prepared.bag,
        "chunks": len(prepared.chunks),
    }


def _message(row: Row[Any]) -> Message:
    return Message(
        key=MessageKey(row.key),
        id=MessageId(row.id),
        conversation_id=ConversationId(row.conversation_id),
        position=row.position,
        external_id=row.external_id,
        role=Role(row.role),
        name=row.name,
        content=row.content,
        tool_calls=row.tool_calls,
        tool_call_id=row.tool_call_id,
        importance=row.importance,
        metadata=row.metadata,
        created_at=row.created_at,
        tokens=row.tokens,
    )

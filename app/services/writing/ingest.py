"""Storing what was said. The answer comes after the commit; nothing waits for a model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from app.domain.audit import Action, Deed, subject
from app.domain.conversation import Conversation, ConversationChanges, NewConversation, NewMessage
from app.domain.ids import ConversationId, MessageId, TenantId
from app.ports import Clock, NewId
from app.ports.store import Store, Transaction
from app.ports.stored import NOBODY, About, PreparedMessage, StoredMessage
from app.services.common.flagging import FlagBoard
from app.services.common.once import IdempotencyKey, answered, keep_answer
from app.services.writing.already_there import already_there, differing
from app.services.writing.echo_guard import Echoes, EchoGuard
from app.services.writing.entering import enter
from app.services.writing.identities import with_own_ids
from app.services.writing.prepare import Preparer


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """
    What a write left behind. `message_ids` are in the order of the request.

    `differing` are those of them that were there with another content, which stays.
    """

    conversation_id: ConversationId
    external_id: str | None
    message_ids: Sequence[MessageId]
    message_count: int
    token_count: int
    duplicates: int
    outbox_key: int
    """Once the outbox has passed it, every index holds the messages."""
    replayed: bool = False
    about: About = NOBODY
    begun: bool = False
    """The conversation was not there before."""
    differing: Sequence[MessageId] = ()


@dataclass(frozen=True, slots=True)
class ReadyConversation:
    """A conversation with what is counted once, at write."""

    new: NewConversation
    fresh_id: ConversationId
    prepared: Sequence[PreparedMessage]

    def called(self, external_id: str | None) -> "ReadyConversation":
        """The same under this external id."""
        return replace(self, new=replace(self.new, external_id=external_id))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingestor:
    """Stores conversations: one request, one transaction."""

    store: Store
    preparer: Preparer
    guard: EchoGuard
    flags: FlagBoard
    clock: Clock
    new_id: NewId

    async def ingest(
        self, tenant: TenantId, new: NewConversation, once: IdempotencyKey | None = None
    ) -> Stored:
        """
        Store a conversation, or append what is new to the one under its external id.

        Raises:
            IdempotencyConflict: The idempotency key was used with another body.
        """
        now = self.clock()
        ready = await self.prepare(tenant, new, now=now)
        async with self.store.write(tenant) as transaction:
            if before := await answered(transaction, once):
                return _stored(before)
            stored = await self.store_in(transaction, ready, now=now)
            await keep_answer(transaction, once, _answer(stored), about=stored.about, now=now)
            return stored

    async def prepare(
        self, tenant: TenantId, new: NewConversation, *, now: datetime
    ) -> "ReadyConversation":
        """Count what is counted once, before the transaction that is to store it."""
        fresh_id = ConversationId(self.new_id())
        if any(each.echo for each in new.messages):
            echoes: Echoes = {at: each.echo for at, each in enumerate(new.messages) if each.echo}
        else:
            echoes = await self.guard.of_user(tenant, new.user_id, new.messages, now=now)
        prepared = await self.preparer.prepare(
            new.messages, conversation=fresh_id, said_at=new.created_at or now, echoes=echoes
        )
        return ReadyConversation(new, fresh_id, await self._split(tenant, prepared))

    async def store_in(
        self, transaction: Transaction, ready: "ReadyConversation", *, now: datetime
    ) -> Stored:
        """Store a prepared conversation with what else the transaction stores."""
        new, prepared = ready.new, ready.prepared
        place = await enter(transaction, new, ready.fresh_id, now=now)
        known, position = place.known, place.position
        conversation = known or await transaction.conversations.add(
            new, conversation_id=place.id, scope=place.scope, now=now
        )
        if known:
            prepared = _said_now(new.messages, prepared, now=now)
        prepared = await with_own_ids(transaction, conversation, new.messages, prepared)
        action = Action.MESSAGES_APPENDED if known else Action.CONVERSATION_STORED
        write = _Write(action, conversation, position, new.messages, prepared, new.updated_at)
        return await self._append(transaction, write, now=now)

    async def append(
        self,
        tenant: TenantId,
        conversation_id: ConversationId,
        messages: Sequence[NewMessage],
        once: IdempotencyKey | None = None,
    ) -> Stored:
        """
        Append what is new of `messages` to a conversation.

        Raises:
            ConversationNotFound: There is none under this id.
            IdempotencyConflict: The idempotency key was used with another body.
        """
        now = self.clock()
        prepared = await self.preparer.prepare(
            messages,
            conversation=conversation_id,
            said_at=now,
            echoes=await self.guard.of_conversation(tenant, conversation_id, messages, now=now),
        )
        prepared = await self._split(tenant, prepared)
        async with self.store.write(tenant) as transaction:
            if before := await answered(transaction, once):
                return _stored(before)
            conversation = await transaction.conversations.get(conversation_id)
            position = await transaction.conversations.lock(conversation.key)
            ready = await with_own_ids(transaction, conversation, messages, prepared)
            action = Action.MESSAGES_APPENDED
            write = _Write(action, conversation, position, messages, ready)
            stored = await self._append(transaction, write, now=now)
            await keep_answer(transaction, once, _answer(stored), about=stored.about, now=now)
            return stored

    async def change(
        self, tenant: TenantId, conversation_id: ConversationId, changes: ConversationChanges
    ) -> Conversation:
        """
        Set what is given; archiving takes the messages out of the indexes, the rest stays.

        Raises:
            ConversationNotFound: There is none under this id.
        """
        now = self.clock()
        if changes.archived:
            await self.guard.recorder.note_anew()
        async with self.store.write(tenant) as transaction:
            found = await transaction.conversations.get(conversation_id)
            if not changes.alter(found):
                return found
            await transaction.conversations.change(found.key, changes, now=now)
            deed = _deed(Action.CONVERSATION_CHANGED, found, fields=sorted(changes.given))
            await transaction.audit.note(deed, now=now)
            changed = await transaction.conversations.get(conversation_id)
            if changed.archived and not found.archived:
                await transaction.messages.unindex(changed, now=now)
            elif found.archived and not changed.archived:
                await transaction.messages.reindex(changed, now=now)
            else:
                await transaction.scopes.touch(changed.scope)
            return changed

    async def _split(
        self, tenant: TenantId, prepared: list[PreparedMessage]
    ) -> list[PreparedMessage]:
        """With their chunks, unless the tenant wants none."""
        if (await self.flags.current(tenant)).chunking:
            return prepared
        return [replace(each, chunks=()) for each in prepared]

    async def _append(self, transaction: Transaction, write: "_Write", *, now: datetime) -> Stored:
        conversation, prepared = write.conversation, write.prepared
        known = await _known(transaction, write)
        there = already_there(write.messages, prepared, known)
        fresh = [each for each, old in zip(prepared, there, strict=True) if old is None]
        placed = [
            replace(each, message=replace(each.message, position=write.position + offset))
            for offset, each in enumerate(fresh)
        ]
        await transaction.messages.append(conversation, placed, now=now)
        if placed and write.updated_at is not None:
            last = max(conversation.updated_at, write.updated_at)
            await transaction.conversations.date(conversation.key, updated_at=last)
        if placed or write.action is Action.CONVERSATION_STORED:
            deed = _deed(write.action, conversation, messages=len(placed))
            await transaction.audit.note(deed, now=now)
        return Stored(
            conversation_id=conversation.id,
            external_id=conversation.external_id,
            message_ids=[old or each.message.id for each, old in zip(prepared, there, strict=True)],
            message_count=conversation.message_count + len(fresh),
            token_count=conversation.token_count + sum(each.message.tokens for each in fresh),
            duplicates=len(prepared) - len(fresh),
            outbox_key=await transaction.last_outbox_key(),
            about=About(scope=conversation.scope, conversation=conversation.key),
            begun=write.action is Action.CONVERSATION_STORED,
            differing=differing(prepared, there, known),
        )


@dataclass(frozen=True, slots=True)
class _Write:
    """Messages on their way into a conversation, from `position` on."""

    action: Action
    conversation: Conversation
    position: int
    messages: Sequence[NewMessage]
    prepared: Sequence[PreparedMessage]
    updated_at: datetime | None = None


def _deed(action: Action, conversation: Conversation, **facts: object) -> Deed:
    return Deed(action=action, subject=subject("conversation", conversation.id), facts=facts)


async def _known(transaction: Transaction, write: _Write) -> Sequence[StoredMessage]:
    """What is stored that the new messages could repeat."""
    if write.position == 0:
        return []
    pairs = list(zip(write.messages, write.prepared, strict=True))
    return await transaction.messages.stored(
        write.conversation.key,
        ids=[ready.message.id for message, ready in pairs if message.id],
        external_ids=[each.external_id for each, _ in pairs if each.external_id],
        content_hashes=[
            ready.content_hash
            for each, ready in pairs
            if each.created_at and each.external_id is None
        ],
        last=len(pairs),
    )


def _said_now(
    new: Sequence[NewMessage], prepared: Sequence[PreparedMessage], *, now: datetime
) -> list[PreparedMessage]:
    """What is added to an old conversation without a time is said now, not when it began."""
    return [
        each if message.created_at else replace(each, message=replace(each.message, created_at=now))
        for message, each in zip(new, prepared, strict=True)
    ]


def _answer(stored: Stored) -> Mapping[str, object]:
    return {
        "conversation_id": str(stored.conversation_id),
        "external_id": stored.external_id,
        "message_ids": [str(each) for each in stored.message_ids],
        "message_count": stored.message_count,
        "token_count": stored.token_count,
        "duplicates": stored.duplicates,
        "outbox_key": stored.outbox_key,
        "differing": [str(each) for each in stored.differing],
    }


def _stored(answer: Mapping[str, object]) -> Stored:
    return Stored(
        conversation_id=ConversationId(UUID(str(answer["conversation_id"]))),
        external_id=None if answer["external_id"] is None else str(answer["external_id"]),
        message_ids=_ids(answer["message_ids"]),
        message_count=int(str(answer["message_count"])),
        token_count=int(str(answer["token_count"])),
        duplicates=int(str(answer["duplicates"])),
        outbox_key=int(str(answer["outbox_key"])),
        replayed=True,
        differing=_ids(answer.get("differing")),
    )


def _ids(told: object) -> list[MessageId]:
    return [MessageId(UUID(str(each))) for each in told] if isinstance(told, list) else []

"""Storing what was said. The answer comes after the commit; nothing waits for a model."""

from collections import defaultdict, deque
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import takewhile
from uuid import UUID

from app.domain.conversation import Conversation, ConversationChanges, NewConversation, NewMessage
from app.domain.errors import IdempotencyConflict
from app.domain.ids import ConversationId, MessageId, TenantId
from app.ports import Clock, NewId
from app.ports.store import Store, Transaction
from app.ports.stored import PreparedMessage, StoredMessage
from app.services.prepare import Preparer


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """What a write left behind. `message_ids` are in the order of the request."""

    conversation_id: ConversationId
    external_id: str | None
    message_ids: Sequence[MessageId]
    message_count: int
    token_count: int
    duplicates: int
    outbox_key: int
    """Once the outbox has passed it, every index holds the messages."""
    replayed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotencyKey:
    """A caller's promise that a request under `key` to `path` is always this `body_hash`."""

    path: str
    key: str
    body_hash: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingestor:
    """Stores conversations: one request, one transaction."""

    store: Store
    preparer: Preparer
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
        fresh_id = ConversationId(self.new_id())
        prepared = await self.preparer.prepare(
            new.messages, conversation=fresh_id, said_at=new.created_at or now
        )
        async with self.store.write(tenant) as transaction:
            if once and (answered := await _answered(transaction, once)):
                return answered
            scope = await transaction.scopes.ensure(new.user_id, now=now)
            known = new.external_id and await transaction.conversations.find(
                scope.key, new.external_id
            )
            conversation = known or await transaction.conversations.add(
                new, conversation_id=fresh_id, scope=scope, now=now
            )
            position = 0
            if known:
                position = await transaction.conversations.lock(known.key)
                prepared = _said_now(new.messages, prepared, now=now)
            write = _Write(conversation, position, new.messages, prepared, once)
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
        prepared = await self.preparer.prepare(messages, conversation=conversation_id, said_at=now)
        async with self.store.write(tenant) as transaction:
            if once and (answered := await _answered(transaction, once)):
                return answered
            conversation = await transaction.conversations.get(conversation_id)
            position = await transaction.conversations.lock(conversation.key)
            write = _Write(conversation, position, messages, prepared, once)
            return await self._append(transaction, write, now=now)

    async def change(
        self, tenant: TenantId, conversation_id: ConversationId, changes: ConversationChanges
    ) -> Conversation:
        """
        Set what is given; archiving takes the messages out of the indexes, the rest stays.

        Raises:
            ConversationNotFound: There is none under this id.
        """
        now = self.clock()
        async with self.store.write(tenant) as transaction:
            found = await transaction.conversations.get(conversation_id)
            await transaction.conversations.change(found.key, changes, now=now)
            changed = await transaction.conversations.get(conversation_id)
            if changed.archived and not found.archived:
                await transaction.messages.unindex(changed, now=now)
            elif found.archived and not changed.archived:
                await transaction.messages.reindex(changed, now=now)
            else:
                await transaction.scopes.touch(changed.scope)
            return changed

    async def _append(self, transaction: Transaction, write: "_Write", *, now: datetime) -> Stored:
        conversation, prepared = write.conversation, write.prepared
        there = already_there(write.messages, prepared, await _known(transaction, write))
        fresh = [each for each, old in zip(prepared, there, strict=True) if old is None]
        placed = [
            replace(each, message=replace(each.message, position=write.position + offset))
            for offset, each in enumerate(fresh)
        ]
        await transaction.messages.append(conversation, placed, now=now)
        stored = Stored(
            conversation_id=conversation.id,
            external_id=conversation.external_id,
            message_ids=[old or each.message.id for each, old in zip(prepared, there, strict=True)],
            message_count=conversation.message_count + len(fresh),
            token_count=conversation.token_count + sum(each.message.tokens for each in fresh),
            duplicates=len(prepared) - len(fresh),
            outbox_key=await transaction.last_outbox_key(),
        )
        if write.once:
            await _keep(transaction, write.once, stored, now=now)
        return stored


@dataclass(frozen=True, slots=True)
class _Write:
    """Messages on their way into a conversation, from `position` on."""

    conversation: Conversation
    position: int
    messages: Sequence[NewMessage]
    prepared: Sequence[PreparedMessage]
    once: IdempotencyKey | None


async def _known(transaction: Transaction, write: _Write) -> Sequence[StoredMessage]:
    """What is stored that the new messages could repeat."""
    if write.position == 0:
        return []
    pairs = list(zip(write.messages, write.prepared, strict=True))
    return await transaction.messages.stored(
        write.conversation.key,
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


def already_there(
    new: Sequence[NewMessage],
    prepared: Sequence[PreparedMessage],
    known: Sequence[StoredMessage],
) -> list[MessageId | None]:
    """
    For each new message the id under which it is stored already, else None.

    A message with an external id is known by it, also when the request itself repeats it; one that
    brings its own time by content and time. The others are matched as a sequence: the longest run
    at their beginning that is the end of what is stored is a retry, unless something new came
    before it. Two equal messages in one request are two messages.
    """
    there: list[MessageId | None] = [None] * len(new)
    by_name = {each.external_id: each.id for each in known if each.external_id}
    by_time: defaultdict[Hashable, deque[MessageId]] = defaultdict(deque)
    for each in known:
        if each.external_id is None:
            by_time[_said(each), each.created_at].append(each.id)
    tail = _tail(known, {each.external_id for each in new})
    untimed: list[int] = []
    something_new = False
    for at, (message, ready) in enumerate(zip(new, prepared, strict=True)):
        if message.external_id is not None:
            there[at] = by_name.get(message.external_id)
            by_name.setdefault(message.external_id, ready.message.id)
        elif message.created_at is not None:
            same = by_time[_said(ready), message.created_at]
            there[at] = same.popleft() if same else None
        elif not something_new:
            untimed.append(at)
            continue
        something_new = something_new or there[at] is None
    taken = set(there)
    left = [each for each in tail if each.id not in taken]
    overlap = _overlap([_said(prepared[at]) for at in untimed], [_said(each) for each in left])
    for at, old in zip(untimed, left[len(left) - overlap :], strict=False):
        there[at] = old.id
    return there


def _tail(known: Sequence[StoredMessage], names: Collection[str | None]) -> list[StoredMessage]:
    """The unnamed messages at the end, between which none stands that is not in the request."""
    ending = takewhile(lambda each: each.external_id in {None, *names}, reversed(known))
    return [each for each in ending if each.external_id is None][::-1]


def _said(message: PreparedMessage | StoredMessage) -> Hashable:
    """Who said what: equal for equal messages, apart from their times."""
    who = message.message if isinstance(message, PreparedMessage) else message
    return (str(who.role), who.name, message.content_hash)


def _overlap(new: Sequence[Hashable], tail: Sequence[Hashable]) -> int:
    """
    The length of the longest beginning of `new` that is the end of `tail`.

    The failure function of Knuth, Morris and Pratt over both: linear, also for much of the same.
    """
    if not new or not tail:
        return 0
    text = [*new, None, *tail[-len(new) :]]
    border = [0] * len(text)
    for at in range(1, len(text)):
        length = border[at - 1]
        while length and text[at] != text[length]:
            length = border[length - 1]
        border[at] = length + (text[at] == text[length])
    return border[-1]


async def _answered(transaction: Transaction, once: IdempotencyKey) -> Stored | None:
    found = await transaction.find_answer(once.path, once.key)
    if found is None:
        return None
    body_hash, answer = found
    if body_hash != once.body_hash:
        raise IdempotencyConflict(key=once.key)
    return _stored(answer)


async def _keep(
    transaction: Transaction, once: IdempotencyKey, stored: Stored, *, now: datetime
) -> None:
    answer = {
        "conversation_id": str(stored.conversation_id),
        "external_id": stored.external_id,
        "message_ids": [str(each) for each in stored.message_ids],
        "message_count": stored.message_count,
        "token_count": stored.token_count,
        "duplicates": stored.duplicates,
        "outbox_key": stored.outbox_key,
    }
    await transaction.keep_answer(
        once.path, once.key, body_hash=once.body_hash, answer=answer, now=now
    )


def _stored(answer: Mapping[str, object]) -> Stored:
    ids = answer["message_ids"]
    return Stored(
        conversation_id=ConversationId(UUID(str(answer["conversation_id"]))),
        external_id=None if answer["external_id"] is None else str(answer["external_id"]),
        message_ids=[MessageId(UUID(str(each))) for each in ids] if isinstance(ids, list) else [],
        message_count=int(str(answer["message_count"])),
        token_count=int(str(answer["token_count"])),
        duplicates=int(str(answer["duplicates"])),
        outbox_key=int(str(answer["outbox_key"])),
        replayed=True,
    )

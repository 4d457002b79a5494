"""Things to store, and short ways to store them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from uuid_utils.compat import uuid7

from app.domain.conversation import Conversation, Message, NewConversation, NewMessage, Role, Scope
from app.domain.ids import ConversationId, ItemKey, MessageKey, TenantId
from app.domain.memory import table_and_row
from app.ports import RecallFilter
from app.ports.store import Store, Transaction
from app.ports.stored import PreparedMessage
from app.services.prepare import Preparer
from app.text.terms import query_terms

ACME, OTHER = TenantId("acme"), TenantId("other")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
MICROSECOND = timedelta(microseconds=1)


class Words:
    """Counts words instead of tokens."""

    def count(self, text: str) -> int:
        return len(text.split())


PREPARER = Preparer(tokens=Words(), new_id=uuid7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A conversation that was just stored."""

    scope: Scope
    conversation: Conversation
    messages: Sequence[Message]
    """As they were handed in, with the position that they got."""
    keys: Sequence[ItemKey]
    """Of those that full text holds."""

    @property
    def within(self) -> RecallFilter:
        return RecallFilter(scopes=[self.scope.key])


def said(content: str | None, at: datetime = NOON, **about: Any) -> NewMessage:
    return NewMessage(
        **{"role": Role.USER, "content": content, "created_at": at, **about},
    )


async def prepare(
    *messages: NewMessage | str, conversation: ConversationId | None = None, position: int = 0
) -> list[PreparedMessage]:
    new = [said(each) if isinstance(each, str) else each for each in messages]
    prepared = await PREPARER.prepare(
        new, conversation=conversation or ConversationId(uuid7()), said_at=NOON
    )
    return [
        replace(each, message=replace(each.message, position=position + offset))
        for offset, each in enumerate(prepared)
    ]


async def append(
    transaction: Transaction, conversation: Conversation, *messages: NewMessage | str
) -> tuple[list[PreparedMessage], Sequence[ItemKey]]:
    position = await transaction.conversations.lock(conversation.key)
    prepared = await prepare(*messages, conversation=conversation.id, position=position)
    return prepared, await transaction.messages.append(conversation, prepared, now=NOON)


async def keep(
    store: Store,
    *messages: NewMessage | str,
    user_id: str | None = "alice",
    tenant: TenantId = ACME,
    **about: Any,
) -> Kept:
    """Store a conversation; `about` are fields of NewConversation."""
    new = NewConversation(**{"user_id": user_id, "created_at": NOON, **about})
    async with store.write(tenant) as transaction:
        scope = await transaction.scopes.ensure(user_id, now=NOON)
        conversation = await transaction.conversations.add(
            new, conversation_id=ConversationId(uuid7()), scope=scope, now=NOON
        )
        prepared, keys = await append(transaction, conversation, *messages)
        return Kept(
            scope=await scope_of(transaction, user_id),
            conversation=await transaction.conversations.get(conversation.id),
            messages=[each.message for each in prepared],
            keys=keys,
        )


async def scope_of(transaction: Any, user_id: str | None = "alice") -> Scope:
    found = await transaction.scopes.find(user_id)
    assert isinstance(found, Scope)
    return found


async def scope_now(
    store: Store, user_id: str | None = "alice", *, tenant: TenantId = ACME
) -> Scope:
    async with store.read(tenant) as snapshot:
        return await scope_of(snapshot, user_id)


async def find(
    store: Store,
    query: str,
    within: RecallFilter,
    *,
    limit: int = 100,
    tenant: TenantId = ACME,
) -> Sequence[ItemKey]:
    """What full text finds of the first of the scopes."""
    async with store.read(tenant) as snapshot:
        scope = Scope(key=within.scopes[0], user_id=None, version=0, messages=100, terms=1000)
        answer = await snapshot.recall.find(
            query_terms(query), scope=scope, within=within, limit=limit
        )
    return answer.keys


async def outbox_keys(store: Store) -> list[ItemKey]:
    """The items that wait in the outbox, as a worker of the year 9000 would claim them."""
    late = datetime(9000, 1, 1, tzinfo=UTC)
    async with store.project() as projections:
        return [row.item_key for row in await projections.claim(now=late, limit=100_000, lease=0)]


def row_of(key: ItemKey) -> MessageKey:
    return MessageKey(table_and_row(key)[1])

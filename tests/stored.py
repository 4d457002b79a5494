"""Things to store, and short ways to store them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from uuid_utils.compat import uuid7

from app.domain.conversation import Conversation, Message, NewConversation, NewMessage, Role, Scope
from app.domain.ids import ERASED, ConversationId, ConversationKey, ItemKey, MessageKey, TenantId
from app.domain.memories import Memory, MemoryFilter, NewMemory
from app.domain.memory import ItemType, table_and_row
from app.ports import RecallFilter
from app.ports.conversations import MessageReader
from app.ports.embedding import Packed
from app.ports.store import Store, Transaction
from app.ports.stored import Erased, PreparedMessage
from app.services.memories.keep import MemoryKeeper
from app.services.memories.placing import KeptMemory
from app.services.memories.prepare import MemoryPreparer
from app.services.writing.prepare import Preparer
from app.text.terms import query_terms

ACME, OTHER = TenantId("acme"), TenantId("other")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
MICROSECOND = timedelta(microseconds=1)


class Words:
    """Counts words instead of tokens."""

    def count(self, text: str) -> int:
        return len(text.split())


def packed(vectors: Mapping[ItemKey, bytes]) -> dict[ItemKey, Packed]:
    """These vectors as they are stored, without those of words."""
    return {key: Packed(vector) for key, vector in vectors.items()}


async def last_of(
    messages: MessageReader, conversation: ConversationKey, *, limit: int
) -> Sequence[Message]:
    """The last `limit` messages of a conversation, oldest first."""
    page = await messages.page(conversation, cursor=None, limit=limit, newest_first=True)
    return page.items[::-1]


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


def keeper(store: Store, now: datetime = NOON) -> MemoryKeeper:
    """Counts words; its time is `now`."""
    preparer = MemoryPreparer(tokens=Words(), new_id=uuid7)
    return MemoryKeeper(store=store, preparer=preparer, clock=lambda: now)


async def tell(
    store: Store, content: str, at: datetime = NOON, *, tenant: TenantId = ACME, **about: Any
) -> KeptMemory:
    """Store a fact at a time; `about` are fields of NewMemory."""
    told = {"type": ItemType.FACT, "user_id": "alice", **about}
    kept = await keeper(store, at).keep(tenant, [NewMemory(content=content, **told)])
    return kept.memories[0]


async def items_of(store: Store, *, tenant: TenantId = ACME, **wanted: Any) -> list[Memory]:
    """What a list shows of a user at noon; `wanted` are fields of MemoryFilter."""
    every = {"now": NOON, "at": NOON, "user_id": "alice", **wanted}
    async with store.read(tenant) as snapshot:
        page = await snapshot.memories.page(MemoryFilter(**every), cursor=None, limit=1_000)
    return list(page.items)


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
    """What full text finds."""
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


async def erase_the_rest(store: Store, doomed: Erased, *, limit: int = 50_000) -> Erased:
    """Erase what is out of reach already; what all of it was."""
    assert doomed.doomed is not None
    more, total = True, doomed
    while more:
        async with store.write(ERASED) as transaction:
            part, more = await transaction.erase.portion(doomed.doomed, limit=limit, now=NOON)
        total += part
    return total


def row_of(key: ItemKey) -> MessageKey:
    return MessageKey(table_and_row(key)[1])

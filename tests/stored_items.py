"""Memory items to store, and short ways to look at what became of them."""

from dataclasses import replace
from datetime import datetime, timedelta

from app.domain.conversation import ConversationChanges
from app.domain.memories import Memory, MemoryChanges
from app.ports import RecallFilter
from app.ports.store import Store
from app.services.memories.placing import KeptMemory
from tests.stored import ACME, NOON, Kept, find, keeper, scope_now

DAY = timedelta(days=1)
MODEL = "mini"


async def get(store: Store, item: KeptMemory, *, now: datetime = NOON) -> Memory:
    async with store.read(ACME) as snapshot:
        return await snapshot.memories.get(item.id, now=now)


async def change(store: Store, item: KeptMemory, at: datetime = NOON, **given: object) -> Memory:
    changes = replace(MemoryChanges(given=frozenset(given)), **given)  # type: ignore[arg-type]
    return await keeper(store, at).change(ACME, item.id, changes)


async def within(store: Store, **narrowed: object) -> RecallFilter:
    scope = await scope_now(store)
    return replace(RecallFilter(scopes=[scope.key], now=NOON), **narrowed)  # type: ignore[arg-type]


async def shown(store: Store, query: str, **narrowed: object) -> list[str]:
    """What full text finds and a pool would hold, in the order of the alphabet."""
    asked = await within(store, **narrowed)
    keys = await find(store, query, asked)
    async with store.read(ACME) as snapshot:
        read = await snapshot.recall.surrounded(keys, within=asked, model=MODEL)
    assert sorted(keys) == list(read.recalled.keys)
    return sorted(read.recalled.contents)


async def counters(store: Store) -> tuple[int, int]:
    scope = await scope_now(store)
    return scope.messages, scope.terms


async def archive(store: Store, kept: Kept, *, archived: bool) -> None:
    given = ConversationChanges(given=frozenset({"archived"}), archived=archived)
    async with store.write(ACME) as transaction:
        await transaction.conversations.change(kept.conversation.key, given, now=NOON)
        changed = await transaction.conversations.get(kept.conversation.id)
        move = transaction.messages.unindex if archived else transaction.messages.reindex
        await move(changed, now=NOON)

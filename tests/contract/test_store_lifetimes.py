"""Items of a type may live for so long, unless they are told otherwise."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from app.domain.ids import ItemId
from app.domain.memories import Memory, NewMemory
from app.domain.memory import ItemType
from app.ports.store import Store
from tests.stored import ACME, NOON, keeper

DAY = timedelta(days=1)


async def tell(store: Store, at: datetime, **about: Any) -> tuple[ItemId, Memory]:
    new = NewMemory(type=ItemType.FACT, content="Tea.", user_id="alice", subject="drink")
    keeping = replace(keeper(store, at), lifetimes={ItemType.FACT: 30 * DAY})
    kept = await keeping.keep(ACME, [replace(new, **about)])
    async with store.read(ACME) as snapshot:
        return kept.memories[0].id, await snapshot.memories.get(kept.memories[0].id, now=None)


async def test_what_is_told_no_end_gets_that_of_its_type(store: Store) -> None:
    _, fact = await tell(store, NOON)
    _, tool = await tell(store, NOON, type=ItemType.TOOL)
    _, ends = await tell(store, NOON, subject="food", expires_at=NOON + DAY)
    assert (fact.expires_at, tool.expires_at) == (NOON + 30 * DAY, None)
    assert ends.expires_at == NOON + DAY


async def test_what_is_told_once_more_lives_on(store: Store) -> None:
    first, _ = await tell(store, NOON)
    second, fact = await tell(store, NOON + 20 * DAY)
    assert first == second
    assert fact.expires_at == NOON + 50 * DAY
    third, shorter = await tell(store, NOON + 21 * DAY, expires_at=NOON + 22 * DAY)
    assert (third, shorter.expires_at) == (first, NOON + 50 * DAY)

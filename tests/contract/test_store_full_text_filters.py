"""Full text narrowed by everything a request can ask for, and pinned items the same way."""

from datetime import timedelta
from typing import Any

import pytest

from app.adapters.sql.full_text.asking import MAX_CONVERSATIONS_INSIDE
from app.domain.conversation import Role
from app.domain.ids import ConversationKey, ScopeKey
from app.domain.memory import ItemType
from app.ports import RecallFilter
from app.ports.store import Store
from tests.stored import ACME, MICROSECOND, NOON, Kept, find, keep, said

DAY = timedelta(days=1)


async def talks(store: Store, count: int, **about: Any) -> list[Kept]:
    """Conversations of two messages each, one day after the other, both pinned."""
    return [
        await keep(
            store,
            said(f"dog {day}", NOON + day * DAY, importance=10),
            said("dog", NOON + day * DAY + MICROSECOND, role=Role.ASSISTANT, importance=10),
            **about,
        )
        for day in range(count)
    ]


async def both(store: Store, within: RecallFilter) -> list[int]:
    """What full text and the pins give, which must be the same."""
    async with store.read(ACME) as snapshot:
        pinned = await snapshot.recall.pinned(within, limit=1_000)
    found = await find(store, "dog", within, limit=1_000)
    assert set(pinned) == set(found)
    return sorted(found)


def keys_of(*kept: Kept) -> list[int]:
    return sorted(key for each in kept for key in each.keys)


def conversations(*kept: Kept) -> frozenset[ConversationKey]:
    return frozenset(each.conversation.key for each in kept)


@pytest.mark.parametrize("count", [1, 2, MAX_CONVERSATIONS_INSIDE, MAX_CONVERSATIONS_INSIDE + 3])
async def test_a_search_stays_inside_the_conversations(store: Store, count: int) -> None:
    kept = await talks(store, count + 2)
    chosen = kept[:count]
    within = RecallFilter(scopes=[kept[0].scope.key], conversations=conversations(*chosen))
    assert await both(store, within) == keys_of(*chosen)


async def test_inside_no_conversation_there_is_nothing(store: Store) -> None:
    (kept,) = await talks(store, 1)
    assert await both(store, RecallFilter(scopes=[kept.scope.key], conversations=frozenset())) == []


@pytest.mark.parametrize("count", [0, 1, 40])
async def test_a_search_leaves_conversations_out(store: Store, count: int) -> None:
    kept = await talks(store, 41)
    out = conversations(*kept[:count])
    within = RecallFilter(scopes=[kept[0].scope.key], without_conversations=out)
    assert await both(store, within) == keys_of(*kept[count:])


async def test_in_and_out_hold_together(store: Store) -> None:
    a, b, _ = await talks(store, 3)
    within = RecallFilter(
        scopes=[a.scope.key],
        conversations=conversations(a, b),
        without_conversations=conversations(b),
    )
    assert await both(store, within) == keys_of(a)


async def test_very_many_conversations_do_not_hit_a_limit(store: Store) -> None:
    a, b = await talks(store, 2)
    many = frozenset(ConversationKey(10**9 + number) for number in range(50_000))
    scopes = [a.scope.key]
    inside = RecallFilter(scopes=scopes, conversations=many | conversations(a))
    assert await both(store, inside) == keys_of(a)
    outside = RecallFilter(scopes=scopes, without_conversations=many | conversations(a))
    assert await both(store, outside) == keys_of(b)


@pytest.mark.parametrize(
    ("narrower", "positions"),
    [
        ({"roles": frozenset({Role.USER})}, [0, 2, 4]),
        ({"roles": frozenset({Role.ASSISTANT, Role.TOOL})}, [1, 3, 5]),
        ({"roles": frozenset({Role.TOOL})}, []),
        ({"types": frozenset({ItemType.MESSAGE, ItemType.FACT})}, [0, 1, 2, 3, 4, 5]),
        ({"types": frozenset({ItemType.FACT})}, []),
        ({"after": NOON + DAY}, [2, 3, 4, 5]),
        ({"after": NOON + DAY + MICROSECOND}, [3, 4, 5]),
        ({"before": NOON + DAY}, [0, 1]),
        ({"before": NOON + DAY + MICROSECOND}, [0, 1, 2]),
        ({"as_of": NOON + DAY}, [0, 1, 2]),
        ({"as_of": NOON - MICROSECOND}, []),
        ({"after": NOON + DAY, "before": NOON + 2 * DAY, "roles": frozenset({Role.USER})}, [2]),
        ({"after": NOON + 2 * DAY, "before": NOON + DAY}, []),
    ],
)
@pytest.mark.parametrize("among", ["all", "one by one", "many"])
async def test_a_search_is_narrowed(
    store: Store, narrower: dict[str, Any], positions: list[int], among: str
) -> None:
    kept = await talks(store, 3)
    if among != "all":
        narrower = narrower | {"conversations": conversations(*kept)}
    if among == "many":
        others = frozenset(ConversationKey(10**9 + number) for number in range(40))
        narrower = narrower | {"conversations": narrower["conversations"] | others}
    within = RecallFilter(scopes=[kept[0].scope.key], **narrower)
    every = keys_of(*kept)
    assert await both(store, within) == [every[position] for position in positions]


async def test_the_limit_counts_what_is_left_after_narrowing(store: Store) -> None:
    kept = await talks(store, 5)
    first = RecallFilter(scopes=[kept[0].scope.key], before=NOON + DAY)
    assert set(await find(store, "dog", first, limit=2)) == set(kept[0].keys)


async def test_a_scope_that_is_not_there_has_nothing(store: Store) -> None:
    await talks(store, 1)
    assert await both(store, RecallFilter(scopes=[ScopeKey(10**9)])) == []

"""What stands beside messages in their conversations."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from app.domain.conversation import ConversationChanges, Role
from app.domain.ids import ItemKey, MessageKey, TenantId
from app.domain.memory import Table, item_key, table_and_row
from app.ports import RecallFilter
from app.ports.store import Store
from app.ranking.bm25 import pack_terms
from app.ranking.neighbours import Neighbours
from app.ranking.pool import Surrounded, pack_vector
from tests.stored import ACME, MICROSECOND, NOON, OTHER, SECOND, Kept, keep, packed, said

MODEL = "mini"
VECTOR = pack_vector(np.array([1, 0, 0, 0], dtype=np.float32))
AT_LENGTH = " the" * 25
"""Says nothing, and makes a message long enough to have one neighbour on either side."""


async def beside(
    store: Store,
    keys: Sequence[ItemKey],
    within: RecallFilter,
    *,
    tenant: TenantId = ACME,
    model: str = MODEL,
) -> Neighbours:
    async with store.read(tenant) as snapshot:
        found = await snapshot.recall.surrounded(keys, within=within, model=model)
        return found.neighbours


async def chat(store: Store, count: int = 6, *, rest: str = AT_LENGTH) -> Kept:
    """Messages "word0", "word1", …, one a second, each with the `rest`."""
    said_so = (said(f"word{at}{rest}", NOON + at * SECOND) for at in range(count))
    return await keep(store, *said_so)


async def test_the_one_on_either_side_is_a_neighbour(store: Store) -> None:
    kept = await chat(store, 7)
    async with store.project() as projections:
        vectors = {kept.keys[2]: VECTOR}
        await projections.keep_vectors(packed(vectors), model=MODEL, dimension=4, now=NOON)

    found = await beside(store, [kept.keys[3]], kept.within)

    assert list(found.positions) == [2, 4]
    assert [item_key(Table.MESSAGE, key) for key in found.keys] == [kept.keys[2], kept.keys[4]]
    assert set(found.conversations) == {kept.conversation.key}
    assert list(found.vectors) == [VECTOR, None]
    assert list(found.bags) == [pack_terms([f"word{at}"]) for at in (2, 4)]


async def test_of_brief_messages_two_on_either_side_are(store: Store) -> None:
    kept = await chat(store, 7, rest="")
    found = await beside(store, [kept.keys[3]], kept.within)
    assert list(found.positions) == [1, 2, 4, 5]


async def test_each_neighbour_comes_once_and_nothing_asked_for_is_one(store: Store) -> None:
    kept = await chat(store)
    found = await beside(store, [kept.keys[1], kept.keys[2]], kept.within)
    assert list(found.positions) == [0, 3]


async def test_other_conversations_are_not_beside(store: Store) -> None:
    first, second = await chat(store, 1), await chat(store, 2)
    found = await beside(store, [first.keys[0], second.keys[0]], first.within)
    assert list(found.conversations) == [second.conversation.key]


async def test_a_vector_of_another_model_is_none(store: Store) -> None:
    kept = await chat(store, 2)
    async with store.project() as projections:
        vectors = {kept.keys[1]: VECTOR}
        await projections.keep_vectors(packed(vectors), model="other", dimension=4, now=NOON)
    found = await beside(store, [kept.keys[0]], kept.within)
    assert list(found.vectors) == [None]


@pytest.mark.parametrize(
    ("narrower", "seen"),
    [
        ({"as_of": NOON + 3 * SECOND}, [1, 3]),
        ({"as_of": NOON + 3 * SECOND - MICROSECOND}, [1]),
        ({"before": NOON + 3 * SECOND}, [1]),
        ({"before": NOON + 4 * SECOND, "as_of": NOON + timedelta(days=1)}, [1, 3]),
        ({"after": NOON + SECOND}, [1, 3]),
        ({"after": NOON + SECOND + MICROSECOND}, [3]),
    ],
)
async def test_what_lies_outside_the_asked_time_is_not_seen(
    store: Store, narrower: dict[str, Any], seen: list[int]
) -> None:
    kept = await chat(store)
    within = replace(kept.within, **narrower)
    found = await beside(store, [kept.keys[2]], within)
    assert list(found.positions) == seen


async def test_other_users_and_tenants_see_nothing(store: Store) -> None:
    kept, stranger = await chat(store), await keep(store, "hello", user_id="bob")
    assert not (await beside(store, [kept.keys[2]], stranger.within)).positions
    assert not (await beside(store, [kept.keys[2]], kept.within, tenant=OTHER)).positions


async def test_what_is_in_no_index_is_no_neighbour(store: Store) -> None:
    rules = said("rules", role=Role.SYSTEM)
    kept = await keep(store, rules, "tea", said("   "), "milk")
    found = await beside(store, list(kept.keys), kept.within)
    assert not found.positions


async def test_an_archived_conversation_has_no_neighbours(store: Store) -> None:
    kept = await chat(store)
    async with store.write(ACME) as transaction:
        changes = ConversationChanges(given=frozenset(["archived"]), archived=True)
        await transaction.conversations.change(kept.conversation.key, changes, now=NOON)
    assert not (await beside(store, [kept.keys[2]], kept.within)).positions


async def test_nothing_has_no_neighbours(store: Store) -> None:
    kept = await chat(store)
    assert await beside(store, [], kept.within) == Neighbours.none()


def the_first_three(found: Surrounded) -> Sequence[MessageKey]:
    return found.neighbours.keys[:3]


async def test_neighbours_that_are_wanted_are_items_and_neighbours_no_more(store: Store) -> None:
    kept = await chat(store, 9)
    async with store.read(ACME) as snapshot:
        found = await snapshot.recall.surrounded(
            [kept.keys[1], kept.keys[6]], within=kept.within, model=MODEL, widening=the_first_three
        )

    assert sorted(found.recalled.positions) == [0, 1, 2, 5, 6]
    assert sorted(found.recalled.contents) == [f"word{at}{AT_LENGTH}" for at in (0, 1, 2, 5, 6)]
    assert list(found.neighbours.positions) == [7]


async def test_of_them_only_what_has_a_wanted_role_is_an_item(store: Store) -> None:
    tea, milk = (said(each, role=Role.ASSISTANT) for each in ("tea", "milk"))
    kept = await keep(store, tea, f"why{AT_LENGTH}", milk, "so")
    within = replace(kept.within, roles=frozenset({Role.USER}))
    async with store.read(ACME) as snapshot:
        found = await snapshot.recall.surrounded(
            [kept.keys[1]], within=within, model=MODEL, widening=the_first_three
        )

    assert list(found.recalled.contents) == [f"why{AT_LENGTH}"]
    assert sorted(found.neighbours.positions) == [0, 2]


async def test_what_a_widening_wants_of_others_does_not_come(store: Store) -> None:
    kept, stranger = await chat(store), await keep(store, "hello", user_id="bob")
    theirs = table_and_row(stranger.keys[0])[1]
    async with store.read(ACME) as snapshot:
        found = await snapshot.recall.surrounded(
            [kept.keys[2]],
            within=kept.within,
            model=MODEL,
            widening=lambda _: [MessageKey(theirs)],
        )
    assert list(found.recalled.contents) == [f"word2{AT_LENGTH}"]

"""Memory items, found: by words, types, conversations and times, while they hold."""

from datetime import datetime

import pytest

from app.domain.errors import (
    MemoryNotFound,
)
from app.domain.ids import ItemKey
from app.domain.memory import ItemType, table_and_row
from app.ports.embedding import Packed
from app.ports.store import Store
from tests.stored import (
    ACME,
    NOON,
    SECOND,
    find,
    items_of,
    keep,
    packed,
    said,
    tell,
)
from tests.stored_items import DAY, MODEL, archive, counters, get, shown, within

BEFORE, FROM, LAST, UNTIL = NOON - DAY, NOON, NOON + DAY - SECOND, NOON + DAY


@pytest.mark.parametrize(
    ("at", "holds"), [(BEFORE, False), (FROM, True), (LAST, True), (UNTIL, False)]
)
async def test_an_item_holds_from_its_beginning_until_before_its_end(
    store: Store,
    at: datetime,
    holds: bool,  # noqa: FBT001  (a case)
) -> None:
    await tell(store, "dogs bark", valid_from=FROM, valid_to=UNTIL, importance=10)
    expected = ["dogs bark"] if holds else []
    assert [each.content for each in await items_of(store, at=at)] == expected
    assert await shown(store, "dogs", as_of=at, now=NOON + 9 * DAY) == expected
    assert await shown(store, "dogs", now=at) == expected
    async with store.read(ACME) as snapshot:
        pinned = await snapshot.recall.pinned(await within(store, now=at), limit=9)
    assert len(pinned) == len(expected)


async def test_what_has_expired_is_never_seen_not_even_as_of_before(store: Store) -> None:
    told = await tell(store, "dogs bark", expires_at=NOON + SECOND)
    assert await shown(store, "dogs") == ["dogs bark"]
    later = NOON + SECOND
    assert await shown(store, "dogs", now=later) == []
    assert await shown(store, "dogs", now=later, as_of=NOON) == []
    assert await items_of(store, now=later) == []
    assert await items_of(store, now=later, at=None) == []
    with pytest.raises(MemoryNotFound):
        await get(store, told, now=later)


async def test_an_item_comes_with_all_that_ranking_and_an_answer_need(store: Store) -> None:
    kept = await keep(store, said("I moved", external_id="m1"), label="Talk", external_id="chat")
    told = await tell(
        store,
        "home Lisbon",
        conversation_id=kept.conversation.id,
        derived_from=[kept.messages[0].id],
        importance=8,
        source="crm",
    )
    key = (await get(store, told)).key
    async with store.project() as projections:
        await projections.keep_vectors(packed({key: b"\1\2"}), model=MODEL, dimension=1, now=NOON)
    async with store.read(ACME) as snapshot:
        found = await snapshot.recall.hydrate([key], scopes=[kept.scope.key], model=MODEL)
    item = found.read(0)
    assert (found.vectors[0], found.importance[0], found.labels[0]) == (b"\1\2", 8, "Talk")
    assert (found.pieces[0], found.kinds[0], found.roles[0]) == (0, None, None)
    alone = -table_and_row(key)[1]
    assert (found.messages[0], found.conversations[0]) == (alone, alone)
    assert (item.key, item.id, item.type, item.role) == (key, told.id, ItemType.FACT, None)
    assert (item.conversation_id, item.label) == (kept.conversation.id, "Talk")
    assert (item.conversation_external_id, item.created_at) == ("chat", NOON)
    message, source = item.lineage
    assert (message.kind, message.id, message.external_id) == (
        "message",
        str(kept.messages[0].id),
        "m1",
    )
    assert (source.kind, source.id) == ("source", "crm")


async def test_items_are_found_beside_messages_and_have_no_neighbours(store: Store) -> None:
    await keep(store, "dogs one", "tea", "dogs two")
    await tell(store, "dogs three")
    assert await shown(store, "dogs") == ["dogs one", "dogs three", "dogs two"]
    asked = await within(store)
    keys = await find(store, "three", asked)
    async with store.read(ACME) as snapshot:
        read = await snapshot.recall.surrounded(keys, within=asked, model=MODEL)
    assert list(read.neighbours.positions) == []


TYPES = [
    ({ItemType.FACT}, ["dogs fact", "dogs noted"]),
    ({ItemType.TOOL}, ["dogs tool"]),
    ({ItemType.MESSAGE}, ["dogs said"]),
    ({ItemType.MESSAGE, ItemType.TOOL}, ["dogs said", "dogs tool"]),
    ({ItemType.SUMMARY}, []),
]


@pytest.mark.parametrize(("types", "expected"), TYPES)
async def test_types_narrow_a_search(
    store: Store, types: set[ItemType], expected: list[str]
) -> None:
    kept = await keep(store, "dogs said")
    await tell(store, "dogs fact", importance=10)
    await tell(store, "dogs tool", type=ItemType.TOOL, importance=10)
    await tell(store, "dogs noted", conversation_id=kept.conversation.id)
    assert await shown(store, "dogs", types=frozenset(types)) == expected
    async with store.read(ACME) as snapshot:
        asked = await within(store, types=frozenset(types))
        pinned = await snapshot.recall.pinned(asked, limit=9)
    assert len(pinned) == len(types & {ItemType.FACT, ItemType.TOOL})


async def test_conversations_and_roles_narrow_a_search(store: Store) -> None:
    kept, other = await keep(store, "dogs said"), await keep(store, "dogs elsewhere")
    await tell(store, "dogs noted", conversation_id=kept.conversation.id)
    await tell(store, "dogs alone")
    here = frozenset([kept.conversation.key])
    many = frozenset(range(1_000, 1_040)) | here
    for conversations in (here, many):
        assert await shown(store, "dogs", conversations=conversations) == [
            "dogs noted",
            "dogs said",
        ]
    outside = await shown(store, "dogs", without_conversations=here)
    assert outside == ["dogs alone", "dogs elsewhere"]
    assert await shown(store, "dogs", roles=frozenset([kept.messages[0].role])) == [
        "dogs elsewhere",
        "dogs said",
    ]
    assert other.conversation.key not in here


async def test_times_narrow_items_by_when_they_begin_to_hold(store: Store) -> None:
    await tell(store, "dogs once", valid_from=NOON - DAY)
    await tell(store, "dogs now")
    assert await shown(store, "dogs", before=NOON) == ["dogs once"]
    assert await shown(store, "dogs", after=NOON) == ["dogs now"]


async def test_where_nothing_says_that_there_are_items_none_is_read(store: Store) -> None:
    await keep(store, "dogs said")
    told = await tell(store, "dogs told")
    asked = await within(store, now=None)
    async with store.read(ACME) as snapshot:
        key = (await get(store, told)).key
        read = await snapshot.recall.surrounded([key], within=asked, model=MODEL)
    assert list(read.recalled.contents) == []


async def test_an_archived_conversation_takes_its_items_along(store: Store) -> None:
    kept = await keep(store, "dogs said")
    await tell(store, "dogs noted", conversation_id=kept.conversation.id)
    both = await counters(store)
    await archive(store, kept, archived=True)
    assert await shown(store, "dogs") == []
    assert await counters(store) == (0, 0)
    await archive(store, kept, archived=False)
    assert await shown(store, "dogs") == ["dogs noted", "dogs said"]
    assert await counters(store) == both
    await archive(store, kept, archived=True)
    await tell(store, "dogs late", conversation_id=kept.conversation.id)
    assert await shown(store, "dogs") == []


async def test_the_next_change_is_the_first_beginning_or_end_to_come(store: Store) -> None:
    async def upcoming(now: datetime) -> datetime | None:
        async with store.read(ACME) as snapshot:
            (scope,) = await snapshot.scopes.readable("alice", now=now)
            return scope.changes_at

    await tell(store, "a fact")
    assert await upcoming(NOON) is None
    await tell(store, "later", valid_from=NOON + 3 * DAY)
    await tell(store, "ends", valid_to=NOON + 2 * DAY)
    await tell(store, "gone", expires_at=NOON + DAY)
    assert await upcoming(NOON) == NOON + DAY
    assert await upcoming(NOON + DAY) == NOON + 2 * DAY
    assert await upcoming(NOON + 2 * DAY) == NOON + 3 * DAY
    assert await upcoming(NOON + 3 * DAY) is None


async def test_what_the_vector_index_is_told_of_an_item(store: Store) -> None:
    kept = await keep(store, "hello")
    told = await tell(
        store,
        "a fact",
        NOON,
        conversation_id=kept.conversation.id,
        valid_from=NOON - DAY,
        valid_to=NOON + 2 * DAY,
        expires_at=NOON + DAY,
    )
    memory = await get(store, told)
    async with store.observe() as observations:
        (item,) = await observations.to_index([memory.key], model=MODEL)
        assert await observations.belonging([memory.key, ItemKey(4_002)]) == {memory.key}
        assert memory.key in await observations.recallable(after=ItemKey(0), limit=9)
    assert (item.key, item.scope, item.type) == (memory.key, memory.scope, ItemType.FACT)
    assert (item.conversation, item.role) == (kept.conversation.key, None)
    assert (item.created_at, item.until) == (NOON - DAY, NOON + DAY)
    assert (item.text, item.vector) == ("a fact", None)


async def test_what_says_the_same_in_a_scope_comes_with_the_vector_that_is_stored(
    store: Store,
) -> None:
    tea = [await tell(store, "green tea", NOON, type=ItemType.PROCEDURE) for _ in range(2)]
    coffee, theirs = (
        await tell(store, "coffee", NOON),
        await tell(store, "green tea", user_id="eve"),
    )
    first, second, other, foreign = [
        (await get(store, each)).key for each in (*tea, coffee, theirs)
    ]
    async with store.project() as projections:
        embedded = {first: Packed(b"\1\2", b"\3\4")}
        await projections.keep_vectors(embedded, model=MODEL, dimension=1, now=NOON)
    async with store.observe() as observations:
        found = await observations.to_index([first, second, other, foreign], model=MODEL)
        newer = await observations.to_index([second], model="newer")
    assert [(each.vector, each.same) for each in found] == [
        (b"\1\2", None),
        (None, Packed(b"\1\2", b"\3\4")),
        (None, None),
        (None, None),
    ]
    assert [each.same for each in newer] == [None]

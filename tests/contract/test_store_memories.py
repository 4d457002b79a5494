"""Memory items: told once, read again, changed, superseded."""

from dataclasses import replace
from typing import Any

import pytest
from uuid_utils.compat import uuid7

from app.domain.conversation import Scope
from app.domain.errors import (
    ConversationNotFound,
    IdempotencyConflict,
    InvalidCursor,
    MemoryNotFound,
    MessageNotFound,
    NeverValid,
)
from app.domain.ids import ItemId, MessageId
from app.domain.memories import MemoryFilter, NewMemory
from app.domain.memory import ItemType
from app.ports.store import Store
from app.services.common.once import IdempotencyKey
from tests.stored import (
    ACME,
    NOON,
    OTHER,
    SECOND,
    find,
    items_of,
    keep,
    keeper,
    outbox_keys,
    packed,
    scope_now,
    tell,
)
from tests.stored_items import DAY, MODEL, change, counters, get, shown, within


async def test_what_was_told_is_read_again(store: Store) -> None:
    about: Any = {"importance": 7, "source": "https://crm.example", "metadata": {"a": [1]}}
    told = await tell(store, "Alice lives in Lisbon", NOON + SECOND, **about)
    memory = await get(store, told)
    assert (memory.id, memory.type, memory.content) == (
        told.id,
        ItemType.FACT,
        "Alice lives in Lisbon",
    )
    assert (memory.user_id, memory.conversation_id, memory.parent) == ("alice", None, None)
    assert (memory.importance, memory.source) == (7, "https://crm.example")
    assert (memory.metadata, memory.tokens, memory.parts) == ({"a": [1]}, 4, 0)
    assert memory.created_at == memory.updated_at == memory.valid_from == NOON + SECOND
    assert (memory.valid_to, memory.expires_at, memory.superseded_by) == (None, None, None)
    assert (memory.last_accessed_at, memory.access_count) == (None, 0)
    assert (told.tokens, told.parts, told.superseded, told.known) == (4, 0, [], False)


async def test_the_scope_counts_items_as_documents_of_full_text(store: Store) -> None:
    assert not (await _scope(store)).has_items
    told = await tell(store, "dogs bark loudly")
    scope = await _scope(store)
    assert (scope.has_items, scope.messages, scope.terms) == (True, 1, 3)
    assert scope.version > 0
    assert await outbox_keys(store) == [(await get(store, told)).key]


async def _scope(store: Store) -> Scope:
    async with store.write(ACME) as transaction:
        return await transaction.scopes.ensure("alice", now=NOON)


async def test_what_is_alike_has_the_subject_or_tells_what_is_looked_for(store: Store) -> None:
    for name, subject, told in (
        ("same", "we|decision|a_b", {}),
        ("planned", "we|decision|planned|a_b", {}),
        ("other", "we|decision|axb", {}),
        ("instead", "we|decision|c", {"against": "a_b"}),
        ("elsewhere", "us|decision|c", {"against": "a_b"}),
        ("null", "we|decision|d", {"against": None}),
    ):
        await tell(store, name, subject=subject, metadata=told)
    scope = await _scope(store)

    async with store.write(ACME) as transaction:
        found = await transaction.memories.alike(
            scope.key,
            ItemType.FACT,
            ["we|decision|a_b", "we|decision|planned|a_b"],
            groups=["we|decision"],
            telling="against",
        )

    assert sorted(each.content for each in found) == ["instead", "planned", "same"]


async def test_subjects_begin_as_they_are_spelled_whatever_the_database(store: Store) -> None:
    """Another case is another subject, and what stands for any text in a pattern does not here."""
    subjects = ["Ann|a", "ann", "ann's tea", "ann|a", "ann|\U0010ffff", "anna|a", "an_|a", "a%n|a"]
    for subject in subjects:
        await tell(store, f"about {subject}", subject=subject)
    scope = (await scope_now(store)).key
    async with store.write(ACME) as transaction:
        for groups, begun, wanted in (
            (["ann"], [], ["ann", "ann|a", "ann|\U0010ffff"]),
            (["ann"], ["ann'", "ann|"], ["ann", "ann's tea", "ann|a", "ann|\U0010ffff"]),
            (["an_", "a%n"], [], ["an_|a", "a%n|a"]),
            ([], ["\U0010ffff"], []),
        ):
            found = await transaction.memories.under(scope, ItemType.FACT, groups, beginnings=begun)
            assert [each.subject for each in found] == wanted


async def test_items_are_their_users_and_tenants_own(store: Store) -> None:
    told = await tell(store, "dogs bark")
    await tell(store, "dogs sleep", user_id="bob")
    await tell(store, "dogs eat", tenant=OTHER)
    await tell(store, "dogs swim", user_id=None)
    assert [each.content for each in await items_of(store)] == ["dogs bark"]
    assert [each.content for each in await items_of(store, user_id=None)] == ["dogs swim"]
    assert [each.content for each in await items_of(store, tenant=OTHER)] == ["dogs eat"]
    assert await shown(store, "dogs") == ["dogs bark"]
    async with store.read(OTHER) as snapshot:
        with pytest.raises(MemoryNotFound):
            await snapshot.memories.get(told.id, now=NOON)
    alien = await within(store)
    async with store.read(OTHER) as snapshot:
        key = (await get(store, told)).key
        assert len(await snapshot.recall.hydrate([key], scopes=alien.scopes, model=MODEL)) == 0
        assert await snapshot.recall.pinned(alien, limit=9) == []
    assert await find(store, "dogs", alien, tenant=OTHER) == []


async def test_lists_are_newest_first_and_go_on_behind_their_cursor(store: Store) -> None:
    for number in range(7):
        await tell(store, f"fact {number}", NOON + number // 2 * SECOND)
    seen: list[str] = []
    cursor = None
    wanted = MemoryFilter(now=NOON, at=NOON + DAY, user_id="alice")
    async with store.read(ACME) as snapshot:
        while True:
            page = await snapshot.memories.page(wanted, cursor=cursor, limit=3)
            seen += [each.content for each in page.items]
            cursor = page.next_cursor
            if cursor is None:
                break
            assert len(page.items) == 3
        with pytest.raises(InvalidCursor):
            await snapshot.memories.page(wanted, cursor="x", limit=3)
    assert seen == [f"fact {number}" for number in reversed(range(7))]


async def test_lists_are_narrowed(store: Store) -> None:
    kept = await keep(store, "hello")
    fact = await tell(store, "a fact", conversation_id=kept.conversation.id)
    tool = await tell(store, "a tool", type=ItemType.TOOL)
    inside = await items_of(store, conversation_id=kept.conversation.id)
    assert [each.id for each in inside] == [fact.id]
    assert [each.id for each in await items_of(store, type=ItemType.TOOL)] == [tool.id]


async def test_what_would_end_before_it_begins_is_refused(store: Store) -> None:
    with pytest.raises(NeverValid):
        await tell(store, "dogs bark", valid_to=NOON)
    assert await items_of(store, at=None) == []
    told = await tell(store, "dogs bark")
    with pytest.raises(NeverValid):
        await change(store, told, valid_to=NOON)


async def test_a_newer_item_about_a_subject_supersedes_the_one_that_held(store: Store) -> None:
    berlin = await tell(store, "home Berlin", NOON - 2 * DAY, subject="alice/home")
    lisbon = await tell(store, "home Lisbon", NOON - DAY, subject="alice/home")
    await tell(store, "home Oslo", subject="bob/home")
    assert lisbon.superseded == [berlin.id]
    old = await get(store, berlin)
    assert (old.superseded_by, old.valid_to) == (lisbon.id, NOON - DAY)
    assert await shown(store, "home") == ["home Lisbon", "home Oslo"]
    assert await shown(store, "home", as_of=NOON - DAY - SECOND) == ["home Berlin"]
    every = await items_of(store, at=None)
    assert [each.content for each in every] == ["home Oslo", "home Lisbon", "home Berlin"]


async def test_what_is_learned_late_takes_its_place_in_time(store: Store) -> None:
    lisbon = await tell(store, "home Lisbon", subject="home")
    berlin = await tell(store, "home Berlin", subject="home", valid_from=NOON - 9 * DAY)
    rome = await tell(store, "home Rome", subject="home", valid_from=NOON - 5 * DAY)
    places = {"Berlin": NOON - 6 * DAY, "Rome": NOON - 5 * DAY, "Lisbon": NOON}
    for place, at in places.items():
        assert await shown(store, "home", as_of=at) == [f"home {place}"]
    assert (await get(store, berlin)).superseded_by == rome.id
    assert (await get(store, rome)).superseded_by == lisbon.id
    assert (await get(store, lisbon)).superseded_by is None


async def test_items_tell_what_they_took_the_place_of(store: Store) -> None:
    berlin = await tell(store, "home Berlin", NOON - 3 * DAY, subject="home")
    rome = await tell(store, "home Rome", NOON - 2 * DAY, subject="home", expires_at=NOON + DAY)
    lisbon = await tell(store, "home Lisbon", NOON - DAY, subject="home")
    both = [await get(store, each) for each in (lisbon, rome)]
    for now, expected in ((NOON, [rome.id]), (NOON + DAY, [])):
        async with store.read(ACME) as snapshot:
            told = await snapshot.memories.superseded(both, now=now)
        assert told == {lisbon.id: expected, rome.id: [berlin.id]}
    async with store.read(OTHER) as snapshot:
        elsewhere = await snapshot.memories.superseded(both, now=NOON)
        assert await snapshot.memories.superseded([], now=NOON) == {}
    assert elsewhere == {lisbon.id: [], rome.id: []}


async def test_the_same_again_is_the_same_item_with_more_lineage(store: Store) -> None:
    kept = await keep(store, "I moved", "I moved, as I said")
    first, second = (each.id for each in kept.messages)
    one = await tell(store, "home Lisbon", subject="home", derived_from=[first])
    again = await tell(store, "home Lisbon", NOON + DAY, subject="home", derived_from=[second])
    twice = await tell(store, "home Lisbon", NOON + DAY, subject="home", derived_from=[second])
    assert (again.id, again.known) == (one.id, True)
    assert twice == again
    assert len(await items_of(store, at=None)) == 1
    async with store.read(ACME) as snapshot:
        edges = await snapshot.memories.lineage(await get(store, one))
    assert [(each.kind, each.id) for each in edges] == [
        ("message", str(first)),
        ("message", str(second)),
    ]


async def test_what_expired_and_is_told_again_holds_again(store: Store) -> None:
    ends = NOON + SECOND
    one = await tell(store, "home Lisbon", subject="home", expires_at=ends)
    again = await tell(store, "home Lisbon", NOON + DAY, subject="home")
    assert again.id != one.id
    held = await items_of(store, now=NOON + DAY, at=NOON + DAY)
    assert [each.id for each in held] == [again.id]


async def test_items_without_a_subject_are_never_the_same(store: Store) -> None:
    told = [await tell(store, "a step", type=ItemType.PROCEDURE) for _ in range(2)]
    assert told[0].id != told[1].id


async def test_facts_in_the_same_words_are_the_same(store: Store) -> None:
    told = [await tell(store, "a fact") for _ in range(2)]
    assert (told[0].id, told[1].known) == (told[1].id, True)


async def test_an_item_may_supersede_others_by_name(store: Store) -> None:
    old = [await tell(store, f"fact {number}", NOON - DAY) for number in range(2)]
    new = await tell(store, "fact 9", supersedes=[each.id for each in old])
    assert new.superseded == [each.id for each in old]
    assert await shown(store, "fact") == ["fact 9"]
    with pytest.raises(MemoryNotFound):
        await tell(store, "fact", supersedes=[ItemId(uuid7())])
    with pytest.raises(MemoryNotFound):
        await tell(store, "fact", supersedes=[new.id], user_id="bob")
    with pytest.raises(NeverValid):
        await tell(store, "fact", supersedes=[new.id], valid_from=NOON - DAY)


async def test_changes_set_what_is_given(store: Store) -> None:
    told = await tell(store, "dogs bark", source="a", metadata={"x": 1})
    changed = await change(store, told, NOON + SECOND, importance=9, source=None)
    assert (changed.importance, changed.source, changed.metadata) == (9, None, {"x": 1})
    assert (changed.content, changed.updated_at) == ("dogs bark", NOON + SECOND)
    changed = await change(store, told, valid_from=NOON - DAY, valid_to=NOON + DAY)
    assert (changed.valid_from, changed.valid_to) == (NOON - DAY, NOON + DAY)
    changed = await change(store, told, valid_from=None, valid_to=None)
    assert (changed.valid_from, changed.valid_to) == (NOON, None)


async def test_another_text_is_another_key_and_nothing_of_the_old_remains(store: Store) -> None:
    kept = await keep(store, "I moved")
    berlin = await tell(store, "home Berlin", NOON - DAY, subject="home")
    told = await tell(store, "home Lisbon", subject="home", derived_from=[kept.messages[0].id])
    before = await get(store, told)
    async with store.project() as projections:
        await projections.keep_vectors(
            packed({before.key: b"\1\2"}), model=MODEL, dimension=1, now=NOON
        )
    changed = await change(store, told, content="home Porto city")
    assert (changed.id, changed.tokens) == (told.id, 3)
    assert changed.key != before.key
    assert await shown(store, "home") == ["home Porto city"]
    assert await shown(store, "Lisbon") == []
    assert (await get(store, berlin)).superseded_by == told.id
    assert await counters(store) == (3, 1 + 2 + 3)
    assert {before.key, changed.key} <= set(await outbox_keys(store))
    async with store.read(ACME) as snapshot:
        assert await snapshot.recall.remaining([before.key], [], [before.key]) == 0
        assert [each.kind for each in await snapshot.memories.lineage(changed)] == ["message"]
    async with store.project() as projections:
        late = {before.key: b"\1\2"}
        await projections.keep_vectors(packed(late), model=MODEL, dimension=1, now=NOON)
    async with store.read(ACME) as snapshot:
        assert await snapshot.recall.remaining([before.key], []) == 0


async def test_a_change_of_the_beginning_moves_the_end_of_what_was_superseded(
    store: Store,
) -> None:
    berlin = await tell(store, "home Berlin", NOON - 9 * DAY, subject="home")
    lisbon = await tell(store, "home Lisbon", subject="home")
    await change(store, lisbon, valid_from=NOON - DAY)
    assert (await get(store, berlin)).valid_to == NOON - DAY


async def test_what_begins_at_another_time_takes_its_place_in_time_as_if_it_were_told(
    store: Store,
) -> None:
    berlin = await tell(store, "home Berlin", subject="home", valid_from=NOON - 9 * DAY)
    rome = await tell(store, "home Rome", subject="home", valid_from=NOON - 5 * DAY)
    lisbon = await tell(store, "home Lisbon", subject="home", valid_from=NOON - 2 * DAY)
    for begins, in_order in (
        (NOON - 12 * DAY, [rome, berlin, lisbon]),
        (NOON - DAY, [berlin, lisbon, rome]),
        (NOON - 5 * DAY, [berlin, rome, lisbon]),
    ):
        changed = await change(store, rome, valid_from=begins)
        items = [await get(store, each) for each in in_order]
        assert [each.superseded_by for each in items] == [*(each.id for each in in_order[1:]), None]
        assert [each.valid_to for each in items] == [*(each.valid_from for each in items[1:]), None]
        assert changed == await get(store, rome)


async def test_what_says_something_else_ends_nothing_of_before(store: Store) -> None:
    at = [NOON - days * DAY for days in (9, 5, 2)]
    acme, globex, initech = [
        await tell(store, f"Kim works at {firm}", began)
        for firm, began in zip(("Acme", "Globex", "Initech"), at, strict=True)
    ]
    lee = await change(store, globex, content="Lee works at Globex")
    assert (lee.valid_to, lee.superseded_by) == (None, None)
    first = await get(store, acme)
    assert (first.valid_to, first.superseded_by) == (at[2], initech.id)
    await change(store, initech, metadata={"subject": "Lee", "attribute": "works_at"})
    first, lee = await get(store, acme), await get(store, globex)
    assert (first.valid_to, first.superseded_by) == (None, None)
    assert (lee.valid_to, lee.superseded_by) == (at[2], initech.id)


async def test_items_of_strangers_conversations_and_messages_are_refused(store: Store) -> None:
    kept = await keep(store, "hello", user_id="bob")
    with pytest.raises(ConversationNotFound):
        await tell(store, "a fact", conversation_id=kept.conversation.id)
    with pytest.raises(MessageNotFound):
        await tell(store, "a fact", derived_from=[kept.messages[0].id])
    with pytest.raises(MessageNotFound):
        await tell(store, "a fact", derived_from=[MessageId(uuid7())])
    mine = await tell(store, "a fact", user_id=None, conversation_id=kept.conversation.id)
    assert (await get(store, mine)).user_id == "bob"


async def test_messages_of_strangers_are_in_no_lineage(store: Store) -> None:
    theirs = await keep(store, "hello", user_id="bob")
    item = await get(store, await tell(store, "a fact"))
    async with store.write(ACME) as transaction:
        await transaction.memories.derive(item.scope, item.key, [theirs.messages[0].id])
    async with store.read(ACME) as snapshot:
        assert await snapshot.memories.lineage(item) == []


async def test_one_idempotency_key_stores_once(store: Store) -> None:
    once = IdempotencyKey(path="/memories", key="k", body_hash=b"1" * 32)
    new = [NewMemory(type=ItemType.FACT, content="a fact", user_id="alice")]
    first = await keeper(store).keep(ACME, new, once)
    again = await keeper(store).keep(ACME, new, once)
    assert (again.replayed, again.memories) == (True, first.memories)
    assert again.outbox_key == first.outbox_key
    assert len(await items_of(store)) == 1
    with pytest.raises(IdempotencyConflict):
        await keeper(store).keep(ACME, new, replace(once, body_hash=b"2" * 32))


async def test_a_batch_is_stored_all_or_not_at_all(store: Store) -> None:
    good = NewMemory(type=ItemType.FACT, content="a fact", user_id="alice")
    with pytest.raises(NeverValid):
        await keeper(store).keep(ACME, [good, replace(good, valid_to=NOON)])
    assert await items_of(store, at=None) == []
    kept = await keeper(store).keep(ACME, [good, replace(good, content="another")])
    assert len(kept.memories) == len(await items_of(store)) == 2

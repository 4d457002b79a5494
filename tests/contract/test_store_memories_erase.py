"""Memory items are erased, by themselves or with what they were derived from."""

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import text

from app.adapters.sql.database import Database
from app.distil.facts.filing import mark_of
from app.domain.audit import SERVICE, Action
from app.domain.errors import MemoryNotFound, Overtaken
from app.domain.ids import ItemKey, MessageId
from app.domain.memory import ItemType, Table, item_key
from app.ports.store import Store
from app.ports.stored import Access, Erased
from app.services.indexing.rebuilding import Rebuilder
from app.services.memories.placing import KeptMemory
from tests.stored import (
    ACME,
    NOON,
    OTHER,
    erase_the_rest,
    items_of,
    keep,
    outbox_keys,
    packed,
    scope_now,
    tell,
)
from tests.stored_items import DAY, counters, get, shown

FACT, SUMMARY = ItemType.FACT, ItemType.SUMMARY


async def embed(store: Store, *keys: ItemKey) -> None:
    async with store.project() as projections:
        vectors = dict.fromkeys(keys, b"\1\2")
        await projections.keep_vectors(packed(vectors), model="one", dimension=1, now=NOON)


async def erase(store: Store, item: KeptMemory) -> Erased:
    async with store.write(ACME) as transaction:
        return await transaction.erase.memory(item.id, now=NOON)


async def erase_message(store: Store, message: MessageId) -> Erased:
    async with store.write(ACME) as transaction:
        return await transaction.erase.message(message, now=NOON)


async def remaining(store: Store, erased: Erased) -> int:
    async with store.read(ACME) as snapshot:
        return await snapshot.recall.remaining(erased.keys, erased.conversations, erased.items)


async def left(database: Database) -> list[int]:
    async with database.read() as connection:
        tables = ("memory_item", "lineage", "embedding", "full_text")
        return [
            (await connection.execute(text(f"SELECT count(*) FROM {table}"))).scalar_one()  # noqa: S608
            for table in tables[:3]
        ]


async def test_an_erased_item_is_gone_everywhere(store: Store, database: Database) -> None:
    told = await tell(store, "dogs bark")
    key = (await get(store, told)).key
    await embed(store, key)
    before = (await scope_now(store)).version
    erased = await erase(store, told)
    assert (erased.keys, erased.items, erased.conversations) == ([key], [key], [])
    assert (erased.memory_items, erased.embeddings, erased.full_text) == (1, 1, 1)
    assert await remaining(store, erased) == 0
    assert await left(database) == [0, 0, 0]
    assert await counters(store) == (0, 0)
    assert (await scope_now(store)).version > before
    assert await outbox_keys(store) == [key, key]
    with pytest.raises(MemoryNotFound):
        await erase(store, told)


async def test_what_was_derived_and_erased_is_marked_with_its_messages(
    store: Store, database: Database
) -> None:
    kept = await keep(store, "I moved", "as I said, I moved", "hello")
    both = [each.id for each in kept.messages[:2]]
    about: dict[str, Any] = {"subject": "home", "derived_from": both, "derived": True}
    items = [
        await tell(store, f"{each} is home", metadata={"value": each}, **about) for each in "ab"
    ]
    assert [await erase(store, each) for each in reversed(items)]
    await erase(store, await tell(store, "summary", **about | {"type": SUMMARY}))
    marks = frozenset(mark_of("home", {"value": each}) for each in "ab")
    async with store.read(ACME) as snapshot:
        read = [await snapshot.messages.one(each.id) for each in kept.messages]
    assert [each.unwanted for each in read] == [marks, marks, frozenset()]
    async with store.write(ACME) as transaction:
        await transaction.distilling.take(kept.conversation.key, read)
    with pytest.raises(Overtaken):
        async with store.write(ACME) as transaction:
            await transaction.distilling.take(kept.conversation.key, kept.messages)

    async with store.write(ACME) as transaction:
        doomed = await transaction.erase.user("alice", now=NOON)
    assert (await erase_the_rest(store, doomed)).messages == 3
    async with database.read() as connection:
        rows = await connection.execute(text("SELECT count(*) FROM message"))
        assert rows.scalar_one() == 0


async def test_what_was_not_erased_remains(store: Store) -> None:
    told = await tell(store, "dogs bark")
    key = (await get(store, told)).key
    await embed(store, key)
    assert await remaining(store, Erased(keys=[key], items=[key])) == 2


async def test_nobody_erases_a_strangers_item(store: Store) -> None:
    told = await tell(store, "dogs bark")
    async with store.write(OTHER) as transaction:
        with pytest.raises(MemoryNotFound):
            await transaction.erase.memory(told.id, now=NOON)
    assert await shown(store, "dogs") == ["dogs bark"]


async def test_what_was_superseded_holds_again(store: Store) -> None:
    for at, place in enumerate(("Berlin", "Rome", "Lisbon")):
        await tell(store, f"home {place}", NOON + (at - 9) * DAY, subject="home")
    lisbon, rome, berlin = await items_of(store, at=None)
    async with store.write(ACME) as transaction:
        await transaction.erase.memory(rome.id, now=NOON)
    async with store.read(ACME) as snapshot:
        first = await snapshot.memories.get(berlin.id, now=NOON)
    assert (first.superseded_by, first.valid_to) == (lisbon.id, NOON - 7 * DAY)
    async with store.write(ACME) as transaction:
        await transaction.erase.memory(lisbon.id, now=NOON)
    assert await shown(store, "home") == ["home Berlin"]
    assert berlin.key in await outbox_keys(store)


async def test_what_had_an_end_of_its_own_does_not_hold_again(store: Store) -> None:
    await tell(store, "home Berlin", NOON - 9 * DAY, subject="home", valid_to=NOON - DAY)
    lisbon = await tell(store, "home Lisbon", NOON - 5 * DAY, subject="home")
    await erase(store, lisbon)
    assert await shown(store, "home") == []
    assert await shown(store, "home", as_of=NOON - 2 * DAY) == ["home Berlin"]


async def test_a_fact_stays_while_another_message_says_it_a_summary_does_not(
    store: Store,
) -> None:
    kept = await keep(store, "I moved", "as I said, I moved")
    both = [each.id for each in kept.messages]
    await tell(store, "home Lisbon", derived_from=both)
    await tell(store, "home summary", type=SUMMARY, derived_from=both)
    erased = await erase_message(store, both[0])
    assert (erased.messages, erased.memory_items, erased.full_text) == (1, 1, 2)
    assert await remaining(store, erased) == 0
    assert await shown(store, "home") == ["home Lisbon"]
    erased = await erase_message(store, both[1])
    assert (erased.messages, erased.memory_items) == (1, 1)
    assert await items_of(store, at=None) == []
    assert await counters(store) == (0, 0)


async def test_a_conversation_takes_what_was_derived_or_noted_in_it_along(
    store: Store, database: Database
) -> None:
    kept = await keep(store, "I moved")
    await tell(store, "home Lisbon", derived_from=[kept.messages[0].id])
    await tell(store, "home noted", conversation_id=kept.conversation.id)
    await tell(store, "home alone")
    async with store.write(ACME) as transaction:
        doomed = await transaction.erase.conversation(kept.conversation.id, now=NOON)
    erased = await erase_the_rest(store, doomed)
    assert (erased.messages, erased.memory_items) == (1, 2)
    assert await remaining(store, erased) == 0
    assert await shown(store, "home") == ["home alone"]
    assert (await left(database))[:2] == [1, 0]
    assert await counters(store) == (1, 2)


async def test_a_user_takes_every_item_along_but_no_document(store: Store) -> None:
    await keep(store, "hello")
    for number in range(3):
        await tell(store, f"home {number}")
    await tell(store, "home manual", type=ItemType.DOCUMENT)
    await tell(store, "home bob", user_id="bob")
    async with store.write(ACME) as transaction:
        doomed = await transaction.erase.user("alice", now=NOON)
    erased = await erase_the_rest(store, doomed)
    assert (erased.messages, erased.memory_items) == (1, 3)
    assert await remaining(store, erased) == 0
    assert [each.content for each in await items_of(store)] == ["home manual"]
    assert len(await items_of(store, user_id="bob")) == 2


async def test_what_has_expired_is_erased_in_time(store: Store, database: Database) -> None:
    for number in range(3):
        await tell(store, f"home {number}", expires_at=NOON + number * DAY)
    await tell(store, "home bob", user_id="bob", expires_at=NOON, tenant=OTHER)
    async with store.project() as projections:
        assert await projections.erase_expired(now=NOON, limit=1, new_id=uuid4) == 1
        assert await projections.erase_expired(now=NOON, limit=9, new_id=uuid4) == 1
        assert await projections.erase_expired(now=NOON, limit=9, new_id=uuid4) == 0
    assert (await left(database))[0] == 2
    assert await counters(store) == (2, 4)
    for tenant in (ACME, OTHER):
        async with store.read(tenant) as snapshot:
            noted = await snapshot.audit.page(action=None, subject=None, cursor=None, limit=9)
        ended, entry = [each for each in noted.items if each.actor == SERVICE]
        assert (entry.deed.action, ended.deed.action) == (
            Action.MEMORY_EXPIRED,
            Action.ERASURE_ENDED,
        )
        erasure = {"erasure_id": ended.deed.facts["erasure_id"]}
        assert entry.deed.facts == {**erasure, "type": "fact"}
        assert ended.deed.facts == {**erasure, "memory_items": 1, "full_text": 1}
        assert ended.deed.subject == f"tenant:{tenant}"


async def test_what_expires_at_once_is_one_erasure_of_each_tenant(store: Store) -> None:
    for number, tenant in enumerate((ACME, ACME, OTHER)):
        await tell(store, f"home {number}", expires_at=NOON, tenant=tenant)
    async with store.project() as projections:
        assert await projections.erase_expired(now=NOON, limit=9, new_id=uuid4) == 3
    ids = []
    for tenant, several in ((ACME, 2), (OTHER, 1)):
        async with store.read(tenant) as snapshot:
            page = await snapshot.audit.page(action=None, subject=None, cursor=None, limit=9)
        told = [each.deed for each in page.items if each.actor == SERVICE]
        assert [each.action for each in told] == [
            Action.ERASURE_ENDED,
            *[Action.MEMORY_EXPIRED] * several,
        ]
        assert told[0].facts["memory_items"] == several
        (one,) = {each.facts["erasure_id"] for each in told}
        ids.append(one)
    assert ids[0] != ids[1]


async def test_accesses_are_counted_and_change_nothing_else(store: Store) -> None:
    told, other = await tell(store, "dogs bark"), await tell(store, "dogs sleep")
    key, before = (await get(store, told)).key, await scope_now(store)
    async with store.project() as projections:
        await projections.count_accesses([Access(key=key, at=NOON + DAY)] * 2)
        await projections.count_accesses([Access(key=key, at=NOON)])
        await projections.count_accesses([])
    read = await get(store, told)
    assert (read.access_count, read.last_accessed_at) == (3, NOON + DAY)
    assert (await get(store, other)).access_count == 0
    assert await scope_now(store) == before


async def test_accesses_are_counted_however_many_there_are(store: Store) -> None:
    key = (await get(store, told := await tell(store, "dogs bark"))).key
    others = (item_key(Table.MEMORY, row) for row in range(1_000_000, 1_033_000))
    async with store.project() as projections:
        await projections.count_accesses([Access(key=each, at=NOON) for each in (key, *others)])
    assert (await get(store, told)).access_count == 1


async def test_items_come_back_when_full_text_is_built_anew(store: Store) -> None:
    kept = await keep(store, "dogs said", "tea")
    for number in range(4):
        await tell(store, f"dogs {number}")
    gone = await tell(store, "dogs gone")
    hidden = await tell(store, "dogs noted", conversation_id=kept.conversation.id)
    before = await counters(store)
    rebuilder = Rebuilder(store=store, batch=2, version="next")
    await rebuilder.begin()
    assert await shown(store, "dogs") == []
    erased = replace(await erase(store, gone), keys=[])
    assert erased.full_text == 0
    await tell(store, "dogs late", NOON + timedelta(seconds=0))
    for _ in range(9):
        await rebuilder.tick()
    assert rebuilder.complete
    expected = ["dogs said", *(f"dogs {number}" for number in range(4)), "dogs noted", "dogs late"]
    assert await shown(store, "dogs") == sorted(expected)
    assert await counters(store) == before
    assert (await get(store, hidden)).content == "dogs noted"

"""A doctor's facts: they fit each other where all is well, and tell what does not."""

import struct
from collections.abc import Awaitable, Callable
from dataclasses import fields
from datetime import timedelta

import pytest
from sqlalchemy import delete, insert, select, text, update

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.database import Database
from app.adapters.sql.store import SqlStore
from app.domain.conversation import ConversationChanges, Role
from app.domain.ids import ItemKey
from app.domain.memory import ItemType, Table, item_key
from app.ports import VectorPlace
from app.ports.embedding import Packed
from app.services.indexing.labelling import LabelIndexer
from app.text.lead_in import ROOM
from app.text.terms import VERSION
from tests.stored import (
    ACME,
    NOON,
    OTHER,
    Kept,
    erase_the_rest,
    keep,
    outbox_keys,
    packed,
    said,
    tell,
)

LONG = " ".join(f"word{number}" for number in range(700))


@pytest.fixture
async def kept(store: SqlStore) -> Kept:
    await keep(store, "dogs bark", said("rules", role=Role.SYSTEM), LONG, user_id="bob")
    archived = await keep(store, "cats sleep")
    given = ConversationChanges(given=frozenset({"archived"}), archived=True)
    async with store.write(ACME) as transaction:
        await transaction.conversations.change(archived.conversation.key, given, now=NOON)
        await transaction.messages.unindex(archived.conversation, now=NOON)
    return await keep(store, "dogs bark", "a dog and a cat", "the the the a")


async def test_where_all_is_well_nothing_differs(store: SqlStore, kept: Kept) -> None:
    async with store.inspect() as inspection:
        assert await inspection.damage() == []
        assert await inspection.broken_references() == []
        assert await inspection.miscounted() == []
        assert await inspection.strays() == []
        assert await inspection.astray() == []
        assert await inspection.mixed_entities() == []
        assert await inspection.misled() == []
        assert await inspection.underived() == []
        assert await inspection.chunks_missing() == []
        assert await inspection.orphaned_embeddings() == []
        assert await inspection.misshapen_embeddings() == []
        assert await inspection.miscounted_entities() == []
        assert await inspection.misweighed_edges() == []
        assert await inspection.indexed() == await inspection.to_be_indexed()
        stored, counted = await inspection.counters(), await inspection.counted()
    assert stored.documents[kept.scope.key] == 3
    assert {key: n for key, n in stored.documents.items() if n} == counted.documents
    assert {key: n for key, n in stored.terms.items() if n} == counted.terms


async def test_memory_items_are_counted_as_what_full_text_holds(
    store: SqlStore, kept: Kept
) -> None:
    await tell(store, "dogs noted")
    await tell(store, "dogs there", conversation_id=kept.conversation.id)
    await tell(store, LONG, type=ItemType.DOCUMENT, source="manual")
    async with store.inspect() as inspection:
        assert await inspection.indexed() == await inspection.to_be_indexed()
        stored, counted = await inspection.counters(), await inspection.counted()
        assert await inspection.orphaned_embeddings() == []
    assert stored.documents[kept.scope.key] == 5
    assert {key: n for key, n in stored.documents.items() if n} == counted.documents
    assert {key: n for key, n in stored.terms.items() if n} == counted.terms


async def test_what_is_being_erased_is_no_difference(store: SqlStore, kept: Kept) -> None:
    async with store.write(ACME) as transaction:
        doomed = await transaction.erase.conversation(kept.conversation.id, now=NOON)
    async with store.inspect() as inspection:
        assert await inspection.miscounted() == []
        assert await inspection.strays() == []
        assert await inspection.astray() == []
        assert await inspection.misled() == []
        assert await inspection.indexed() == await inspection.to_be_indexed()
        assert (await inspection.counters()).documents[kept.scope.key] == 3
    await erase_the_rest(store, doomed)
    async with store.inspect() as inspection:
        assert await inspection.indexed() == await inspection.to_be_indexed()


Asked = Callable[[SqlStore], Awaitable[object]]


async def miscounted(store: SqlStore) -> object:
    async with store.inspect() as inspection:
        return await inspection.miscounted()


async def test_a_conversation_that_miscounts_is_found_and_recounted(
    store: SqlStore, database: Database, kept: Kept
) -> None:
    async with database.write() as connection:
        wrong = update(t.conversation).where(t.conversation.c.key == kept.conversation.key)
        await connection.execute(wrong.values(token_count=1))
    assert await miscounted(store) == [kept.conversation.key]
    async with store.repair() as repairs:
        await repairs.recount([kept.conversation.key])
    assert await miscounted(store) == []


async def test_a_message_in_another_scope_is_found(
    store: SqlStore, database: Database, kept: Kept
) -> None:
    bob = await keep(store, "mine", user_id="bob")
    async with database.write() as connection:
        moved = update(t.message).where(t.message.c.id == kept.messages[0].id)
        await connection.execute(moved.values(scope_key=bob.scope.key))
    async with store.inspect() as inspection:
        assert list(await inspection.strays()) == [kept.keys[0]]


async def test_the_place_of_a_vector_is_that_of_what_is_indexed(
    store: SqlStore, kept: Kept
) -> None:
    ends = NOON + timedelta(hours=1)
    await tell(store, "dogs noted", conversation_id=kept.conversation.id, valid_to=ends)
    async with store.inspect() as inspection:
        keys = await inspection.recallable(after=ItemKey(0), limit=100)
        places = await inspection.places(keys)
    async with store.observe() as observations:
        items = await observations.to_index(keys, model="one")
    names = [each.name for each in fields(VectorPlace)]
    assert [[getattr(each, name) for name in names] for each in places] == [
        [getattr(each, name) for name in names] for each in items
    ]
    assert [each.key for each in places] == list(keys)
    assert [each.until for each in places if each.until] == [ends]


async def test_a_message_without_its_chunks_is_found(store: SqlStore, database: Database) -> None:
    kept = await keep(store, LONG)
    async with database.write() as connection:
        await connection.execute(delete(t.chunk))
    async with store.inspect() as inspection:
        assert list(await inspection.chunks_missing()) == [kept.keys[-1]]


async def test_full_text_that_lacks_something_is_found(store: SqlStore, kept: Kept) -> None:
    async with store.repair() as repairs:
        await repairs.empty_full_text(VERSION)
    async with store.inspect() as inspection:
        assert await inspection.full_text_is_being_built()
        assert not (await inspection.indexed()).documents
        assert (await inspection.to_be_indexed()).documents[kept.conversation.key] == 3
        assert set((await inspection.counters()).documents.values()) == {0}
    async with store.project() as projections:
        assert await projections.begin_full_text(VERSION, sound=True)  # a restart goes on with it


async def test_embeddings_that_are_lost_misshapen_or_missing_are_found(
    store: SqlStore, database: Database, kept: Kept
) -> None:
    first, second, third = kept.keys
    async with store.project() as projections:
        vectors = {first: b"\1\2\3\4", second: b"\1\2"}
        await projections.keep_vectors(packed(vectors), model="one", dimension=2, now=NOON)
    nowhere = [item_key(table, 4711) for table in Table]
    async with database.write() as connection:
        model = (await connection.execute(select(d.embedding_model.c.key))).scalar_one()
        lost = [{"model_key": model, "item_key": key, "vector": b"\1\2\3\4"} for key in nowhere]
        await connection.execute(insert(d.embedding), lost)
    async with store.inspect() as inspection:
        assert list(await inspection.orphaned_embeddings()) == nowhere
        assert list(await inspection.misshapen_embeddings()) == [second]
        assert await inspection.unembedded(kept.keys, model="one") == [third]
        assert await inspection.unembedded(kept.keys, model="two") == list(kept.keys)
    async with store.repair() as repairs:
        await repairs.drop_embeddings([*nowhere, second])
    async with store.inspect() as inspection:
        assert await inspection.orphaned_embeddings() == []
        assert await inspection.misshapen_embeddings() == []


async def test_embeddings_without_vectors_of_words_are_found(store: SqlStore, kept: Kept) -> None:
    whole, bare, cut = kept.keys
    embedded = {
        whole: Packed(b"\1\2\3\4", b"\1\2\3\4"),
        bare: Packed(b"\1\2\3\4"),
        cut: Packed(b"\1\2\3\4", b"\1\2\3"),
    }
    async with store.project() as projections:
        await projections.keep_vectors(embedded, model="one", dimension=2, now=NOON)
    async with store.inspect() as inspection:
        keys = list(reversed(kept.keys))
        assert list(await inspection.wordless(keys, model="one", dimension=2)) == [bare, cut]
        assert not await inspection.wordless([whole], model="one", dimension=2)
        assert not await inspection.wordless(keys, model="two", dimension=2)


async def test_vectors_in_context_are_looked_at_as_others_are(
    store: SqlStore, database: Database
) -> None:
    told = ("dogs bark", "cats meow", "birds sing", "word " * (ROOM + 1), "wolves howl")
    keys = (await keep(store, *told)).keys
    _, cut, blank, *_ = keys
    good, e = struct.pack("<2e", 0.6, 0.8), d.embedding.c
    async with store.project() as projections:
        vectors = dict.fromkeys(keys, good)
        await projections.keep_vectors(packed(vectors), model="one", dimension=2, now=NOON)
    async with store.inspect() as inspection:
        assert await inspection.out_of_context(keys, model="one") == [cut, blank]
        assert await inspection.out_of_context(keys, model="two") == []
        assert await inspection.misshapen_embeddings() == []
        assert await inspection.unnormal_embeddings() == []
    async with database.write() as connection:
        for key, vector in ((cut, b"\1\2"), (blank, bytes(4))):
            ours = update(d.embedding).where(e.item_key == key)
            await connection.execute(ours.values(in_context=vector))
    async with store.inspect() as inspection:
        assert await inspection.out_of_context(keys, model="one") == []
        assert list(await inspection.misshapen_embeddings()) == [cut]
        assert list(await inspection.unnormal_embeddings()) == [blank]


async def test_labels_that_are_not_found_as_they_are_now_are_told(
    store: SqlStore, database: Database
) -> None:
    named, other = await keep(store, label="Lisbon trip"), await keep(store, label="Oslo")
    archived = await keep(store, label="Berlin trip", archived=True)
    await keep(store)
    labels = LabelIndexer(store=store)
    async with store.inspect() as inspection:
        assert await inspection.labels_are_being_indexed()
        assert await inspection.mislabelled() == []
    await labels.tick()
    async with database.write() as connection:
        own = {"scope_key": archived.scope.key, "conversation_key": archived.conversation.key}
        await connection.execute(insert(d.label_term).values(**own, term="trip"))
        lost = d.label_term.c.conversation_key == named.conversation.key
        await connection.execute(delete(d.label_term).where(lost))
    async with store.inspect() as inspection:
        assert not await inspection.labels_are_being_indexed()
        wrong = await inspection.mislabelled()
    assert wrong == [named.conversation.key, archived.conversation.key]
    async with store.repair() as repairs:
        await repairs.begin_labels()
    await labels.tick()
    async with store.inspect() as inspection:
        assert await inspection.mislabelled() == []
    async with store.write(ACME) as transaction:
        await transaction.erase.conversation(other.conversation.id, now=NOON)
    async with store.inspect() as inspection:
        assert await inspection.mislabelled() == []


async def test_what_was_given_up_can_have_another_try(store: SqlStore, kept: Kept) -> None:
    async with store.project() as projections:
        rows = await projections.claim(now=NOON, limit=100, lease=1)
        await projections.retry(rows, due_at=NOON, error="x", tried=True, dead=True)
    assert await outbox_keys(store) == []
    async with store.inspect() as inspection:
        assert await inspection.noted([*kept.keys, ItemKey(4711)]) == frozenset(kept.keys)
        assert not await inspection.due(now=NOON)
        assert not await inspection.untried(kept.keys)
    async with store.repair() as repairs:
        assert await repairs.revive(now=NOON, tenant=OTHER) == 0
        assert await repairs.revive(now=NOON, tenant=ACME) == len(rows)
        assert await repairs.revive(now=NOON) == 0
    async with store.inspect() as inspection:
        assert await inspection.due(now=NOON)
    assert set(kept.keys) <= set(await outbox_keys(store))


async def test_all_that_is_asked_is_of_one_moment(store: SqlStore, kept: Kept) -> None:
    async with store.inspect() as inspection:
        before = await inspection.to_be_indexed()
        await keep(store, "one more")
        assert await inspection.to_be_indexed() == before == await inspection.indexed()


async def test_broken_references_are_found(store: SqlStore, database: Database) -> None:
    if database.writer.dialect.name == "postgresql":
        pytest.skip("PostgreSQL lets nobody break them")
    await keep(store, "dogs bark")
    async with database.writer.connect() as connection:
        await connection.execute(text("COMMIT"))
        await connection.execute(text("PRAGMA foreign_keys = OFF"))
        await connection.execute(delete(t.conversation))
        await connection.commit()
    async with store.inspect() as inspection:
        assert await inspection.broken_references() == ["message 1: no conversation"]
        assert await inspection.orphans() == ["distillation: no conversation"]
    async with store.repair() as repairs:
        await repairs.drop_orphans()
    async with store.inspect() as inspection:
        assert await inspection.broken_references() == ["message 1: no conversation"]
        assert await inspection.orphans() == []

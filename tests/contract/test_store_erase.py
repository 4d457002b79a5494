"""Erasing: everything is gone, at once, and the scope counts right."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import insert, select, text
from uuid_utils.compat import uuid7

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.database import Database
from app.domain.audit import user_subject
from app.domain.conversation import ConversationChanges, Role
from app.domain.errors import BundleNotFound, ConversationNotFound, MessageNotFound
from app.domain.ids import ERASED, BundleId, ConversationId, ItemKey, MessageId, ScopeKey
from app.domain.memory import Table, item_key
from app.ports.store import Store
from app.ports.stored import Erased, Receipt
from tests.stored import (
    ACME,
    NOON,
    Kept,
    append,
    erase_the_rest,
    find,
    keep,
    last_of,
    outbox_keys,
    packed,
    row_of,
    said,
    scope_now,
)

ASKED = {"query": "Which dogs bark?", "nested": [1.5, None, "π"]}
WORDS = ("dogs bark", "cats sleep", "a dog and a cat")


async def embed(store: Store, kept: Kept) -> None:
    for model in ("one", "two"):
        async with store.project() as projections:
            await projections.keep_vectors(
                packed(dict.fromkeys(kept.keys, b"\1\2")), model=model, dimension=1, now=NOON
            )


async def keep_bundle(
    store: Store, scope: ScopeKey, *, version: int = 1_000, **about: Any
) -> BundleId:
    receipt = Receipt(
        bundle_id=BundleId(UUID(str(uuid7()))),
        tenant=ACME,
        scope=scope,
        subject=user_subject(ACME, "alice"),
        version=version,
        created_at=NOON,
        request=ASKED,
        answer={"timings": {"total": 0.001}},
        total_ms=1.0,
        facts={},
    )
    receipt = replace(receipt, **about)
    async with store.project() as projections:
        await projections.keep_receipts([receipt])
    return receipt.bundle_id


async def erase_message(store: Store, kept: Kept, at: int) -> Erased:
    async with store.write(ACME) as transaction:
        return await transaction.erase.message(kept.messages[at].id, now=NOON)


async def erase_conversation(store: Store, kept: Kept) -> Erased:
    async with store.write(ACME) as transaction:
        doomed = await transaction.erase.conversation(kept.conversation.id, now=NOON)
    return await erase_the_rest(store, doomed)


async def derive(database: Database, kept: Kept) -> ItemKey:
    """A fact of the first message, two entities of it, of which the second message has one too."""
    scope = {"scope_key": kept.scope.key}
    at = {"first_seen_at": NOON, "last_seen_at": NOON}
    first, second, *_ = (row_of(key) for key in kept.keys)
    async with database.write() as connection:
        about = {"metadata": {}, "tokens": 1, "content_hash": b"", "importance": 5}
        times = {"created_at": NOON, "updated_at": NOON, "valid_from": NOON}
        told = {"id": uuid7(), "type": "fact", "content": "dogs", **scope, **about, **times}
        await connection.execute(insert(t.memory_item), told)
        fact = (await connection.execute(select(t.memory_item.c.key))).scalar_one()
        await connection.execute(insert(t.lineage), {"item_key": fact, "message_key": first})
        named = [
            {"id": uuid7(), "type": "x", "name": n, "normal_name": n, "mentions": 1, **scope, **at}
            for n in "ab"
        ]
        await connection.execute(insert(d.entity), named)
        found = (await connection.execute(select(d.entity.c.key).order_by(d.entity.c.key))).all()
        (a,), (b,) = found
        called = [
            {"key": key, "entity_key": key, "normal_name": "x", "name": "x", "said": True, **scope}
            for key in (a, b)
        ]
        await connection.execute(insert(d.entity_alias), called)
        place = {"start": 0, "stop": 1, "said_at": NOON}
        mentions = [
            {"entity_key": entity, "alias_key": entity, "message_key": message, **place}
            for entity, message in ((a, first), (a, second), (b, first))
        ]
        await connection.execute(insert(d.mention), mentions)
        edge = {"key": 1, "source_key": a, "target_key": b, "relation": "knows", "same": False}
        await connection.execute(insert(d.edge), {**edge, "weight": 1.0, **at})
        proof = {"edge_key": 1, "message_key": first, "weight": 1.0, "said_at": NOON}
        await connection.execute(insert(d.edge_evidence), proof)
        profile = {"preferences": {}, "context": {}, "notes": "", "updated_at": NOON}
        await connection.execute(insert(t.profile), {**profile, **scope})
    return item_key(Table.MEMORY, fact)


async def embed_one(store: Store, item: ItemKey) -> None:
    async with store.project() as projections:
        await projections.connection.execute(  # type: ignore[attr-defined]  # as a consolidator will
            insert(d.embedding_model),
            {"key": 1, "name": "one", "dimension": 1, "created_at": NOON},
        )
        await projections.connection.execute(  # type: ignore[attr-defined]  # as a consolidator will
            insert(d.embedding), {"model_key": 1, "item_key": item, "vector": b"\1\2"}
        )


async def remaining(store: Store, erased: Erased) -> int:
    async with store.read(ACME) as snapshot:
        return await snapshot.recall.remaining(erased.keys, erased.conversations)


async def request_of(store: Store, bundle: BundleId) -> Mapping[str, object]:
    async with store.read(ACME) as snapshot:
        return (await snapshot.bundles.get(bundle)).request


async def rows(database: Database, table: str) -> int:
    async with database.read() as connection:
        return int((await connection.execute(text(f"SELECT count(*) FROM {table}"))).scalar_one())  # noqa: S608


async def test_an_erased_message_is_gone_everywhere(store: Store, database: Database) -> None:
    kept = await keep(store, *WORDS)
    await embed(store, kept)
    asked = await keep_bundle(store, kept.scope.key)
    erased = await erase_message(store, kept, 0)
    assert erased == Erased(
        scope=kept.scope.key,
        conversations=[kept.conversation.key],
        keys=[kept.keys[0]],
        messages=1,
        embeddings=2,
        full_text=1,
        bundles=1,
    )
    assert await remaining(store, erased) == 0
    async with store.read(ACME) as snapshot:
        with pytest.raises(MessageNotFound):
            await snapshot.messages.scope_of(kept.messages[0].id)
        tail = await last_of(snapshot.messages, kept.conversation.key, limit=9)
        conversation = await snapshot.conversations.get(kept.conversation.id)
    assert [each.content for each in tail] == list(WORDS[1:])
    assert (conversation.message_count, conversation.token_count) == (2, 7)
    assert list(await find(store, "bark", kept.within)) == []
    assert [await rows(database, name) for name in ("message", "embedding")] == [2, 0]
    assert await request_of(store, asked) == {**ASKED, "query": ""}
    assert (await erase_message(store, kept, 1)).bundles == 0


async def test_an_erasure_moves_version_and_counters(store: Store) -> None:
    kept = await keep(store, *WORDS)
    await erase_message(store, kept, 0)
    now = await scope_now(store)
    assert (now.messages, now.terms) == (2, 4)
    assert now.version > kept.scope.version


async def test_the_index_hears_of_what_was_erased(store: Store) -> None:
    kept = await keep(store, *WORDS)
    async with store.project() as projections:
        await projections.finish(await projections.claim(now=NOON, limit=9, lease=1))
    await erase_message(store, kept, 1)
    assert sorted(await outbox_keys(store)) == list(kept.keys[1:]), "and what it led in to"


async def test_what_was_not_erased_remains(store: Store) -> None:
    kept = await keep(store, *WORDS)
    await embed(store, kept)
    left = Erased(conversations=[kept.conversation.key], keys=list(kept.keys))
    assert await remaining(store, left) == 6 + 3
    assert await remaining(store, replace(left, conversations=())) == 6
    assert await remaining(store, Erased()) == 0


async def test_an_erased_conversation_is_gone_everywhere(store: Store, database: Database) -> None:
    kept = await keep(store, said("rules", role=Role.SYSTEM), *WORDS, tags=["a", "b"])
    other = await keep(store, "dogs stay")
    await embed(store, kept)
    await embed(store, other)
    bundle = await keep_bundle(store, kept.scope.key)
    erased = await erase_conversation(store, kept)
    assert (erased.messages, erased.full_text, erased.embeddings, erased.bundles) == (4, 3, 6, 1)
    assert set(kept.keys) <= set(erased.keys)
    assert await remaining(store, erased) == 0
    async with store.read(ACME) as snapshot:
        with pytest.raises(ConversationNotFound):
            await snapshot.conversations.get(kept.conversation.id)
    assert await request_of(store, bundle) == {**ASKED, "query": ""}
    assert list(await find(store, "dog", kept.within)) == list(other.keys)
    assert await rows(database, "conversation_tag") == 0
    now = await scope_now(store)
    assert (now.messages, now.terms) == (1, 2)


async def test_an_erased_conversations_own_id_is_free_again(store: Store) -> None:
    kept = await keep(store, "dog", external_id="chat")
    await erase_conversation(store, kept)
    again = await keep(store, "dog", external_id="chat")
    assert again.conversation.key > kept.conversation.key
    assert again.keys[0] > kept.keys[0]


async def test_an_archived_conversation_is_erased_without_counting_twice(store: Store) -> None:
    kept = await keep(store, *WORDS)
    given = ConversationChanges(given=frozenset({"archived"}), archived=True)
    async with store.write(ACME) as transaction:
        await transaction.conversations.change(kept.conversation.key, given, now=NOON)
        await transaction.messages.unindex(kept.conversation, now=NOON)
    erased = await erase_conversation(store, kept)
    assert (erased.messages, erased.full_text) == (3, 0)
    now = await scope_now(store)
    assert (now.messages, now.terms) == (0, 0)


async def test_an_empty_conversation_can_be_erased(store: Store) -> None:
    erased = await erase_conversation(store, await keep(store))
    assert (erased.messages, list(erased.keys)) == (0, [])
    async with store.read(ACME) as snapshot:
        assert (await snapshot.counts()).conversations == 0


async def test_what_is_not_there_cannot_be_erased(store: Store) -> None:
    await keep(store, "dog")
    async with store.write(ACME) as transaction:
        with pytest.raises(ConversationNotFound):
            await transaction.erase.conversation(ConversationId(uuid7()), now=NOON)
        with pytest.raises(MessageNotFound):
            await transaction.erase.message(MessageId(uuid7()), now=NOON)
        assert await transaction.erase.user("nobody", now=NOON) == Erased()
        nothing = await transaction.erase.portion(ScopeKey(4711), limit=5, now=NOON)
    assert nothing == (Erased(), False)


async def test_a_user_is_out_of_reach_at_once_and_erased_in_portions(
    store: Store, database: Database
) -> None:
    kept = [await keep(store, *WORDS, tags=["t"]) for _ in range(5)]
    bob = await keep(store, *WORDS, user_id="bob")
    for each in (*kept, bob):
        await embed(store, each)
    async with store.write(ACME) as transaction:
        doomed = await transaction.erase.user("alice", now=NOON)
    assert doomed.doomed == doomed.scope == kept[0].scope.key
    async with store.read(ACME) as snapshot:
        assert await snapshot.scopes.find("alice") is None
        with pytest.raises(ConversationNotFound):
            await snapshot.conversations.get(kept[0].conversation.id)
        with pytest.raises(MessageNotFound):
            await snapshot.messages.scope_of(kept[0].messages[0].id)
        scopes = [kept[0].scope.key]
        shown = await snapshot.recall.hydrate(kept[0].keys, scopes=scopes, model="one")
    assert list(shown.keys) == []
    assert list(await find(store, "dog", kept[0].within)) == []
    await keep(store, "a new dog")

    total, more, portions = doomed, True, 0
    while more and portions < 10:
        async with store.write(ERASED) as transaction:
            erased, more = await transaction.erase.portion(doomed.doomed, limit=4, now=NOON)
        assert await remaining(store, erased) == 0
        total += erased
        portions += 1
    assert portions == 4
    assert (total.messages, total.full_text, total.embeddings) == (15, 15, 30)
    assert sorted(total.keys) == sorted(key for each in kept for key in each.keys)
    now = await scope_now(store)
    assert (now.messages, now.terms) == (1, 2)
    assert await scope_now(store, "bob") == bob.scope
    counted = [await rows(database, name) for name in ("message", "conversation", "embedding")]
    assert counted == [4, 2, 6]


async def test_who_goes_on_with_an_erasure_erases_the_rest(store: Store) -> None:
    kept = await keep(store, *WORDS)
    alone = await keep(store, *WORDS, user_id="bob")
    async with store.write(ACME) as transaction:
        whole = await transaction.erase.user("alice", now=NOON)
        part = await transaction.erase.conversation(alone.conversation.id, now=NOON)
        await transaction.erase.portion(kept.scope.key, limit=1, now=NOON)
    total = Erased()
    for each in (whole, part):
        total += await erase_the_rest(store, Erased(doomed=each.doomed))
    assert (total.messages, total.full_text) == (5, 5)
    assert await scope_now(store, "bob") == replace(
        alone.scope, version=(await scope_now(store, "bob")).version, messages=0, terms=0
    )


async def test_nothing_can_be_told_of_a_user_whose_key_somebody_kept(store: Store) -> None:
    kept = await keep(store, *WORDS)
    async with store.write(ACME) as transaction:
        await transaction.erase.conversation(kept.conversation.id, now=NOON)
    assert (await scope_now(store)).version > kept.scope.version
    async with store.read(ACME) as snapshot:
        scopes = [kept.scope.key]
        shown = await snapshot.recall.hydrate(kept.keys, scopes=scopes, model="one")
        assert list(shown.keys) == []
        assert list(await last_of(snapshot.messages, kept.conversation.key, limit=9)) == []
        rows = [row_of(key) for key in kept.keys]
        assert list(await snapshot.messages.get(rows)) == []
    async with store.observe() as observations:
        assert await observations.belonging(list(kept.keys)) == frozenset()


async def test_no_user_can_be_erased_too(store: Store) -> None:
    await keep(store, "dog", user_id=None)
    alice = await keep(store, "dog")
    async with store.write(ACME) as transaction:
        doomed = await transaction.erase.user(None, now=NOON)
    assert (await erase_the_rest(store, doomed)).messages == 1
    assert await scope_now(store) == alice.scope


async def test_a_user_who_is_erased_takes_everything_along(
    store: Store, database: Database
) -> None:
    kept = await keep(store, *WORDS)
    item = await derive(database, kept)
    await embed_one(store, item)
    async with store.write(ACME) as transaction:
        doomed = await transaction.erase.user("alice", now=NOON)
    erased = await erase_the_rest(store, doomed)
    assert (erased.memory_items, erased.edges) == (1, 1)
    for name in ("scope", "memory_item", "lineage", "entity", "edge", "mention", "profile"):
        assert await rows(database, name) == 0, name
    assert item in erased.keys


async def test_what_was_drawn_from_a_message_goes_with_it(store: Store, database: Database) -> None:
    kept = await keep(store, *WORDS)
    item = await derive(database, kept)
    await embed_one(store, item)
    erased = await erase_message(store, kept, 0)
    assert (erased.memory_items, erased.edges, erased.embeddings) == (1, 1, 1)
    assert item in erased.keys
    counted = [await rows(database, name) for name in ("memory_item", "entity", "edge", "mention")]
    assert counted == [0, 1, 0, 1]
    assert await rows(database, "profile") == 1


async def test_the_erasure_of_a_large_conversation_hits_no_limit(
    store: Store, database: Database
) -> None:
    kept = await keep(store, *["dog"] * 41_000)
    erased = await erase_conversation(store, kept)
    assert (erased.messages, erased.full_text, len(erased.keys)) == (41_000,) * 3
    assert await remaining(store, erased) == 0
    assert (await scope_now(store)).messages == 0
    assert await rows(database, "message") == 0


async def test_an_erasure_that_fails_erases_nothing(store: Store) -> None:
    kept = await keep(store, *WORDS)

    async def fail() -> None:
        async with store.write(ACME) as transaction:
            await transaction.erase.conversation(kept.conversation.id, now=NOON)
            raise LookupError

    with pytest.raises(LookupError):
        await fail()
    assert len(await find(store, "dog", kept.within)) == 2
    assert await scope_now(store) == kept.scope


async def test_what_is_appended_while_an_erasure_waits_is_erased_too(
    store: Store, database: Database
) -> None:
    kept = await keep(store, "dog")
    async with store.write(ACME) as transaction:
        _, late = await append(transaction, kept.conversation, "a late dog")
        erasing = asyncio.create_task(erase_conversation(store, kept))
        await asyncio.sleep(0.1)
    erased = await erasing
    assert set(erased.keys) == {*kept.keys, *late}
    assert await remaining(store, erased) == 0
    assert await rows(database, "message") == 0
    assert (await scope_now(store)).messages == 0


async def test_nothing_is_appended_to_what_is_being_erased(store: Store) -> None:
    kept = await keep(store, "dog")

    async def add() -> None:
        async with store.write(ACME) as transaction:
            await append(transaction, kept.conversation, "too late")

    async with store.write(ACME) as transaction:
        await transaction.erase.conversation(kept.conversation.id, now=NOON)
        adding = asyncio.create_task(add())
        await asyncio.sleep(0.1)
    with pytest.raises(ConversationNotFound):
        await adding


async def test_a_receipt_of_before_an_erasure_is_kept_without_a_word_after_it(
    store: Store, database: Database
) -> None:
    """As another process may write it, which has not heard of the erasure."""
    kept = await keep(store, "dogs", "cats")
    asked = await scope_now(store)
    await erase_message(store, kept, 0)
    after = await scope_now(store)
    shown = {"issued": {key: frozenset({int(key)}) for key in kept.keys}}
    answer = {"timings": {"total": 0.001}, "profile": {"facts": []}}

    late = await keep_bundle(store, asked.key, version=asked.version, **shown, answer=answer)
    nobodys = await keep_bundle(store, ScopeKey(after.key + 1_000))
    assert await rows(database, "issued") == 0
    fresh = await keep_bundle(store, after.key, version=after.version, **shown, answer=answer)

    assert await rows(database, "issued") == 2
    async with store.read(ACME) as snapshot:
        kept_late, kept_fresh = [await snapshot.bundles.get(each) for each in (late, fresh)]
        with pytest.raises(BundleNotFound):
            await snapshot.bundles.get(nobodys)
    assert (kept_late.request, kept_late.answer) == (
        {**ASKED, "query": ""},
        {**answer, "profile": None},
    )
    assert (kept_fresh.request, kept_fresh.answer) == (ASKED, answer)


async def test_of_an_erased_user_no_receipt_is_kept_however_late(
    store: Store, database: Database
) -> None:
    kept = await keep(store, *WORDS)
    early = await keep_bundle(store, kept.scope.key)
    async with store.write(ACME) as transaction:
        doomed = await transaction.erase.user("alice", now=NOON)
    late = [await keep_bundle(store, kept.scope.key, version=2**62)]
    await erase_the_rest(store, doomed)
    late.append(await keep_bundle(store, kept.scope.key, version=2**62))
    assert (doomed.bundles, await rows(database, "bundle")) == (1, 0)
    for each in (early, *late):
        with pytest.raises(BundleNotFound):
            await request_of(store, each)

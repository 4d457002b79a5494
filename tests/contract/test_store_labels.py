"""Conversations are found by what their labels say, as they are labelled at the moment."""

import asyncio
from collections.abc import Sequence
from uuid import UUID

import pytest
from sqlalchemy import delete, func, select, text

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.database import Database
from app.adapters.sql.store import SqlStore
from app.domain.conversation import ConversationChanges, NewConversation
from app.domain.ids import ConversationId, TenantId
from app.ports.store import Store
from app.services.indexing.labelling import LabelIndexer
from tests.stored import ACME, NOON, OTHER, SECOND, Kept, erase_the_rest, keep, scope_now

ATLAS, BEACON = "Project Atlas kickoff", "Project Beacon kickoff"


async def found(
    store: Store, *terms: str, user_id: str = "alice", limit: int = 20, tenant: TenantId = ACME
) -> Sequence[str]:
    scope = await scope_now(store, user_id)
    async with store.read(tenant) as snapshot:
        labels = await snapshot.conversations.labelled([scope.key], terms=terms, limit=limit)
    return list(labels.values())


async def change(store: Store, kept: Kept, **changes: str | bool | None) -> None:
    given = ConversationChanges(given=frozenset(changes), **changes)  # type: ignore[arg-type]
    async with store.write(ACME) as transaction:
        await transaction.conversations.change(kept.conversation.key, given, now=NOON)


async def indexed(database: Database) -> int:
    """Rows of the index."""
    async with database.read() as connection:
        counted = select(func.count()).select_from(d.label_term)
        return (await connection.execute(counted)).scalar_one()


async def forget_index(database: Database) -> None:
    """Leave the database as a version did that had no index of labels."""
    async with database.write() as connection:
        await connection.execute(delete(d.label_term))
        await connection.execute(delete(d.projection))


async def test_what_has_more_of_the_terms_comes_first(store: Store) -> None:
    for label in (BEACON, ATLAS, "Lisbon trip", "New chat", None):
        await keep(store, label=label)
    assert await found(store, "atlas", "kickoff") == [ATLAS, BEACON]
    assert await found(store, "beacon", "kickoff", limit=1) == [BEACON]
    assert await found(store, "trip") == ["Lisbon trip"]
    assert await found(store, "chat") == []
    assert await found(store, "train") == []
    assert await found(store) == []


async def test_a_rare_term_counts_more_and_the_newest_come_first(store: Store) -> None:
    for at, label in enumerate(["Weekly sync", "Atlas", "Weekly sync of sales", "Weekly sync"]):
        await keep(store, label=label, created_at=NOON - at * SECOND)
    assert await found(store, "sync") == ["Weekly sync", "Weekly sync of sales", "Weekly sync"]
    assert await found(store, "sync", "atlas", limit=2) == ["Atlas", "Weekly sync"]


async def test_of_what_very_many_have_those_that_have_more_are_found(store: Store) -> None:
    """However old they are: "sync" alone is looked for among the newest only."""
    scope = (await keep(store, label="Atlas sync", created_at=NOON)).scope
    async with store.write(ACME) as transaction:
        for at in range(230):
            label = "Atlas" if at < 30 else "Sync"
            await transaction.conversations.add(
                NewConversation(user_id="alice", created_at=NOON + at * SECOND, label=label),
                conversation_id=ConversationId(UUID(int=at)),
                scope=scope,
                now=NOON,
            )
    assert await found(store, "sync", "atlas", limit=3) == ["Atlas sync", "Atlas", "Atlas"]
    assert await found(store, "sync", limit=2) == ["Sync", "Sync"]


async def test_a_label_is_found_as_it_is_now(store: Store) -> None:
    kept = await keep(store, label=ATLAS)
    await change(store, kept, label=BEACON)
    assert await found(store, "atlas") == []
    assert await found(store, "beacon") == [BEACON]
    await change(store, kept, folder="/work")
    assert await found(store, "beacon") == [BEACON]
    await change(store, kept, label=None)
    assert await found(store, "beacon") == []
    await change(store, kept, label=ATLAS)
    assert await found(store, "atlas") == [ATLAS]


async def test_what_is_archived_is_not_found_until_it_is_not(store: Store) -> None:
    kept = await keep(store, label=ATLAS)
    await keep(store, label=BEACON, archived=True)
    await change(store, kept, archived=True)
    assert await found(store, "atlas", "beacon", "kickoff") == []
    await change(store, kept, label=BEACON)
    assert await found(store, "atlas", "beacon", "kickoff") == []
    assert not (await scope_now(store)).has_labels
    await change(store, kept, archived=False)
    assert await found(store, "beacon") == [BEACON]


async def test_nobody_finds_the_labels_of_others(store: Store) -> None:
    alices, bobs = await keep(store, label=ATLAS), await keep(store, label=BEACON, user_id="bob")
    assert await found(store, "kickoff") == [ATLAS]
    assert await found(store, "kickoff", user_id="bob") == [BEACON]
    assert await found(store, "kickoff", tenant=OTHER) == []
    async with store.read(ACME) as snapshot:
        scopes = [alices.scope.key, bobs.scope.key]
        both = await snapshot.conversations.labelled(scopes, terms=["kickoff"], limit=9)
    assert set(both.values()) == {ATLAS, BEACON}


async def test_a_scope_tells_whether_it_has_labels(store: Store) -> None:
    kept = await keep(store, "hello")
    assert not (await scope_now(store)).has_labels
    await change(store, kept, label="New chat")
    assert not (await scope_now(store)).has_labels
    await change(store, kept, label=ATLAS)
    assert (await scope_now(store)).has_labels
    async with store.read(ACME) as snapshot:
        (scope,) = await snapshot.scopes.readable("alice", now=NOON)
    assert scope.has_labels


async def test_what_is_deleted_is_found_no_more_at_once(store: Store, database: Database) -> None:
    kept, other = await keep(store, "one", label=ATLAS), await keep(store, "two", label=BEACON)
    async with store.write(ACME) as transaction:
        doomed = await transaction.erase.conversation(kept.conversation.id, now=NOON)
    assert await found(store, "kickoff") == [BEACON]
    assert await indexed(database) == 3
    await erase_the_rest(store, doomed, limit=9)
    async with store.write(ACME) as transaction:
        doomed = await transaction.erase.user("alice", now=NOON)
    await erase_the_rest(store, doomed, limit=9)
    assert await indexed(database) == 0
    assert other.conversation.label == BEACON


async def test_labels_of_before_are_indexed_in_batches(store: Store, database: Database) -> None:
    for label in (ATLAS, BEACON, "Lisbon trip", "Oslo conference"):
        await keep(store, label=label)
    await keep(store, label="Berlin trip", archived=True)
    before, version = await indexed(database), (await scope_now(store)).version
    await forget_index(database)
    first, second = (LabelIndexer(store=SqlStore(database), batch=2) for _ in range(2))
    await first.tick()
    assert not first.complete
    assert await found(store, "kickoff", "trip") == [BEACON, ATLAS]
    assert (await scope_now(store)).version > version, "what was answered without them is old"
    await second.tick()
    assert await found(store, "trip", "oslo") == ["Oslo conference", "Lisbon trip"]
    await asyncio.gather(first.tick(), second.tick())
    assert (first.complete, second.complete, await indexed(database)) == (True, True, before)

    version = (await scope_now(store)).version
    later = LabelIndexer(store=SqlStore(database))
    await later.tick()
    assert later.complete
    assert (await scope_now(store)).version == version


async def test_what_is_written_meanwhile_is_found(store: Store, database: Database) -> None:
    first, second = await keep(store, label=ATLAS), await keep(store, label="Lisbon trip")
    await forget_index(database)
    indexer = LabelIndexer(store=SqlStore(database), batch=1)
    await change(store, second, label=BEACON)
    await keep(store, label="Oslo conference")
    assert await found(store, "kickoff", "oslo") == ["Oslo conference", BEACON]
    await indexer.tick()
    await change(store, first, label="Berlin trip")
    while not indexer.complete:
        await indexer.tick()
    assert await found(store, "kickoff", "atlas", "lisbon") == [BEACON]
    assert await found(store, "berlin") == ["Berlin trip"]


async def test_other_terms_take_the_place_of_those_before(store: Store, database: Database) -> None:
    kept = await keep(store, label=ATLAS)
    async with database.write() as connection:
        await connection.execute(delete(d.label_term))
        own = {"scope_key": kept.scope.key, "conversation_key": kept.conversation.key}
        await connection.execute(d.label_term.insert(), {**own, "term": "atlasses"})
    indexer = LabelIndexer(store=SqlStore(database), version="next")
    await indexer.tick()
    assert await found(store, "atlasses") == []
    assert await found(store, "atlas") == [ATLAS]


async def test_what_fails_is_tried_again(store: Store, database: Database) -> None:
    await keep(store, label=ATLAS)
    indexer = LabelIndexer(store=SqlStore(database))
    async with database.write() as connection:
        await connection.execute(text("ALTER TABLE projection RENAME TO gone"))
    try:
        await indexer.tick()
        assert not indexer.complete
    finally:
        async with database.write() as connection:
            await connection.execute(text("ALTER TABLE gone RENAME TO projection"))
    await indexer.tick()
    assert indexer.complete


@pytest.mark.parametrize("label", ["x" * 1_000, "ﷺ" * 1_000, "1" * 999, "東京" * 500, "'%_\\"])
async def test_any_label_can_be_stored(store: Store, database: Database, label: str) -> None:
    kept = await keep(store, label=label)
    async with database.read() as connection:
        stored = select(t.conversation.c.label).where(t.conversation.c.key == kept.conversation.key)
        assert (await connection.execute(stored)).scalar_one() == label

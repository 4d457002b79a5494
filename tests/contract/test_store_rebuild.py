"""Full text is built anew when its version differs: in batches, and whatever goes on meanwhile."""

import pytest
from sqlalchemy import select, update

from app.adapters.sql import tables as t
from app.adapters.sql.database import Database
from app.adapters.sql.store import SqlStore
from app.domain.conversation import ConversationChanges
from app.services.indexing.rebuilding import Rebuilder
from tests.stored import ACME, NOON, Kept, append, find, keep, scope_now

TALK = tuple(f"tea number {number}" for number in range(7))


@pytest.fixture
def store(database: Database) -> SqlStore:
    return SqlStore(database)


async def counters(store: SqlStore) -> tuple[int, int]:
    scope = await scope_now(store)
    return scope.messages, scope.terms


async def bags(store: SqlStore) -> list[bytes | None]:
    async with store.database.read() as connection:
        rows = await connection.execute(select(t.message.c.terms).order_by(t.message.c.key))
        return list(rows.scalars())


async def begun(store: SqlStore, *, version: str = "next", batch: int = 3) -> Rebuilder:
    rebuilder = Rebuilder(store=store, batch=batch, version=version)
    await rebuilder.begin()
    return rebuilder


async def finish(rebuilder: Rebuilder) -> int:
    """Build until it is complete; the batches that it took."""
    for batches in range(100):
        if rebuilder.complete:
            return batches
        await rebuilder.tick()
    raise AssertionError


async def archive(store: SqlStore, kept: Kept, *, archived: bool) -> None:
    given = ConversationChanges(given=frozenset({"archived"}), archived=archived)
    async with store.write(ACME) as transaction:
        await transaction.conversations.change(kept.conversation.key, given, now=NOON)
        changed = await transaction.conversations.get(kept.conversation.id)
        move = transaction.messages.unindex if archived else transaction.messages.reindex
        await move(changed, now=NOON)


async def test_an_empty_store_has_nothing_to_build(store: SqlStore) -> None:
    rebuilder = await begun(store)
    assert rebuilder.complete
    assert (await begun(store)).complete


async def test_all_is_found_again_as_before(store: SqlStore) -> None:
    kept = await keep(store, *TALK)
    before, counted, packed = await find(store, "tea", kept.within), await counters(store), None
    packed = await bags(store)
    async with store.database.write() as connection:
        await connection.execute(update(t.message).values(terms=b""))

    rebuilder = await begun(store)
    assert await find(store, "tea", kept.within) == []
    assert await counters(store) == (0, 0)
    assert not rebuilder.complete

    assert await finish(rebuilder) == 4
    assert await find(store, "tea", kept.within) == before
    assert await counters(store) == counted
    assert await bags(store) == packed
    assert rebuilder.left == 0


async def test_what_has_the_version_is_left_alone(store: SqlStore) -> None:
    kept = await keep(store, *TALK)
    await finish(await begun(store))
    version = (await scope_now(store)).version
    assert (await begun(store)).complete
    assert (await scope_now(store)).version == version
    assert len(await find(store, "tea", kept.within)) == 7


async def test_another_process_goes_on_where_one_stopped(store: SqlStore) -> None:
    kept = await keep(store, *TALK)
    first = await begun(store)
    await first.tick()
    assert len(await find(store, "tea", kept.within)) == 3

    second = await begun(store)
    assert not second.complete
    assert len(await find(store, "tea", kept.within)) == 3
    await second.tick()
    await first.tick()
    assert len(await find(store, "tea", kept.within)) == 7
    assert (await counters(store))[0] == 7


async def test_a_batch_built_twice_counts_once(store: SqlStore) -> None:
    kept = await keep(store, *TALK)
    await begun(store)
    async with store.project() as projections:
        unbuilt = await projections.unbuilt(limit=3)
    assert unbuilt is not None
    first, second = await begun(store), await begun(store)
    await first.tick()
    async with store.project() as projections:
        await projections.build(unbuilt, {})
    await finish(second)
    assert len(await find(store, "tea", kept.within)) == 7
    assert (await counters(store))[0] == 7


async def test_a_third_version_begins_from_the_start(store: SqlStore) -> None:
    kept = await keep(store, *TALK)
    await (await begun(store)).tick()
    later = await begun(store, version="the one after", batch=100)
    assert await find(store, "tea", kept.within) == []
    await finish(later)
    assert len(await find(store, "tea", kept.within)) == 7


async def test_what_is_said_meanwhile_is_found_at_once_and_once(store: SqlStore) -> None:
    kept = await keep(store, *TALK)
    rebuilder = await begun(store)
    async with store.write(ACME) as transaction:
        _, keys = await append(transaction, kept.conversation, "tea again")
    assert list(await find(store, "tea", kept.within)) == list(keys)
    await finish(rebuilder)
    assert len(await find(store, "tea", kept.within)) == 8
    assert (await counters(store))[0] == 8


@pytest.mark.parametrize("built", [0, 1, 2])
async def test_what_is_deleted_meanwhile_is_gone(store: SqlStore, built: int) -> None:
    kept = await keep(store, *TALK)
    rebuilder = await begun(store)
    for _ in range(built):
        await rebuilder.tick()
    async with store.write(ACME) as transaction:
        await transaction.erase.message(kept.messages[4].id, now=NOON)
    await finish(rebuilder)
    assert set(await find(store, "tea", kept.within)) == {*kept.keys} - {kept.keys[4]}
    assert (await counters(store)) == (6, 18)


@pytest.mark.parametrize("built", [0, 1, 2])
async def test_what_is_archived_meanwhile_comes_back_when_it_is_not(
    store: SqlStore, built: int
) -> None:
    kept = await keep(store, *TALK)
    rebuilder = await begun(store)
    for _ in range(built):
        await rebuilder.tick()
    await archive(store, kept, archived=True)
    assert await find(store, "tea", kept.within) == []
    assert await counters(store) == (0, 0)
    if built == 2:
        await finish(rebuilder)
        assert await find(store, "tea", kept.within) == []
    await archive(store, kept, archived=False)
    await finish(rebuilder)
    assert set(await find(store, "tea", kept.within)) == {*kept.keys}
    assert await counters(store) == (7, 21)

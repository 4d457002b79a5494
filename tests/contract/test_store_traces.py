"""What was erased is in no byte of the files of SQLite, once somebody has been round."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import text

from app.adapters.sql.database import Database, open_database
from app.adapters.sql.store import SqlStore
from app.domain.context import ContextRequest
from app.services.erasing.scouring import Scourer
from tests.fakes import Memory
from tests.stored import ACME

MARK = "zqxvjplum"
PATIENCE = 60


@pytest.fixture
async def database(sqlite_file: Path) -> AsyncIterator[Database]:
    opened = open_database(f"sqlite+aiosqlite:///{sqlite_file}", durable=False)
    yield opened
    await opened.dispose()


@pytest.fixture
async def memory(database: Database) -> Memory:
    """In many transactions, so that full text has many segments; half of it is another user's."""
    memory = Memory(SqlStore(database))
    for number in range(40):
        await memory.say(f"The {MARK} of tree {number} is ripe.", external_id=f"chat {number}")
        await memory.say(f"The apple of tree {number} is ripe.", user_id="bob")
    await memory.index()
    await memory.distil()
    await memory.index()
    return memory


def traces(file: Path) -> list[str]:
    """The files of a database that hold the mark, whatever its case."""
    files = file.parent.glob(f"{file.name}*")
    return sorted(each.name for each in files if MARK.encode() in each.read_bytes().lower())


async def test_what_is_erased_is_overwritten(memory: Memory, sqlite_file: Path) -> None:
    await memory.forgetter.user(ACME, "alice")
    assert traces(sqlite_file)

    await Scourer(store=memory.store).tick()

    assert traces(sqlite_file) == []
    kept = ContextRequest(query="Which apple is ripe?", user_id="bob")
    found = await memory.cached.search(ACME, kept)
    assert {"apple" in each.item.content for each in found.candidates} == {True}
    assert not await memory.store.overwrite_some()


async def test_what_was_asked_is_overwritten(memory: Memory, sqlite_file: Path) -> None:
    """Of receipts that stay, since only a conversation was erased; short and long questions."""
    await memory.forgetter.user(ACME, "alice")
    stored = await memory.say("Apples.")
    await memory.index()
    for query in (f"Which {MARK}?", f"Which {MARK}? " + "Really? " * 2_000):
        await memory.cached.answer(ACME, ContextRequest(query=query, user_id="alice"))
    await memory.recorder.flush()
    assert traces(sqlite_file)

    erased = (await memory.forgetter.conversation(ACME, stored.conversation_id)).erased
    await Scourer(store=memory.store).tick()

    assert (erased.bundles, traces(sqlite_file)) == (2, [])


async def test_the_next_round_is_for_what_was_erased_before_it(
    memory: Memory, sqlite_file: Path
) -> None:
    await memory.forgetter.user(ACME, "alice")

    await memory.scourer.go_round()

    assert traces(sqlite_file) == []


async def test_what_nobody_told_of_is_overwritten_some_rounds_later(
    memory: Memory, sqlite_file: Path
) -> None:
    """As an earlier process left it."""
    await memory.forgetter.user(ACME, "alice")
    scourer = Scourer(store=memory.store)

    for _ in range(19):
        await scourer.go_round()
    assert traces(sqlite_file)
    await scourer.go_round()

    assert traces(sqlite_file) == []


async def test_nobody_waits_while_somebody_reads(
    memory: Memory, database: Database, sqlite_file: Path
) -> None:
    async with database.moment() as reading:
        await reading.execute(text("SELECT count(*) FROM message"))
        await memory.forgetter.user(ACME, "alice")
        for number in range(20):
            async with asyncio.timeout(PATIENCE):
                assert await memory.store.overwrite_some()
                await memory.say(f"Pear {number}.", user_id="bob")
        assert traces(sqlite_file)

    await Scourer(store=memory.store).tick()

    assert traces(sqlite_file) == []


@pytest.mark.postgres
async def test_postgres_does_so_by_itself(postgres_url: str) -> None:
    opened = open_database(postgres_url)
    assert not await SqlStore(opened).overwrite_some()
    await opened.dispose()

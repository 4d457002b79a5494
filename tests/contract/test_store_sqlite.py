"""What is SQLite's own: one writer beside readers, locks of other processes, its settings."""

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from app.adapters.sql.database import Database, open_database
from app.adapters.sql.health.checkup import Checkup
from app.adapters.sql.store import SqlStore
from app.domain.errors import StoreDamaged, StoreUnavailable
from app.ports.store import Store
from tests.stored import ACME, NOON, append, find, keep, last_of, scope_now

HOLD = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
async def database(sqlite_file: Path) -> AsyncIterator[Database]:
    opened = open_database(f"sqlite+aiosqlite:///{sqlite_file}", readers=2, busy_timeout=0.3)
    yield opened
    await opened.dispose()


@pytest.fixture
def store(database: Database) -> Store:
    return SqlStore(database)


PRAGMAS = {
    "journal_mode": "wal",
    "foreign_keys": 1,
    "synchronous": 2,  # FULL
    "busy_timeout": 300,
    "temp_store": 2,  # MEMORY
}


@pytest.mark.parametrize(("pragma", "value"), PRAGMAS.items())
async def test_a_pragma_is_in_effect(database: Database, pragma: str, value: object) -> None:
    async with database.read() as reader, database.write() as writer:
        for connection in (reader, writer):
            got = (await connection.execute(text(f"PRAGMA {pragma}"))).scalar_one()
            assert got == value


async def test_durability_can_be_left_to_the_system(sqlite_file: Path) -> None:
    database = open_database(f"sqlite+aiosqlite:///{sqlite_file}", durable=False)
    async with database.write() as connection:
        assert (await connection.execute(text("PRAGMA synchronous"))).scalar_one() == 1
    await database.dispose()


async def test_readers_cannot_write(database: Database, store: Store) -> None:
    await keep(store, "dog")
    with pytest.raises((DBAPIError, StoreUnavailable), match="readonly"):
        async with database.read() as connection:
            await connection.execute(text("DELETE FROM message"))
    assert (await scope_now(store)).messages == 1


def move(file: Path) -> Path:
    return file.rename(file.with_name("aside.db"))


async def test_nothing_is_committed_to_a_file_that_went_meanwhile(
    database: Database, store: Store, sqlite_file: Path
) -> None:
    kept = await keep(store, "dog")
    checkup = Checkup(file=sqlite_file, depth="quick", patience=60.0)
    checkup.opened()
    database.refusals.watchman = checkup
    writing = store.write(ACME)
    await append(await writing.__aenter__(), kept.conversation, "another dog")
    aside = move(sqlite_file)
    with pytest.raises(StoreDamaged):
        await writing.__aexit__(None, None, None)
    aside.replace(sqlite_file)
    assert len(await find(store, "dog", kept.within)) == 1
    await checkup.close()


async def test_readers_go_on_while_one_writes_and_see_the_last_commit(store: Store) -> None:
    kept = await keep(store, "dog")
    async with store.write(ACME) as transaction:
        await append(transaction, kept.conversation, "another dog")
        assert len(await find(store, "dog", kept.within)) == 1
    assert len(await find(store, "dog", kept.within)) == 2


async def test_a_reader_sees_each_commit_at_once(store: Store) -> None:
    kept = await keep(store, "dog")
    async with store.read(ACME) as snapshot:
        assert len(await last_of(snapshot.messages, kept.conversation.key, limit=9)) == 1
        async with store.write(ACME) as transaction:
            await append(transaction, kept.conversation, "cat")
        assert len(await last_of(snapshot.messages, kept.conversation.key, limit=9)) == 2


async def test_there_is_one_writer_at_a_time(store: Store) -> None:
    inside = most = 0

    async def write() -> None:
        nonlocal inside, most
        async with store.write(ACME) as transaction:
            inside += 1
            most = max(most, inside)
            await transaction.scopes.ensure("alice", now=NOON)
            await asyncio.sleep(0)
            inside -= 1

    await asyncio.gather(*(write() for _ in range(8)))
    assert most == 1


async def test_a_writer_that_waits_too_long_is_told(store: Store) -> None:
    async with store.write(ACME):
        with pytest.raises(StoreUnavailable):
            async with store.write(ACME):
                pass


async def test_a_lock_of_another_process_ends_in_store_unavailable(
    store: Store, sqlite_file: Path
) -> None:
    kept = await keep(store, "dog")
    with subprocess.Popen(  # noqa: ASYNC220  (a process that only waits)
        [sys.executable, "-c", HOLD, str(sqlite_file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as other:
        assert other.stdout
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(StoreUnavailable, match="locked"):
            async with store.write(ACME):
                pass
        assert len(await find(store, "dog", kept.within)) == 1
        other.communicate()
    await keep(store, "a dog after all")
    assert len(await find(store, "dog", kept.within)) == 2


async def test_a_writer_waits_for_a_short_lock(store: Store, sqlite_file: Path) -> None:
    with closing(sqlite3.connect(sqlite_file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        writing = asyncio.create_task(keep(store, "dog"))
        await asyncio.sleep(0.1)
        other.execute("ROLLBACK")
        assert len((await writing).keys) == 1


async def test_a_task_cancelled_while_it_waits_for_a_lock_leaves_a_working_writer(
    store: Store, sqlite_file: Path
) -> None:
    with closing(sqlite3.connect(sqlite_file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        writing = asyncio.create_task(keep(store, "dog"))
        await asyncio.sleep(0.05)
        writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing
        other.execute("ROLLBACK")
    kept = await keep(store, "cat")
    assert kept.scope.messages == 1


async def test_foreign_keys_hold(database: Database, store: Store) -> None:
    await keep(store, "dog")
    async with database.write() as connection:
        await connection.execute(text("DELETE FROM tenant"))
    async with store.read(ACME) as snapshot:
        counted = await snapshot.counts()
    assert (counted.users, counted.conversations, counted.messages) == (0, 0, 0)


async def test_a_file_that_is_no_database_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.write_bytes(b"no database at all " * 100)
    database = open_database(f"sqlite+aiosqlite:///{path}")
    with pytest.raises(StoreDamaged):
        async with database.read() as connection:
            await connection.execute(text("SELECT 1 FROM message"))
    await database.dispose()


async def test_a_folder_that_is_not_there_is_unavailable(tmp_path: Path) -> None:
    database = open_database(f"sqlite+aiosqlite:///{tmp_path}/nowhere/store.db")
    with pytest.raises(StoreUnavailable):
        async with SqlStore(database).write(ACME):
            pass
    await database.dispose()

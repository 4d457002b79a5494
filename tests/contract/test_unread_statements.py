"""On SQLite, what nobody reads goes along with the next visit to the database's thread."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import TextClause, text
from sqlalchemy.exc import DBAPIError

from app.adapters.sql.database import Database, open_database
from app.adapters.sql.fetch import visited
from app.adapters.sql.one_hop import UNREAD, OneHopConnection
from app.adapters.sql.store import SqlStore
from tests.factories import ACME, NOON
from tests.stored import keep, prepare

TABLE = text("CREATE TABLE told (word TEXT UNIQUE)")
WORDS = text("SELECT word FROM told ORDER BY rowid")


@pytest.fixture
async def database(sqlite_file: Path) -> AsyncIterator[Database]:
    opened = open_database(f"sqlite+aiosqlite:///{sqlite_file}", durable=False)
    async with opened.write() as connection:
        await connection.execute(TABLE)
    yield opened
    await opened.dispose()


@pytest.fixture
def visits(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What was done in the threads of connections, each time that one was visited."""
    made: list[object] = []
    visit = OneHopConnection.visit

    async def noted(self: OneHopConnection, work: Any, *given: Any, **named: Any) -> Any:
        made.append(work)
        return await visit(self, work, *given, **named)

    monkeypatch.setattr(OneHopConnection, "visit", noted)
    return made


def telling(word: str) -> TextClause:
    insert = text("INSERT INTO told VALUES (:word)").bindparams(word=word)
    return insert.execution_options(**UNREAD)


async def tell(database: Database, *words: str) -> None:
    async with database.write() as connection:
        for word in words:
            await connection.execute(telling(word))


async def told(database: Database) -> Sequence[str]:
    async with database.read() as connection:
        return list((await connection.execute(WORDS)).scalars())


async def test_the_commit_takes_it_along(database: Database, visits: list[object]) -> None:
    async with database.write() as connection:
        await connection.execute(telling("first"))
        await connection.execute(telling("second"))
        assert not visits
    assert len(visits) == 1
    assert await told(database) == ["first", "second"]


async def test_many_rows_are_not_kept_until_all_of_them_are_made_ready(
    database: Database, visits: list[object]
) -> None:
    async with database.write() as connection:
        for portion in range(3):
            rows = [{"word": f"{portion}.{number}"} for number in range(250)]
            insert = text("INSERT INTO told VALUES (:word)")
            await connection.execute(insert, rows, execution_options=UNREAD)
            assert len(visits) == portion + 1
    assert len(await told(database)) == 750


async def test_what_is_read_behind_it_sees_it(database: Database, visits: list[object]) -> None:
    changed = text("UPDATE told SET word = 'changed'").execution_options(**UNREAD)
    async with database.write() as connection:
        await connection.execute(telling("first"))
        await connection.execute(changed)
        await connection.execute(telling("second"))
        assert list((await connection.execute(WORDS)).scalars()) == ["changed", "second"]
        assert len(visits) == 1
        read = await visited(connection, lambda raw: raw.execute("SELECT 1").fetchall())
        assert read == [(1,)]


async def test_what_is_rolled_back_is_not_done(database: Database, visits: list[object]) -> None:
    async def break_off() -> None:
        async with database.write() as connection:
            await connection.execute(telling("first"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await break_off()
    assert not visits
    await tell(database, "second")
    assert await told(database) == ["second"]


async def test_what_fails_with_the_commit_fails_all(database: Database) -> None:
    with pytest.raises(DBAPIError, match="UNIQUE"):
        await tell(database, "first", "first", "second")
    assert await told(database) == []
    await tell(database, "third")
    assert await told(database) == ["third"]


async def test_whoever_goes_on_after_a_failure_cannot_commit(database: Database) -> None:
    async def go_on() -> None:
        async with database.write() as connection:
            for word in ("first", "first", "lost"):
                await connection.execute(telling(word))
            with pytest.raises(DBAPIError):
                await connection.execute(WORDS)
            await connection.execute(telling("second"))

    with pytest.raises((DBAPIError, sqlite3.Error), match="UNIQUE"):
        await go_on()
    assert await told(database) == []


async def test_whoever_is_cut_off_before_it_began_leaves_nothing_open(database: Database) -> None:
    gate, waiting = threading.Event(), asyncio.Event()
    busy: list[asyncio.Future[Any]] = []

    async def cut_off() -> None:
        async with database.write() as connection:
            await connection.execute(telling("first"))
            driver = (await connection.get_raw_connection()).driver_connection
            assert isinstance(driver, OneHopConnection)
            held = driver._execute(gate.wait)  # type: ignore[no-untyped-call]  # theirs
            busy.append(asyncio.ensure_future(held))
            await asyncio.sleep(0)
            waiting.set()
            await visited(connection, lambda raw: raw.execute("SELECT 1").fetchall())

    writing = asyncio.create_task(cut_off())
    await waiting.wait()
    await asyncio.sleep(0)
    writing.cancel()
    await asyncio.sleep(0)
    gate.set()
    with pytest.raises(asyncio.CancelledError):
        await writing
    await asyncio.gather(*busy)
    await tell(database, "second")
    assert await told(database) == ["second"]


async def test_messages_are_stored_in_one_visit(database: Database, visits: list[object]) -> None:
    store = SqlStore(database)
    kept = await keep(store, "the first one")
    more = await prepare(*(f"number {at}" for at in range(20)), position=1)
    async with store.write(ACME) as transaction:
        visits.clear()
        await transaction.messages.append(kept.conversation, more, now=NOON)
        assert len(visits) == 1, "what is asked for are their keys"
    assert len(visits) == 2, "and the commit takes the rest along"

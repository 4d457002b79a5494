import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import cast

import aiosqlite
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql.database import Database, open_database
from app.domain.errors import StoreUnavailable


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    opened = open_database(
        f"sqlite+aiosqlite:///{tmp_path / 'kept.db'}", readers=2, busy_timeout=0.2
    )
    yield opened
    await opened.dispose()


async def the_one_of(database: Database) -> AsyncConnection:
    async with database.read() as connection:
        return connection


async def test_the_connection_that_was_used_last_is_used_next(database: Database) -> None:
    first = await the_one_of(database)
    assert await the_one_of(database) is first


async def test_a_connection_in_which_something_failed_is_not_kept(database: Database) -> None:
    first = await the_one_of(database)
    with pytest.raises(ValueError, match="mine"):
        async with database.read():
            raise ValueError("mine")
    assert first.closed
    assert await the_one_of(database) is not first


@pytest.mark.parametrize("lend", [Database.read, Database.write])
async def test_what_is_lent_when_all_is_closed_is_closed_when_it_comes_back(
    database: Database, lend: Callable[[Database], AbstractAsyncContextManager[AsyncConnection]]
) -> None:
    async with lend(database) as late:
        raw = await late.get_raw_connection()
        driven = cast("aiosqlite.Connection", raw.driver_connection)
        await database.dispose()
        assert (await late.execute(text("SELECT 1"))).scalar_one() == 1
    with pytest.raises(ValueError, match="no active connection"):
        await driven.execute("SELECT 1")


async def test_who_goes_away_leaves_the_place_to_others(database: Database) -> None:
    async def read() -> None:
        async with database.read():
            await asyncio.sleep(10)

    for _ in range(3):
        tasks = [asyncio.create_task(read()) for _ in range(2)]
        await asyncio.sleep(0.05)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
    async with database.read(), database.read() as connection:
        assert (await connection.execute(text("SELECT 1"))).scalar_one() == 1


async def test_a_moment_is_over_when_the_block_is(database: Database) -> None:
    async with database.moment() as connection:
        await connection.execute(text("SELECT 1"))
    async with database.read() as again:
        assert again is connection
        assert not again.in_transaction()


async def test_a_reader_that_finds_all_places_taken_is_told_so(database: Database) -> None:
    async with database.read(), database.read():
        with pytest.raises(StoreUnavailable, match="every connection stayed busy"):
            async with database.read():
                pytest.fail("there is no place")

"""Databases of a test's own: an SQLite file, or a database on a PostgreSQL server."""

import asyncio
import os
from collections.abc import Coroutine
from threading import Thread
from typing import Any
from uuid import uuid4

import asyncpg  # type: ignore[import-untyped]  # no types are published for it
import pytest
from sqlalchemy.engine import URL, make_url

from app.adapters.sql.database import open_database
from app.adapters.sql.migrate import upgrade
from app.adapters.sql.schema import metadata

SERVER = make_url(
    os.environ.get("TEST_POSTGRES_URL", "postgresql+asyncpg://root@127.0.0.1:5432/test")
)
BOTH = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]


def text_of(url: URL) -> str:
    return url.render_as_string(hide_password=False)


async def ask_server(statement: str, *, at: URL = SERVER) -> None:
    plain = at.set(drivername="postgresql")
    connection = await asyncpg.connect(text_of(plain), timeout=60)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


async def require_postgres() -> None:
    """Skip where no server answers; on CI that is a failure."""
    try:
        await ask_server("SELECT 1")
    except (OSError, TimeoutError, asyncpg.PostgresError) as error:
        no_server = f"no PostgreSQL at {SERVER.render_as_string()}: {error}"
        if os.environ.get("CI"):
            pytest.fail(no_server)
        pytest.skip(no_server)


async def create_postgres_database(template: str = "template1") -> str:
    """The URL of a new database, which is a copy of `template`; its commits wait for no disk."""
    name = f"foreword_test_{uuid4().hex[:12]}"
    await ask_server(f'CREATE DATABASE {name} TEMPLATE "{template}"')
    await ask_server(f"ALTER DATABASE {name} SET synchronous_commit = off")
    return text_of(SERVER.set(database=name))


async def drop_postgres_database(url: str) -> None:
    await ask_server(f"DROP DATABASE {make_url(url).database} WITH (FORCE)")


async def empty_postgres_database(url: str) -> None:
    """Delete every row: with these few, a hundred times as fast as truncating each table."""
    names = [*(each.name for each in reversed(metadata.sorted_tables)), "full_text"]
    deletes = "; ".join(f'DELETE FROM "{name}"' for name in names)  # noqa: S608  (our own names)
    # A replica keeps what it is told to: no trigger, such as that of the audit log, fires for it.
    await ask_server(f"SET session_replication_role = replica; {deletes}", at=make_url(url))


async def migrate(url: str) -> None:
    database = open_database(url)
    try:
        await upgrade(database.writer)
    finally:
        await database.dispose()


def run_apart(work: Coroutine[Any, Any, None]) -> None:
    """Run `work` on a loop of its own, whichever loop the tests are on."""
    failures: list[BaseException] = []

    def run() -> None:
        try:
            asyncio.run(work)
        except BaseException as error:  # noqa: BLE001  (pytest's skip and fail come through too)
            failures.append(error)

    thread = Thread(target=run)
    thread.start()
    thread.join()
    if failures:
        raise failures[0]


def new_postgres_database(template: str = "template1", *, migrated: bool = False) -> str:
    """As `create_postgres_database`, where no loop runs; skips where no server answers."""
    made: list[str] = []

    async def make() -> None:
        await require_postgres()
        made.append(await create_postgres_database(template))
        if migrated:
            await migrate(made[0])

    run_apart(make())
    return made[0]


def settings_of_own(request: pytest.FixtureRequest) -> dict[str, str]:
    """Of a server: those of a database of the test's own, by a parameter of BOTH."""
    if request.param == "sqlite":
        return {}
    url = new_postgres_database()
    request.addfinalizer(lambda: run_apart(drop_postgres_database(url)))
    return {"DATABASE__URL": url}

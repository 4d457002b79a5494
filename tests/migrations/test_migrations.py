"""Migrations: up from nothing, down again, and always what the tables say."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, insert, inspect, select, text

from app.adapters.sql import tables, tables_derived, tables_log
from app.adapters.sql import tables_derived as d
from app.adapters.sql.database import Database, open_database
from app.adapters.sql.migrate import (
    alembic_config,
    head,
    is_ours,
    known_revisions,
    upgrade,
)
from app.adapters.sql.schema import metadata
from tests.databases import (
    BOTH,
    create_postgres_database,
    drop_postgres_database,
    require_postgres,
)

ROOT = Path(__file__).parents[2]
UPGRADE = """
import asyncio, sys
from app.adapters.sql.database import open_database
from app.adapters.sql.migrate import upgrade

async def main():
    database = open_database(sys.argv[1])
    await upgrade(database.writer)
    await database.dispose()

asyncio.run(main())
"""


@pytest.fixture
async def postgres_url() -> AsyncIterator[str]:
    await require_postgres()
    url = await create_postgres_database()
    yield url
    await drop_postgres_database(url)


@pytest.fixture(params=BOTH)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database."""
    if request.param == "sqlite":
        return f"sqlite+aiosqlite:///{tmp_path / 'store.db'}"
    return str(request.getfixturevalue("postgres_url"))


_A_CONVERSATION = """
    INSERT INTO conversation (key, id, scope_key, importance, metadata, archived, created_at,
        updated_at, written_at, message_count, token_count)
    VALUES ({key}, '{id}', 5, 5, '{{}}', false, 1, 1, 1, 0, 0)
"""
_A_MESSAGE = """
    INSERT INTO message (key, id, conversation_key, scope_key, position, role, metadata,
        created_at, tokens, content_hash)
    VALUES ({key}, '{key:032}', {of}, 5, {position}, 'user', '{{}}', {at}, 1, '')
"""


@pytest.fixture
async def database(url: str) -> AsyncIterator[Database]:
    opened = open_database(url)
    yield opened
    await opened.dispose()


async def names(database: Database) -> set[str]:
    """Every table there is, but for those that FTS5 keeps its own things in."""

    def ask(connection: Connection) -> list[str]:
        return inspect(connection).get_table_names()

    async with database.read() as connection:
        found = await connection.run_sync(ask)
    return {name for name in found if not name.startswith(("full_text_", "sqlite_"))}


async def differences(database: Database) -> list[object]:
    def compare(connection: Connection) -> list[object]:
        context = MigrationContext.configure(
            connection,
            opts={"include_name": is_ours, "compare_type": True, "compare_server_default": True},
        )
        return list(compare_metadata(context, metadata))

    async with database.read() as connection:
        return await connection.run_sync(compare)


async def versions(database: Database) -> list[str]:
    async with database.read() as connection:
        rows = await connection.execute(text("SELECT version_num FROM alembic_version"))
        return list(rows.scalars())


async def test_up_from_nothing_makes_every_table(database: Database) -> None:
    assert await names(database) == set()
    await upgrade(database.writer)
    assert await names(database) == {*metadata.tables, "full_text", "alembic_version"}


async def test_the_schema_is_what_the_tables_say(database: Database) -> None:
    assert tables.message.metadata is tables_derived.outbox.metadata is metadata
    assert tables_log.erasure.metadata is metadata
    await upgrade(database.writer)
    assert await differences(database) == []


async def test_the_indexes_are_of_the_rows_that_the_tables_say(database: Database) -> None:
    """Alembic compares no conditions: those of what is migrated and of what is made from tables."""
    if database.embedded:
        ask = "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
    else:
        ask = "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'"
    asked = text(f"{ask} ORDER BY 1")
    await upgrade(database.writer)
    async with database.write() as connection:
        migrated = [tuple(row) for row in await connection.execute(asked)]
        await connection.run_sync(metadata.drop_all)
        left = {row[0] for row in await connection.execute(asked)}
        await connection.run_sync(metadata.create_all)
        made = [tuple(row) for row in await connection.execute(asked)]
    assert [each for each in migrated if each[0] not in left] == [
        each for each in made if each[0] not in left
    ]


async def test_up_twice_changes_nothing_and_loses_nothing(database: Database) -> None:
    await upgrade(database.writer)
    before = await versions(database)
    async with database.write() as connection:
        await connection.execute(text("INSERT INTO tenant (id, created_at) VALUES ('acme', 1)"))
    await upgrade(database.writer)
    assert await versions(database) == before
    async with database.read() as connection:
        rows = await connection.execute(text("SELECT id, created_at FROM tenant"))
        assert [tuple(row) for row in rows] == [("acme", 1)]


async def test_from_the_first_schema_up_nothing_that_was_said_is_lost(database: Database) -> None:
    await upgrade(database.writer, "0001")
    async with database.write() as connection:
        for row in (
            "INSERT INTO tenant (id, created_at) VALUES ('acme', 1)",
            "INSERT INTO scope (key, tenant, user_id, created_at) VALUES (5, 'acme', 'a', 1)",
            "INSERT INTO issued (scope_key, fingerprint, first_at, last_at) VALUES (5, 7, 1, 1)",
        ):
            await connection.execute(text(row))
    await upgrade(database.writer)
    assert await differences(database) == []
    async with database.read() as connection:
        kept = (await connection.execute(text("SELECT key, tenant FROM scope"))).all()
        shown = (await connection.execute(text("SELECT count(*) FROM issued"))).scalar_one()
    assert ([tuple(row) for row in kept], shown) == ([(5, "acme")], 0)


async def test_what_was_said_last_is_told_of_what_was_stored_before(database: Database) -> None:
    places = [(7, "7" * 32), (8, "8" * 32)]
    said = [(1, 7, 0, 20), (2, 7, 1, 30), (3, 7, 2, 10)]
    await upgrade(database.writer, "0006")
    async with database.write() as connection:
        for row in (
            "INSERT INTO tenant (id, created_at) VALUES ('acme', 1)",
            "INSERT INTO scope (key, tenant, user_id, created_at) VALUES (5, 'acme', 'a', 1)",
            *(_A_CONVERSATION.format(key=key, id=told) for key, told in places),
            *(_A_MESSAGE.format(key=k, of=of, position=p, at=at) for k, of, p, at in said),
        ):
            await connection.execute(text(row))
    await upgrade(database.writer)
    async with database.read() as connection:
        asked = text("SELECT key, last_message_at FROM conversation ORDER BY key")
        assert [tuple(row) for row in await connection.execute(asked)] == [(7, 30), (8, None)]


async def downgrade(database: Database, revision: str = "base") -> None:
    def down(connection: Connection) -> None:
        config = alembic_config()
        config.attributes["connection"] = connection
        command.downgrade(config, revision)

    async with database.writer.begin() as connection:
        await connection.run_sync(down)


async def test_down_leaves_nothing_and_up_works_again(database: Database) -> None:
    for _ in range(2):
        await upgrade(database.writer)
        await downgrade(database)
        assert await names(database) == {"alembic_version"}
        assert await versions(database) == []
    await upgrade(database.writer)
    assert await differences(database) == []


async def test_vectors_stay_where_those_of_words_come_and_go(database: Database) -> None:
    await upgrade(database.writer)
    e = d.embedding
    vectors = {"model_key": 1, "vector": b"\1\2", "in_context": b"\3\4", "words": b"\5"}
    async with database.write() as connection:
        model = {"key": 1, "name": "m", "dimension": 1, "created_at": datetime.now(UTC)}
        await connection.execute(insert(d.embedding_model), model)
        await connection.execute(insert(e), [{"item_key": key, **vectors} for key in (8, 4)])
    await downgrade(database, "0008")
    await upgrade(database.writer)
    assert await differences(database) == []
    async with database.read() as connection:
        rows = await connection.execute(select(e).order_by(e.c.item_key))
        assert [tuple(row) for row in rows] == [(1, key, b"\1\2", b"\3\4", None) for key in (4, 8)]


async def test_full_text_can_be_written_and_asked(database: Database) -> None:
    await upgrade(database.writer)
    if database.writer.dialect.name == "sqlite":
        write = "INSERT INTO full_text (rowid, terms, place) VALUES (4, '1:dog', 'c1')"
        ask = "SELECT rowid FROM full_text WHERE full_text MATCH 'terms : \"1:dog\"'"
    else:
        write = "INSERT INTO full_text VALUES (4, array_to_tsvector(ARRAY['1:dog', 'c1']))"
        ask = "SELECT item_key FROM full_text WHERE document @@ '''1:dog'''::tsquery"
    async with database.write() as connection:
        await connection.execute(text(write.replace(":dog", r"\:dog")))
        found = await connection.execute(text(ask.replace(":dog", r"\:dog")))
        assert list(found.scalars()) == [4]


async def test_fts5_tells_how_frequent_a_term_is(tmp_path: Path) -> None:
    database = open_database(f"sqlite+aiosqlite:///{tmp_path / 'store.db'}")
    await upgrade(database.writer)
    async with database.read() as connection:
        rows = await connection.execute(text("SELECT count(*) FROM full_text_vocabulary"))
        assert rows.scalar_one() == 0
    await database.dispose()


async def test_an_upgrade_that_fails_leaves_nothing(database: Database) -> None:
    async with database.write() as connection:
        await connection.execute(text("CREATE TABLE message (in_the_way INTEGER)"))
    with pytest.raises(Exception, match="message"):
        await upgrade(database.writer)
    assert await names(database) - {"alembic_version"} == {"message"}


async def test_tasks_that_upgrade_at_once_all_end_well(database: Database) -> None:
    await asyncio.gather(*(upgrade(database.writer) for _ in range(3)))
    assert await differences(database) == []
    assert len(await versions(database)) == 1


async def test_processes_that_upgrade_at_once_all_end_well(url: str, database: Database) -> None:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    processes = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", UPGRADE, url),
            env=environment,
            cwd=ROOT,
            stderr=subprocess.PIPE,
        )
        for _ in range(3)
    ]
    ended = await asyncio.gather(*(process.communicate() for process in processes))
    complaints = [stderr.decode()[-2_000:] for _, stderr in ended]
    assert ([process.returncode for process in processes], complaints) == ([0] * 3, [""] * 3)
    assert await differences(database) == []
    assert len(await versions(database)) == 1


def test_the_migrations_are_found_wherever_they_are_installed() -> None:
    assert alembic_config().get_main_option("script_location") == str(ROOT / "migrations")


def test_the_names_of_the_migrations_tell_what_alembic_reads_in_them() -> None:
    scripts = ScriptDirectory.from_config(alembic_config())
    assert known_revisions() == {each.revision for each in scripts.walk_revisions()}
    assert [head()] == scripts.get_heads()


def test_alembic_is_not_imported_where_the_schema_is_there(tmp_path: Path) -> None:
    url = f"sqlite+aiosqlite:///{tmp_path / 'store.db'}"
    told = [
        subprocess.run(
            [sys.executable, "-c", f"{UPGRADE}\nprint('alembic' in sys.modules)", url],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for _ in range(2)
    ]
    assert told == ["True", "False"]

"""A backup of a release that had fewer tables is restored, and what it lacks is made anew."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from sqlalchemy import text

from app.adapters.sql.copies.backup import restore_rows, unpacked, write_backup
from app.adapters.sql.database import Database, open_database
from app.adapters.sql.migrate import upgrade
from app.adapters.sql.store import SqlStore
from app.services.indexing.labelling import LabelIndexer
from tests.stored import ACME, NOON, scope_now

OF_BEFORE = "0004"
ROWS = (
    "INSERT INTO tenant (id, created_at) VALUES ('acme', 1)",
    "INSERT INTO scope (key, tenant, user_id, created_at) VALUES (5, 'acme', 'alice', 1)",
    """
    INSERT INTO conversation (key, id, scope_key, label, importance, metadata, archived,
        created_at, updated_at, written_at, message_count, token_count)
    VALUES (7, '00000000000000000000000000000007', 5, 'Project Atlas kickoff', 5, '{}', 0,
        1, 1, 1, 0, 0)
    """,
)


async def backup_of_before(directory: Path) -> Path:
    before = open_database(f"sqlite+aiosqlite:///{directory / 'before.db'}", durable=False)
    archive = directory / "backup.zip"
    try:
        await upgrade(before.writer, OF_BEFORE)
        async with before.write() as connection:
            for row in ROWS:
                await connection.execute(text(row))
        manifest = await write_backup(before, archive, foreword="0.0.9", now=NOON)
    finally:
        await before.dispose()
    assert (manifest.schema, manifest.rows["conversation"]) == (OF_BEFORE, 1)
    assert "label_term" not in manifest.rows
    return archive


@asynccontextmanager
async def restored(file: Path, database: Database) -> AsyncIterator[Database]:
    """A database with what is in the file: on SQLite the file itself."""
    if database.writer.dialect.name == "postgresql":
        await restore_rows(file, database, force=False)
        yield database
        return
    itself = open_database(f"sqlite+aiosqlite:///{file}", durable=False)
    yield itself
    await itself.dispose()


async def test_its_labels_are_indexed(tmp_path: Path, database: Database) -> None:
    archive = await backup_of_before(tmp_path)
    async with unpacked(archive, tmp_path) as (file, _), restored(file, database) as there:
        store = SqlStore(there)
        assert not (await scope_now(store)).has_labels
        await LabelIndexer(store=store).tick()
        scope = await scope_now(store)
        async with store.read(ACME) as snapshot:
            read = snapshot.conversations
            labels = await read.labelled([scope.key], terms=["atlas"], limit=9)
    assert labels == {7: "Project Atlas kickoff"}

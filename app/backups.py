"""Backups of a data directory: written while a server serves, brought back where none does."""

import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from app import __version__
from app.adapters.private import own_directory
from app.adapters.sql.backup import Manifest, restore_rows, unpacked, write_backup
from app.adapters.sql.database import Database, open_database
from app.adapters.sql.migrate import migrated
from app.adapters.sql.store import SqlStore
from app.domain.audit import Action
from app.domain.errors import RestoreRefused, StoreUnavailable
from app.domain.watching import Watch
from app.services.logbook import Logbook
from app.settings import Settings, revealed


async def back_up(settings: Settings, file: Path, watch: Watch) -> Manifest:
    """
    Write all that cannot be made again into `file`, and tell what is in it.

    Raises:
        StoreUnavailable: There is no database, or it does not answer.
    """
    patience = settings.database.busy_timeout_s
    database = open_database(settings.database_url, busy_timeout=patience)
    there = settings.database_file
    if there is not None and not there.exists():
        raise StoreUnavailable(f"there is no database at {there}")
    try:
        async with _logbook(settings, database).noting(Action.BACKUP_WRITTEN) as facts:
            manifest = await write_backup(
                database, file, foreword=__version__, now=_now(), watch=watch
            )
            facts.update(manifest.counts())
        return manifest
    finally:
        await database.dispose()


async def restore(settings: Settings, file: Path, watch: Watch, *, force: bool) -> Manifest:
    """
    Bring a backup back, of either database to either; what was there before only with `force`.

    Raises:
        RestoreRefused: Something is there already.
        BackupUnusable: It is no backup, or one that this release cannot read.
    """
    target = settings.database_file
    room = settings.data_dir if target is None else target.parent
    own_directory(room)
    if target is not None and target.exists() and not force:
        raise RestoreRefused(f"{target} is there already; --force replaces it")
    async with unpacked(file, room, watch) as (database, manifest):
        await _note_restore(settings, database, manifest)
        if target is None:
            await _restore_to_server(settings, database, watch, force=force)
            await _forget_vectors(settings)
        else:
            await _forget_vectors(settings)
            _replace(target, database)
    return manifest


async def _note_restore(settings: Settings, file: Path, manifest: Manifest) -> None:
    """In the log of what is brought back, before anybody sees it: its own goes with it."""
    database = open_database(f"sqlite+aiosqlite:///{file}")
    try:
        async with _logbook(settings, database).noting(Action.BACKUP_RESTORED) as facts:
            facts.update(manifest.counts())
    finally:
        await database.dispose()


def _logbook(settings: Settings, database: Database) -> Logbook:
    return Logbook(store=SqlStore(database), clock=_now, tenant=settings.keys.logged_under)


def _now() -> datetime:
    return datetime.now(UTC)


async def _restore_to_server(settings: Settings, file: Path, watch: Watch, *, force: bool) -> None:
    async with migrated(settings.database_url) as database:
        await restore_rows(file, database, force=force, watch=watch)


async def _forget_vectors(settings: Settings) -> None:
    """Their keys may mean something else from now on."""
    shutil.rmtree(settings.vectors_dir, ignore_errors=True)
    chosen = settings.qdrant
    if chosen.url is not None:
        from app.adapters.vectors import forget_server_indexes  # noqa: PLC0415  (slow)

        await forget_server_indexes(
            chosen.url,
            prefix=chosen.collection,
            api_key=revealed(chosen.api_key),
            attempt_seconds=chosen.timeout_s,
        )


def _replace(target: Path, database: Path) -> None:
    """Put `database` in the place of `target`, of which nothing is left that could mix with it."""
    if target.exists():
        with closing(sqlite3.connect(target)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for suffix in ("-wal", "-shm"):
        target.with_name(target.name + suffix).unlink(missing_ok=True)
    database.replace(target)

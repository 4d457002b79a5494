"""Backups of a data directory: written while a server serves, brought back where none does."""

import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from logging import getLogger
from pathlib import Path

from app import __version__
from app.adapters.private import own_directory
from app.adapters.sql.copies.admitting import keep_keys
from app.adapters.sql.copies.backup import Manifest, restore_rows, unpacked, write_backup
from app.adapters.sql.copies.carrying import Line, carry_over
from app.adapters.sql.copies.in_use import others_at
from app.adapters.sql.database import Database, open_database
from app.adapters.sql.migrate import migrated
from app.adapters.sql.store import SqlStore
from app.domain.audit import Action
from app.domain.errors import RestoreRefused, StoreDamaged, StoreUnavailable
from app.domain.watching import Watch
from app.services.common.logbook import Logbook
from app.services.indexing.rebuilding import Rebuilder
from app.services.moving.erasing_again import UNDOING, EraserAgain, takes_away
from app.settings import Settings, revealed

_log = getLogger(__name__)

_KEYS_UNREAD = (
    "the keys to what is there cannot be read: those of the backup open it, also where they were "
    "revoked since, and where it has none, anybody on this machine; see `foreword keys list`"
)

_LEAVING = 3.0
"""Seconds in which the server of a database notices that a process has ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Since:
    """What was done since a backup was taken, and what became of it when that was restored."""

    log_lines: int = 0
    """Of the audit log: they are kept."""
    done_again: Sequence[Line] = ()
    """Erasures and revocations of what the backup held."""
    undone: Sequence[Line] = ()
    """The same, where it was wanted that they are not done again."""
    log_unread: bool = False
    keys_kept: int = 0
    """Of what was replaced, closed ones too: the backup's did not come. 0: it never had one."""
    keys_unread: bool = False

    def counts(self) -> dict[str, object]:
        times = [each.at for each in (*self.done_again, *self.undone)]
        told: dict[str, object] = {
            "log_lines_kept": self.log_lines,
            "erased_again": len(self.done_again),
            "erasures_undone": len(self.undone),
            "keys_kept": self.keys_kept,
        }
        if times:
            told |= {"first_at": min(times).isoformat(), "last_at": max(times).isoformat()}
        unread = {"log_unread": self.log_unread, "keys_unread": self.keys_unread}
        return told | {name: True for name, is_so in unread.items() if is_so}

    def warnings(self) -> Sequence[str]:
        """Lines for whoever restores, before anything is replaced."""
        keys = _KEYS_UNREAD if self.keys_unread else None
        return [line for line in (self._erased(), keys) if line is not None]

    def _erased(self) -> str | None:
        if self.log_unread:
            return "what was erased since the backup comes back, and no log tells what that is"
        several = self.undone or self.done_again
        if not several:
            return None
        times = [each.at.isoformat(timespec="seconds") for each in several]
        what = "are not done again: what they erased is back" if self.undone else "are done again"
        return (
            f"{len(several):,} erasures and revocations since the backup, "
            f"from {min(times)} to {max(times)}, {what}"
        )


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


async def restore(
    settings: Settings,
    file: Path,
    watch: Watch,
    *,
    force: bool,
    bring_back_erased: bool = False,
    warn: Callable[[str], None] = _log.warning,
) -> tuple[Manifest, Since]:
    """
    Bring a backup back, of either database to either; what was there before only with `force`.

    What was erased since the backup was taken is erased of it, too, before anybody sees it, unless
    `bring_back_erased`; the audit log goes on. `warn` is told of either before anything is
    replaced. Where what was there ever had a key, its keys stay, and the backup's do not come.

    Raises:
        RestoreRefused: Something is there already or in use, or nobody can read what was erased, or
            who may get in.
        BackupUnusable: It is no backup, or one that this release cannot read.
    """
    target = settings.database_file
    room = settings.data_dir if target is None else target.parent
    own_directory(room)
    if target is None:
        await _check_unused(settings.database_url)
    elif target.exists() and not force:
        raise RestoreRefused(f"{target} is there already; --force replaces it")
    async with unpacked(file, room, watch) as (database, manifest):
        since = await _carried(settings, database, manifest, again=not bring_back_erased)
        for line in since.warnings():
            warn(line)
        await _note_restore(settings, database, manifest, since)
        if target is None:
            await _restore_to_server(settings, database, watch, force=force)
            await _forget_vectors(settings)
        else:
            await _forget_vectors(settings)
            _replace(target, database)
    return manifest, since


async def _check_unused(url: str) -> None:
    """What others answer from must not be replaced under them."""
    if there := await others_at(url, patience=_LEAVING):
        told = f"{there[0]}, and {len(there) - 1} more" if there[1:] else there[0]
        raise RestoreRefused(f"Foreword is running on the database ({told}): stop it first")


@asynccontextmanager
async def _replaced(settings: Settings) -> AsyncIterator[Database | None]:
    """What is there already, if anything is."""
    target = settings.database_file
    if target is not None and not target.exists():
        yield None
    elif target is not None:
        async with _opened(target) as database:
            yield database
    else:
        async with migrated(settings.database_url) as database:
            yield database


@asynccontextmanager
async def _opened(file: Path) -> AsyncIterator[Database]:
    database = open_database(f"sqlite+aiosqlite:///{file}")
    try:
        yield database
    finally:
        await database.dispose()


async def _heed(replaced: Database | None, file: Path, manifest: Manifest, *, again: bool) -> Since:
    """Carry over what the log says since, and erase what was erased since, if it is to be."""
    if replaced is None:
        return Since()
    async with _opened(file) as copy:
        try:
            carried, lines = await carry_over(
                replaced, copy, taken_at=manifest.taken_at, wanted=UNDOING
            )
        except (StoreDamaged, StoreUnavailable) as error:
            if again:
                raise RestoreRefused(
                    f"the audit log of what is there cannot be read ({error}), so what was erased "
                    "since the backup is not known; --bring-back-erased restores all of it"
                ) from error
            return Since(log_unread=True)
        gone = [each for each in lines if takes_away(each.deed)]
        revoked = [each for each in gone if each.deed.action is Action.KEY_REVOKED]
        store = SqlStore(copy)
        if again:  # a copy of PostgreSQL has no full text to erase from
            await Rebuilder(store=store).begin()
        eraser = EraserAgain(store=store, clock=_now)
        due = gone if again else revoked  # which no one can want back with what was erased
        found = [each for each in due if await eraser.again(each.tenant, each.deed)]
    left = [] if again else [each for each in gone if each.deed.action is not Action.KEY_REVOKED]
    return Since(log_lines=carried, done_again=found, undone=left)


async def _carried(settings: Settings, file: Path, manifest: Manifest, *, again: bool) -> Since:
    """What of the store that is replaced goes on in the copy: its audit log, and its keys."""
    async with _replaced(settings) as replaced:
        since = await _heed(replaced, file, manifest, again=again)
        return await _keep_keys(since, replaced, file, or_refuse=again)


async def _keep_keys(
    since: Since, replaced: Database | None, file: Path, *, or_refuse: bool
) -> Since:
    """Let those in whom what is replaced lets in, if it ever had a key, and nobody else."""
    if replaced is None:
        return since
    async with _opened(file) as copy:
        try:
            return replace(since, keys_kept=await keep_keys(replaced, copy))
        except (StoreDamaged, StoreUnavailable) as error:
            if or_refuse:
                raise RestoreRefused(
                    f"the keys to what is there cannot be read ({error}), so who may get in is not "
                    "known; --bring-back-erased restores those of the backup"
                ) from error
            return replace(since, keys_unread=True)


async def _note_restore(settings: Settings, file: Path, manifest: Manifest, since: Since) -> None:
    """In the log of what is brought back, before anybody sees it."""
    async with (
        _opened(file) as database,
        _logbook(settings, database).noting(Action.BACKUP_RESTORED) as facts,
    ):
        facts.update(manifest.counts() | since.counts())


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
        with closing(sqlite3.connect(target)) as connection, suppress(sqlite3.DatabaseError):
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for suffix in ("-wal", "-shm"):
        target.with_name(target.name + suffix).unlink(missing_ok=True)
    database.replace(target)

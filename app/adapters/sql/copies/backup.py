"""
Backups: one file with all that cannot be made again.

A ZIP archive of an SQLite database (rows and embeddings; vectors are made from those) and of a
manifest with its checksum. It appears whole or not at all, and is checked whole before it is used.
"""

import asyncio
import hashlib
import json
import os
import sqlite3
import zipfile
import zlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, closing
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from sqlalchemy import select

from app.adapters.private import own_file
from app.adapters.rooms import BACKUP, RESTORE, room_in
from app.adapters.sql import tables as t
from app.adapters.sql.copies.copying import clear, copy_file, copy_rows, counts
from app.adapters.sql.database import Database, open_database
from app.adapters.sql.migrate import known_revisions, revision_of, upgrade
from app.domain.errors import BackupUnusable, RestoreRefused, StoreUnavailable
from app.domain.ids import TenantId
from app.domain.watching import BYTES, Step, Watch, unwatched

_YEARS = range(2020, 9_999)
_FORMAT, _VERSION = "foreword-backup", 1
_DATABASE, _MANIFEST = "foreword.db", "manifest.json"
_PIECE = 2**20
_LOOK_AGAIN = 0.2
_DAMAGED = (
    *(OSError, EOFError, KeyError, ValueError, TypeError, RuntimeError),
    *(zipfile.BadZipFile, zlib.error),
)
"""What reading an archive raises, whichever of its bytes is another."""
_QUICKLY = 1
"""The level of compression: half of a backup are vectors, which hardly get smaller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a backup says of itself. `rows` are told by table."""

    created_at: str
    foreword: str
    schema: str
    sha256: str
    bytes: int
    rows: Mapping[str, int]
    format: str = _FORMAT
    version: int = _VERSION

    @property
    def taken_at(self) -> datetime:
        return datetime.fromisoformat(self.created_at).astimezone(UTC)

    def counts(self) -> dict[str, object]:
        """What the audit log tells of it: how much it holds, and by what it is known again."""
        told = {f"{name}s": self.rows[name] for name in ("conversation", "message", "memory_item")}
        return {**told, "taken_at": self.created_at, "sha256": self.sha256}


async def write_backup(
    database: Database, target: Path, *, foreword: str, now: datetime, watch: Watch = unwatched
) -> Manifest:
    """
    Write a backup of this moment to `target`, while others read and write.

    Raises:
        StoreUnavailable: The database cannot be read, or the file cannot be written.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        async with room_in(target.parent, BACKUP) as room:
            file = room / _DATABASE
            await _copy(database, file, watch)
            facts = await _facts(file)
            manifest = Manifest(
                created_at=now.isoformat(),
                foreword=foreword,
                sha256=await asyncio.to_thread(_sha256, file),
                bytes=file.stat().st_size,
                **facts,
            )
            draft = room / "backup"
            await asyncio.to_thread(_pack, file, manifest, draft, watch)
            await asyncio.to_thread(_put, draft, target)
    except (OSError, sqlite3.Error) as error:
        raise StoreUnavailable(f"the backup could not be written: {error}") from error
    return manifest


@asynccontextmanager
async def unpacked(
    archive: Path, room: Path, watch: Watch = unwatched
) -> AsyncIterator[tuple[Path, Manifest]]:
    """
    The database of a backup, as a file in the folder `room`, whole and of this release's schema.

    Raises:
        BackupUnusable: It is none, is damaged, or is of a later release.
    """
    async with room_in(room, RESTORE) as directory:
        file = directory / _DATABASE
        manifest = await asyncio.to_thread(_unpack, archive, file, watch)
        if (await _facts(file))["rows"] != manifest.rows:
            raise BackupUnusable("it holds other rows than it says")
        database = open_database(f"sqlite+aiosqlite:///{file}")
        try:
            await upgrade(database.writer)
        finally:
            await database.dispose()
        yield file, manifest


async def is_empty(database: Database, *, but_for: TenantId | None = None) -> bool:
    """Whether nothing was ever stored in a database that is migrated, or only by this tenant."""
    others = select(t.tenant.c.id).where(t.tenant.c.id.is_distinct_from(but_for)).limit(1)
    async with database.read() as connection:
        return (await connection.execute(others)).first() is None


async def restore_rows(
    file: Path, database: Database, *, force: bool, watch: Watch = unwatched
) -> None:
    """
    Put the rows of an SQLite database into an empty PostgreSQL database, all or none.

    Raises:
        RestoreRefused: It is not empty, and `force` does not say that this may be lost.
    """
    source = open_database(f"sqlite+aiosqlite:///{file}")
    try:
        if not (force or await is_empty(database)):
            raise RestoreRefused("the database is not empty")
        async with source.moment() as reading, database.write() as writing:
            await clear(writing)
            await copy_rows(reading, writing, watch)
            if await counts(writing) != await counts(reading):
                raise BackupUnusable("other rows arrived than were sent")
    finally:
        await source.dispose()


async def _copy(database: Database, file: Path, watch: Watch) -> None:
    address = database.writer.url
    if address.get_backend_name() == "sqlite":
        await _copy_file(Path(address.database or ""), file, watch)
        return
    target = open_database(f"sqlite+aiosqlite:///{file}", durable=False)
    try:
        await upgrade(target.writer)
        async with database.moment() as reading, target.write() as writing:
            await copy_rows(reading, writing, watch)
    finally:
        await target.dispose()


async def _copy_file(source: Path, file: Path, watch: Watch) -> None:
    """Nobody tells how far it is: the copy grows to about the size of the source."""
    copying = asyncio.create_task(asyncio.to_thread(copy_file, source, file))
    while not (await asyncio.wait({copying}, timeout=_LOOK_AGAIN))[0]:
        watch(_copied(source, file))
    await copying


def _copied(source: Path, file: Path) -> Step:
    there = file.stat().st_size if file.exists() else 0
    return Step(name="copying", done=there, total=max(there, source.stat().st_size), unit=BYTES)


async def _facts(file: Path) -> dict[str, Any]:
    """What the manifest tells of a database: its rows by table, and its schema."""
    database = open_database(f"sqlite+aiosqlite:///{file}", readers=1)
    try:
        async with database.read() as connection:
            return {
                "rows": await counts(connection),
                "schema": await connection.run_sync(revision_of),
            }
    finally:
        await database.dispose()


def _pack(file: Path, manifest: Manifest, draft: Path, watch: Watch) -> None:
    with zipfile.ZipFile(
        draft, "w", zipfile.ZIP_DEFLATED, compresslevel=_QUICKLY, allowZip64=True
    ) as archive:
        with file.open("rb") as read, archive.open(_DATABASE, "w", force_zip64=True) as packed:
            _pour(read, packed, "packing", manifest.bytes, watch)
        archive.writestr(_MANIFEST, json.dumps(asdict(manifest), indent=2))


def _put(draft: Path, target: Path) -> None:
    """In its place, for good."""
    with draft.open("rb") as written:
        os.fsync(written.fileno())
    draft.chmod(0o600)
    draft.replace(target)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _unpack(archive: Path, file: Path, watch: Watch) -> Manifest:
    own_file(file)
    try:
        with zipfile.ZipFile(archive) as opened:
            manifest = _read(opened.read(_MANIFEST))
            with opened.open(_DATABASE) as packed, file.open("wb") as out:
                _pour(packed, out, "unpacking", manifest.bytes, watch)
    except _DAMAGED as error:
        raise BackupUnusable(f"{archive} is no backup, or is damaged: {error}") from error
    if file.stat().st_size != manifest.bytes or _sha256(file) != manifest.sha256:
        raise BackupUnusable(f"{archive} is damaged: its checksum differs")
    if manifest.schema not in known_revisions():
        raise BackupUnusable(f"it is of another release, {manifest.foreword}, that we do not know")
    with closing(sqlite3.connect(file)) as connection:
        told = [line for (line,) in connection.execute("PRAGMA quick_check(5)")]
    if told != ["ok"]:
        raise BackupUnusable(f"the database in it is damaged: {told[0]}")
    return manifest


def _pour(source: IO[bytes], target: IO[bytes], name: str, size: int, watch: Watch) -> None:
    while piece := source.read(_PIECE):
        target.write(piece)
        watch(Step(name=name, done=source.tell(), total=size, unit=BYTES))


def _read(text_: bytes) -> Manifest:
    told = json.loads(text_)
    if told.get("format") != _FORMAT or told.get("version") != _VERSION:
        raise ValueError("it is of a format that this release does not know")
    if datetime.fromisoformat(told["created_at"]).year not in _YEARS:
        raise ValueError("it is of a time that cannot be")
    return Manifest(**told)


def _sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()

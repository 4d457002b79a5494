"""A backup with another byte is told to be damaged, whatever that byte was there for."""

import zipfile
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.adapters.sql.copies.backup import unpacked, write_backup
from app.adapters.sql.database import open_database
from app.domain.errors import BackupUnusable

NOW = datetime(2026, 11, 22, tzinfo=UTC)


@pytest.fixture
async def whole(tmp_path: Path, sqlite_template: Path) -> bytes:
    database = open_database(f"sqlite+aiosqlite:///{sqlite_template}")
    try:
        await write_backup(database, tmp_path / "whole.zip", foreword="0", now=NOW)
    finally:
        await database.dispose()
    return (tmp_path / "whole.zip").read_bytes()


def flipped(whole: bytes) -> Iterator[bytes]:
    """With one byte otherwise, each time another one."""
    for at in range(0, len(whole), max(1, len(whole) // 200)):
        yield whole[:at] + bytes([whole[at] ^ 255]) + whole[at + 1 :]


def cannot_be_inflated(file: Path) -> bool:
    try:
        with zipfile.ZipFile(file) as archive:
            archive.testzip()
    except zlib.error:
        return True
    except Exception:  # noqa: BLE001  (anything else is another damage)
        return False
    return False


async def test_what_cannot_be_inflated_is_refused(tmp_path: Path, whole: bytes) -> None:
    file, refused = tmp_path / "damaged.zip", 0
    for damaged in flipped(whole):
        file.write_bytes(damaged)
        if cannot_be_inflated(file):
            with pytest.raises(BackupUnusable, match="is no backup, or is damaged"):
                async with unpacked(file, tmp_path):
                    pass
            refused += 1
    assert refused


async def test_one_other_byte_never_breaks_the_reading(tmp_path: Path, whole: bytes) -> None:
    file, refused = tmp_path / "damaged.zip", 0
    for damaged in flipped(whole):
        file.write_bytes(damaged)
        try:
            async with unpacked(file, tmp_path):
                pass
        except BackupUnusable:
            refused += 1
    assert refused > 100

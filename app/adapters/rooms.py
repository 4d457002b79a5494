"""Folders in which a backup is made or unpacked, each with the whole database in it."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

BACKUP, RESTORE = ".backup-", ".restore-"
"""How their names begin."""

BACKUPS = "backups"
"""Where in a data directory a service leaves its backups."""


@asynccontextmanager
async def room_in(place: Path, prefix: str) -> AsyncIterator[Path]:
    """
    A folder in `place` for a while; to remove a large file stops a thread, not the loop.

    It is removed also where whoever waits for that is cancelled.
    """
    room = tempfile.TemporaryDirectory(prefix=prefix, dir=place)
    try:
        yield Path(room.name)
    finally:
        await asyncio.shield(asyncio.get_running_loop().run_in_executor(None, room.cleanup))


def sweep(directory: Path) -> None:
    """Remove what killed processes left in a data directory, which nobody else has open."""
    for place in (directory, directory / BACKUPS):
        for prefix in (BACKUP, RESTORE):
            for room in place.glob(f"{prefix}*/"):
                shutil.rmtree(room, ignore_errors=True)

"""Folders in which a backup is made or unpacked, each with the whole database in it."""

import shutil
from pathlib import Path

BACKUP, RESTORE = ".backup-", ".restore-"
"""How their names begin."""

BACKUPS = "backups"
"""Where in a data directory a service leaves its backups."""


def sweep(directory: Path) -> None:
    """Remove what killed processes left in a data directory, which nobody else has open."""
    for place in (directory, directory / BACKUPS):
        for prefix in (BACKUP, RESTORE):
            for room in place.glob(f"{prefix}*/"):
                shutil.rmtree(room, ignore_errors=True)

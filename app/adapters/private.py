"""What the service makes on disk is for its owner only; what was there is left as it is."""

import os
from contextlib import suppress
from pathlib import Path

from app.domain.errors import DirectoryUnusable


def own_directory(path: Path) -> None:
    """
    Make a directory, if there is none.

    Raises:
        DirectoryUnusable: It cannot be made, or not be written to.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        why = f"nothing can be kept in {path}: {error.strerror}"
        raise DirectoryUnusable(why) from error
    if not os.access(path, os.W_OK | os.X_OK):
        raise DirectoryUnusable(f"nothing can be kept in {path}: it cannot be written to")


def own_file(path: Path) -> None:
    """Make an empty file, if there is none; what cannot be made, whoever opens it will tell."""
    with suppress(OSError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))

"""What the service makes on disk is for its owner only; what was there is left as it is."""

import os
from contextlib import suppress
from pathlib import Path


def own_directory(path: Path) -> None:
    """Make a directory, if there is none."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)


def own_file(path: Path) -> None:
    """Make an empty file, if there is none; what cannot be made, whoever opens it will tell."""
    with suppress(OSError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))

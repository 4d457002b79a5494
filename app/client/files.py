"""What a client takes to be imported: a file by its path, or what it holds."""

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

Sent = str | os.PathLike[str] | bytes | IO[bytes] | Iterable[bytes]
"""A path, or bytes, however they come."""


def found(file: Sent) -> Path | bytes | IO[bytes] | Iterable[bytes]:
    """
    A path as such, and the rest as it is.

    Raises:
        FileNotFoundError: Nothing lies under the path.
    """
    if not isinstance(file, str | os.PathLike):
        return file
    path = Path(file)
    if not path.exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    return path


@contextmanager
def opened(
    file: Path | bytes | IO[bytes] | Iterable[bytes],
) -> Iterator[bytes | IO[bytes] | Iterable[bytes]]:
    """What lies under a path, as long as it is read; the rest as it is, and nobody closes it."""
    if not isinstance(file, Path):
        yield file
        return
    with file.open("rb") as told:
        yield told

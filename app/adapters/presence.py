"""
Who has a data directory open, and where to reach them.

A lock on a file tells whether anybody has; the system frees it however a process ends. A server
also leaves its address there, with a key that opens it to whoever may read the owner's files. Whom
that led to it has a share in a second lock: a server that ends by itself waits until it is free.
"""

import fcntl
import json
import os
import secrets
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from logging import getLogger
from pathlib import Path
from urllib.parse import urlsplit

from app.adapters.private import own_directory
from app.adapters.rooms import sweep
from app.domain.errors import DataDirectoryInUse
from app.domain.keys import LOCAL_PREFIX

_log = getLogger(__name__)

_LOCK, _ADDRESS, _VISITS = "foreword.lock", "server.json", "foreword.visits"
_LOOK_AGAIN = 0.02
_CONNECTED_WITHIN = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a server listens, and the key that it takes from commands on this machine."""

    url: str
    key: str
    pid: int


def local_key() -> str:
    """A new key, which no one can guess and which does not look like an API key."""
    return f"{LOCAL_PREFIX}{secrets.token_urlsafe(32)}"


def free_port() -> socket.socket:
    """
    A socket of this machine, bound to a port that nobody has.

    It names its protocol: asyncio sends small pieces at once (TCP_NODELAY) only where it reads that
    it is TCP. Otherwise the second piece of an answer waits for the first to be acknowledged, which
    its reader puts off for 40 ms.
    """
    opened = socket.socket(proto=socket.IPPROTO_TCP)
    opened.bind(("127.0.0.1", 0))
    return opened


@contextmanager
def held(directory: Path) -> Iterator[None]:
    """
    Have `directory` alone.

    Raises:
        DataDirectoryInUse: Another process has it.
    """
    own_directory(directory)
    with (directory / _LOCK).open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            there = find_server(directory)
            where = f" and serves at {there.url}" if there else ""
            raise DataDirectoryInUse(
                f"another process has this data directory open{where}"
            ) from error
        (directory / _ADDRESS).unlink(missing_ok=True)  # of one that was killed
        sweep(directory)
        yield


@contextmanager
def telling(directory: Path, url: str, key: str) -> Iterator[None]:
    """
    Leave the address of this process, which holds `directory`, for its owner's eyes only.

    Where there is no room for it, the log says so: commands on this machine do not find the way.
    """
    path = directory / _ADDRESS
    try:
        _leave(path, Address(url=url, key=key, pid=os.getpid()))
    except OSError as error:
        path.unlink(missing_ok=True)
        reason = error.strerror or str(error)
        _log.warning("commands will not find this server", extra={"reason": reason})
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def _leave(path: Path, address: Address) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(asdict(address), file)


def find_server(directory: Path) -> Address | None:
    """What the server of `directory` left there, which may be one that was killed."""
    try:
        return Address(**json.loads((directory / _ADDRESS).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


@contextmanager
def held_or_visited(directory: Path, *, seconds: float) -> Iterator[Address | None]:
    """
    Have `directory` alone (None), or visit the server that has it, which does not end meanwhile.

    A server may take so many seconds to begin to listen.

    Raises:
        DataDirectoryInUse: Another process has it, and does not listen in time.
    """
    with ExitStack() as stack:
        yield _opened(directory, stack, until=time.monotonic() + seconds)


def see_off(directory: Path, *, seconds: float) -> None:
    """Wait until nobody visits any more, but no longer than so many seconds."""
    until = time.monotonic() + seconds
    with (directory / _VISITS).open("a") as file:
        while time.monotonic() < until:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(_LOOK_AGAIN)
            else:
                return


def _opened(directory: Path, stack: ExitStack, *, until: float) -> Address | None:
    while True:
        try:
            stack.enter_context(held(directory))
        except DataDirectoryInUse:
            if (server := _visited(directory, stack)) is not None:
                return server
            if time.monotonic() >= until:
                raise
            time.sleep(_LOOK_AGAIN)
        else:
            return None


def _visited(directory: Path, stack: ExitStack) -> Address | None:
    """The server, if one listens: the share comes first, so that it cannot end in between."""
    with ExitStack() as own:
        file = own.enter_context((directory / _VISITS).open("a"))
        fcntl.flock(file, fcntl.LOCK_SH)
        server = find_server(directory)
        if server is None or not _listens(server):
            return None
        stack.push(own.pop_all())
        return server


def _listens(server: Address) -> bool:
    there = urlsplit(server.url)
    try:
        socket.create_connection((there.hostname, there.port), _CONNECTED_WITHIN).close()
    except OSError:
        return False
    return True

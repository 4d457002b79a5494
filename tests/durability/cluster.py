"""A PostgreSQL cluster of a test's own, from the binaries of the system, on a port of its own."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

PLACES = ("/usr/lib/postgresql", "/usr/local/pgsql", "/opt/homebrew/opt/postgresql")
UNPRIVILEGED = ("postgres", "nobody")


@dataclass(frozen=True)
class Cluster:
    binaries: Path
    directory: Path
    port: int
    user: str

    @property
    def url(self) -> str:
        return f"postgresql+asyncpg://{self.user}@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        options = f"-p {self.port} -h 127.0.0.1 -k {self.directory} -c fsync=off"
        self._control("start", "-o", options, "-l", str(self.directory / "log"))

    def stop(self, mode: str = "immediate") -> None:
        """`immediate` is a crash: what was not committed is gone, connections are cut."""
        self._control("stop", "-m", mode)

    def _control(self, *arguments: str) -> None:
        command = [self.binaries / "pg_ctl", "-w", "-D", self.directory / "data", *arguments]
        _run_as(self.user, *map(str, command))


@contextmanager
def a_cluster() -> Iterator[Cluster]:
    """Running; skips where PostgreSQL's binaries are missing, on CI that is a failure."""
    binaries = _binaries()
    directory = Path(tempfile.mkdtemp(prefix="foreword-"))
    user = _unprivileged()
    shutil.chown(directory, user)
    cluster = Cluster(binaries, directory, _free_port(), user)
    init = [binaries / "initdb", "-D", directory / "data", "-A", "trust", "-E", "UTF8", "-N"]
    try:
        _run_as(user, *map(str, init))
        cluster.start()
        yield cluster
        cluster.stop()
    finally:
        shutil.rmtree(directory)


def _binaries() -> Path:
    found = [each.parent for place in PLACES for each in Path(place).glob("**/bin/initdb")]
    if not found:
        missing = "PostgreSQL's initdb is not installed"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    return max(found)


def _unprivileged() -> str:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid()).pw_name
    names = {each.pw_name for each in pwd.getpwall()}
    return next(name for name in UNPRIVILEGED if name in names)


def _run_as(user: str, *command: str) -> None:
    other = user if os.geteuid() == 0 else None
    done = subprocess.run(
        command,
        user=other,
        group=pwd.getpwnam(user).pw_gid if other else None,
        extra_groups=[] if other else None,
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if command[0].endswith("initdb") else subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])

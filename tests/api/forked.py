"""
Processes of the command that begin with its modules imported: forked from one that did it once.

Importing them takes longer than most of what the hundreds of commands of our tests do. What the
command imports by itself is looked at where that is the question, with processes of the usual kind.
"""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.context import ForkServerProcess
from multiprocessing.reduction import DupFd
from pathlib import Path
from typing import IO, Any

_FORKS = get_context("forkserver")
_FORKS.set_forkserver_preload(["tests.api.imported"])


@dataclass(frozen=True)
class _Streams:
    """Standard input, output and error of the process to be."""

    numbers: tuple[int, int, int]

    def __reduce__(self) -> tuple[Any, ...]:
        return _arrived, tuple(DupFd(each) for each in self.numbers)


def _arrived(*streams: Any) -> _Streams:
    first, second, third = (each.detach() for each in streams)
    return _Streams((first, second, third))


class Forked:
    """Runs the command with `arguments`; what tests ask of `subprocess.Popen`."""

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: Path,
        stdout: IO[bytes],
        stderr: IO[bytes],
    ) -> None:
        with open(os.devnull, "rb") as nothing:  # noqa: PTH123  (a device)
            streams = _Streams((nothing.fileno(), stdout.fileno(), stderr.fileno()))
            self._process: ForkServerProcess = _FORKS.Process(
                target=_become, args=(tuple(arguments), dict(env), cwd, streams)
            )
            self._process.start()

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired("foreword", timeout or 0)
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self._process.kill()


def _become(arguments: tuple[str, ...], env: dict[str, str], cwd: Path, streams: _Streams) -> None:
    """Be the command, in a process of its own."""
    for number, stream in enumerate(streams.numbers):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(  # noqa: SIM115
        2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False
    )
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    sys.argv = ["foreword", *arguments]
    from app.cli import app  # noqa: PLC0415  (as the command's own script does, after all of this)

    app()

"""The real server, as a process of its own."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, TypeVar

import httpx

from app.client import Client
from tests.api.forked import Forked
from tests.fakes_embedder import a_compiled_model, model_cache

T = TypeVar("T")

COMMAND = Path(sys.executable).with_name("foreword")
PATIENCE = 180.0
"""Seconds until a test gives up on what should come."""


@dataclass
class Server:
    process: subprocess.Popen[bytes] | Forked
    output: Path
    log_file: Path

    @property
    def said(self) -> str:
        """What it printed for the operator."""
        return self.output.read_text()

    @property
    def log(self) -> str:
        return self.log_file.read_text()

    @property
    def url(self) -> str:
        line = next(line for line in self.said.splitlines() if line.startswith("Docs: "))
        return line.removeprefix("Docs: ").removesuffix("/docs")

    def client(self) -> httpx.Client:
        return httpx.Client(base_url=self.url, timeout=PATIENCE, trust_env=False)

    def memory(self, key: str | None = None) -> Client:
        """Our own client of it."""
        return Client(self.url, key, seconds=PATIENCE)

    def end(self) -> int:
        """Ask it to end; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)

    def is_ready(self) -> bool:
        assert self.process.poll() is None, self.log
        if "Docs: " not in self.said or not self.said.endswith("\n"):
            return False
        try:
            with self.client() as client:
                return client.get("/readyz").status_code == 200
        except httpx.TransportError:
            return False


def eventually(what: Callable[[], T]) -> T:
    """Ask until the answer is true."""
    ends = time.monotonic() + PATIENCE
    while not (answer := what()):
        assert time.monotonic() < ends, what
        time.sleep(0.02)
    return answer


def eventually_equal(what: Callable[[], T], expected: T) -> None:
    """Ask until the answer is this one; what it was at last is told."""
    with suppress(AssertionError):
        eventually(lambda: what() == expected)
    assert what() == expected


_NOT_INHERITED = ("FOREWORD_", "COLUMNS", "LINES")


def environment(directory: Path, **settings: str) -> dict[str, str]:
    """
    That of a shell in which nothing of ours is set but `settings`, nor the size of a terminal.

    And that each look at the parts is a new one: tests wait until one tells what they wait for.
    """
    a_compiled_model()
    inherited = {name: v for name, v in os.environ.items() if not name.startswith(_NOT_INHERITED)}
    ours = {
        "DATA_DIR": str(directory / "data"),
        "MODEL_CACHE": str(model_cache()),
        "SERVER__LOOK_S": "0",
        "DISTIL__SHARE": "1",
        **settings,
    }
    return inherited | {f"FOREWORD_{name}": value for name, value in ours.items()}


def serving(directory: Path, **settings: str) -> AbstractContextManager[Server]:
    """A server on a free port, ready; killed at the end if it still runs."""
    return _serving(Forked, directory, settings)


def serving_by_itself(directory: Path, **settings: str) -> AbstractContextManager[Server]:
    """The same, begun as a shell would, without anything that is imported already."""
    return _serving(_begun, directory, settings)


@contextmanager
def _serving(
    begin: Callable[..., subprocess.Popen[bytes] | Forked],
    directory: Path,
    settings: Mapping[str, str],
) -> Iterator[Server]:
    output, log_file = directory / "output", directory / "log"
    with output.open("wb") as out, log_file.open("ab") as log:
        process = begin(
            ["serve", "--port", "0"],
            env=environment(directory, **settings),
            stdout=out,
            stderr=log,
            cwd=directory,
        )
    server = Server(process, output, log_file)
    try:
        eventually(server.is_ready)
        yield server
    finally:
        if process.poll() is None:
            server.kill()


def _begun(arguments: Sequence[str], **how: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen([COMMAND, *arguments], **how)


def run(
    directory: Path, *arguments: str, given: str | None = None, **settings: str
) -> subprocess.CompletedProcess[str]:
    """Run the command to its end, `given` on its standard input."""
    if given is not None:
        return subprocess.run(
            [COMMAND, *arguments],
            env=environment(directory, **settings),
            input=given,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
            cwd=directory,
        )
    with TemporaryFile() as out, TemporaryFile() as err:
        env = environment(directory, **settings)
        process = Forked(arguments, env=env, stdout=out, stderr=err, cwd=directory)
        try:
            code = process.wait(PATIENCE)
        finally:
            process.kill()
        return subprocess.CompletedProcess(arguments, code, _read(out), _read(err))


def _read(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode()


def store(client: httpx.Client, *contents: str, wait: bool = True, **fields: Any) -> dict[str, Any]:
    answer = client.post(
        "/conversations",
        params={"wait": "indexed", "wait_s": "150"} if wait else {},
        json={"messages": [{"role": "user", "content": each} for each in contents], **fields},
    )
    assert answer.status_code == 201, answer.text
    stored: dict[str, Any] = answer.json()
    return stored


def distil_nothing(client: httpx.Client) -> None:
    """What a test counts is what it stored."""
    client.put("/flags", json={"facts": False, "summaries": False}).raise_for_status()


def context(client: httpx.Client, query: str, **fields: Any) -> dict[str, Any]:
    answer = client.post("/context", json={"query": query, **fields})
    assert answer.status_code == 200, answer.text
    bundle: dict[str, Any] = answer.json()
    return bundle

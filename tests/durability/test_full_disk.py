"""
A disk without room: writes are refused as a whole and say why, reads go on, nothing is lost.

On a small file system of the test's own where it may mount one (it needs to be root; the vector
index is on it too), and on a database that may not grow, everywhere.
"""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.api.serving import context, eventually, serving, store
from tests.durability.watching import HUGIN, SAID, contents, stats, status, until

pytestmark = pytest.mark.durability

SIZE = 192 * 2**20
LONG = "A long story about nothing much. " * 3_000
"""Told as a system message, which is stored and takes part in nothing else."""


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    mounted = tmp_path / "data"
    mounted.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(mounted)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no file system may be mounted here: {done.stderr.strip()}")
    yield mounted
    subprocess.run(["umount", "--lazy", str(mounted)], check=True)


def fill(disk: Path, *, leave: int) -> Path:
    """Write a file that leaves so many bytes."""
    free = os.statvfs(disk)
    filler = disk / "filler"
    with filler.open("ab") as file:
        file.write(b"\0" * max(0, free.f_bavail * free.f_frsize - leave))
    return filler


def say(
    client: httpx.Client, name: str, *, content: str = LONG, role: str = "system"
) -> httpx.Response:
    body = {"external_id": name, "messages": [{"role": role, "content": content}] * 3}
    return client.post("/conversations", json=body)


def write_until_refused(client: httpx.Client) -> list[str]:
    """The names of what was acknowledged before."""
    acknowledged: list[str] = []
    while (answer := say(client, f"story {len(acknowledged)}")).status_code == 201:
        acknowledged.append(f"story {len(acknowledged)}")
        assert len(acknowledged) < 2_000
    refused = answer.json()
    assert (answer.status_code, refused["type"]) == (507, "/problems/storage-full")
    assert answer.headers["content-type"] == "application/problem+json"
    return acknowledged


def check_what_is_stored(client: httpx.Client, names: list[str]) -> None:
    """Everything acknowledged, whole; nothing else."""
    page = client.get("/conversations", params={"q": "story", "limit": 200}).json()
    assert page["next_cursor"] is None
    assert {each["external_id"]: each["message_count"] for each in page["items"]} == dict.fromkeys(
        names, 3
    )


def test_a_disk_that_fills_up_and_gets_room_again(small_disk: Path, tmp_path: Path) -> None:
    with serving(tmp_path) as server, server.client() as client:
        store(client, HUGIN)
        filler = fill(small_disk, leave=8 * 2**20)
        store(client, "Something else.", wait=False)
        eventually(lambda: "the disk is nearly full" in server.log)
        acknowledged = write_until_refused(client)

        assert contents(context(client, SAID)) == [HUGIN]
        assert client.get("/healthz").status_code == 200
        assert status(client, "database") == "healing"
        check_what_is_stored(client, acknowledged)

        filler.unlink()
        assert say(client, "story at last", content="short", role="user").status_code == 201
        check_what_is_stored(client, [*acknowledged, "story at last"])
        eventually(lambda: stats(client)["index_lag"] == 0)
        assert (stats(client)["vectors"], stats(client)["dead_letters"]) == (5, 0)
        assert server.end() == 0
        assert "Traceback" not in server.log


def test_a_start_on_a_full_disk_answers_from_words(small_disk: Path, tmp_path: Path) -> None:
    with serving(tmp_path) as server, server.client() as client:
        store(client, HUGIN)
        server.kill()
    filler = fill(small_disk, leave=4 * 2**20)

    with serving(tmp_path) as server, server.client() as client:
        assert contents(context(client, SAID)) == [HUGIN]
        assert status(client, "vectors") == "down"
        filler.unlink()
        until(client, "vectors", "ok")
        assert stats(client)["vectors"] == 1
        assert server.end() == 0


def test_a_database_that_may_not_grow(tmp_path: Path) -> None:
    with serving(tmp_path) as server, server.client() as client:
        store(client, HUGIN)
        server.end()
    size = (tmp_path / "data" / "foreword.db").stat().st_size

    with (
        serving(tmp_path, DATABASE__MAX_MB=f"{size // 2**20 + 3}") as server,
        server.client() as client,
    ):
        acknowledged = write_until_refused(client)
        assert contents(context(client, SAID)) == [HUGIN]
        check_what_is_stored(client, acknowledged)
        assert server.end() == 0

    with serving(tmp_path) as server, server.client() as client:
        assert say(client, "story at last", content="short", role="user").status_code == 201
        check_what_is_stored(client, [*acknowledged, "story at last"])

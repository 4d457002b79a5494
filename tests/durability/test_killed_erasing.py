"""SIGKILL in the middle of a large erasure: the next server finishes it, and the log tells."""

import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.api.serving import distil_nothing, eventually, serving, store

pytestmark = pytest.mark.durability

CONVERSATIONS, MESSAGES = 20, 200


def left(directory: Path) -> int:
    with closing(sqlite3.connect(directory / "data" / "foreword.db")) as connection:
        return int(connection.execute("SELECT count(*) FROM message").fetchone()[0])


def log(client: httpx.Client) -> list[dict[str, Any]]:
    """What it tells of erasures, oldest first."""
    items: list[dict[str, Any]] = client.get("/admin/audit", params={"limit": 200}).json()["items"]
    return [each for each in reversed(items) if "erasure_id" in each["facts"]]


def test_the_end_of_an_erasure_is_told_by_whoever_finishes_it(tmp_path: Path) -> None:
    every = CONVERSATIONS * MESSAGES

    def erase(client: httpx.Client) -> None:
        with pytest.raises(httpx.TransportError):
            client.delete("/users/alice")

    with serving(tmp_path) as server, server.client() as client:
        distil_nothing(client)
        for number in range(CONVERSATIONS):
            texts = [f"cup {number} of tea {n}" for n in range(MESSAGES)]
            store(client, *texts, user_id="alice", external_id=f"chat {number}", wait=False)
        erasing = threading.Thread(target=erase, args=(client,))
        erasing.start()
        eventually(lambda: left(tmp_path) < every)
        server.kill()
        erasing.join()
    assert 0 < left(tmp_path) < every

    with serving(tmp_path) as server, server.client() as client:
        eventually(lambda: len(log(client)) > 1)
        begun, ended = log(client)
        assert left(tmp_path) == 0
    assert (begun["action"], ended["action"]) == ("user.erased", "erasure.ended")
    assert begun["subject"] == ended["subject"]
    assert begun["facts"]["erasure_id"] == ended["facts"]["erasure_id"]
    told = {name: ended["facts"][name] for name in ("messages", "remaining", "resumed")}
    assert told == {"messages": every, "remaining": 0, "resumed": True}

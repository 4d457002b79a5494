"""A backup from before an erasure: restored, it does not bring back what was erased since."""

import json
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import httpx
import pytest

from tests.api.serving import distil_nothing, eventually, run, serving, store
from tests.databases import BOTH, settings_of_own

SECRET, OTHER = "The launch code of the rocket is 4711.", "Tomatoes grow in the greenhouse."
UNDO = "--bring-back-erased"


@pytest.fixture(params=BOTH)
def database(request: pytest.FixtureRequest) -> dict[str, str]:
    return settings_of_own(request)


def erased_since(directory: Path, **settings: str) -> Path:
    """A backup, and what was erased after it was taken: a message, a conversation and a user."""
    backup = directory / "backup.zip"
    with serving(directory, **settings) as server, server.client() as client:
        distil_nothing(client)
        first = store(client, SECRET, OTHER, user_id="alice")
        second = store(client, SECRET, user_id="alice")
        store(client, SECRET, user_id="bob")
        assert run(directory, "backup", str(backup), **settings).returncode == 0
        later = store(client, SECRET, user_id="carol")
        for path in (
            f"messages/{first['message_ids'][0]}",
            f"conversations/{second['id']}",
            "users/bob",
            f"conversations/{later['id']}",
        ):
            assert client.delete(f"/{path}").status_code == 200
        assert server.end() == 0
    return backup


def restored(directory: Path, *arguments: str, **settings: str) -> CompletedProcess[str]:
    return run(directory, "restore", *arguments, "--force", "--json", **settings)


def erasures(client: httpx.Client) -> list[tuple[str, str]]:
    items: list[dict[str, Any]] = client.get("/admin/audit", params={"limit": 200}).json()["items"]
    return [
        (each["action"], each["facts"]["erasure_id"])
        for each in reversed(items)
        if "erasure_id" in each["facts"]
    ]


def times_said(client: httpx.Client, text: str) -> int:
    """In everything that is told of anybody."""
    return client.get("/export").text.count(text)


def test_what_was_erased_since_stays_erased(tmp_path: Path, database: dict[str, str]) -> None:
    backup = erased_since(tmp_path, **database)
    with serving(tmp_path, **database) as server, server.client() as client:
        before = erasures(client)
        assert server.end() == 0

    ended = restored(tmp_path, str(backup), **database)

    assert ended.returncode == 0, ended.stderr
    facts = json.loads(ended.stdout)
    assert (facts["erased_again"], facts["erasures_undone"]) == (3, 0)
    assert facts["created_at"] < facts["first_at"] < facts["last_at"]
    assert "3 erasures and revocations since the backup" in ended.stderr
    assert "are done again" in ended.stderr
    with serving(tmp_path, **database) as server, server.client() as client:
        assert (times_said(client, SECRET), times_said(client, OTHER)) == (0, 1)
        assert erasures(client) == before
        told = client.get("/admin/audit", params={"action": "backup.restored"}).json()["items"]
        assert told[0]["facts"]["erased_again"] == 3
        question = {"query": "launch code", "user_id": "alice"}
        eventually(lambda: client.get("/readyz").json()["parts"]["vectors"]["points"] == 1)
        results = client.post("/search", json=question).json()["results"]
        assert SECRET not in {each["content"] for each in results}
        assert server.end() == 0
    checked = run(tmp_path, "doctor", "--json", **database)
    assert json.loads(checked.stdout)["findings"] == []


def test_whoever_wants_it_back_says_so_and_the_log_remains(tmp_path: Path) -> None:
    backup = erased_since(tmp_path)

    ended = restored(tmp_path, str(backup), UNDO)

    facts = json.loads(ended.stdout)
    assert (facts["erased_again"], facts["erasures_undone"]) == (0, 4)
    assert "are not done again: what they erased is back" in ended.stderr
    with serving(tmp_path) as server, server.client() as client:
        assert times_said(client, SECRET) == 3
        assert len({identity for _, identity in erasures(client)}) == 4


def test_where_no_log_tells_what_was_erased_nothing_is_brought_back_unasked(
    tmp_path: Path,
) -> None:
    backup = erased_since(tmp_path)
    file = tmp_path / "data" / "foreword.db"
    for each in file.parent.glob("foreword.db-*"):
        each.unlink()
    garbage = b"no database" * 1_000
    file.write_bytes(garbage)

    refused = restored(tmp_path, str(backup))

    assert (refused.returncode, file.read_bytes()) == (2, garbage)
    assert "the audit log of what is there cannot be read" in refused.stderr
    assert UNDO in refused.stderr
    ended = restored(tmp_path, str(backup), UNDO)
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["log_unread"] is True
    assert "no log tells what that is" in ended.stderr
    with serving(tmp_path) as server, server.client() as client:
        assert times_said(client, SECRET) == 3


def test_a_key_of_after_the_backup_still_opens_and_nobody_else_gets_in(
    tmp_path: Path, database: dict[str, str]
) -> None:
    backup = tmp_path / "backup.zip"
    with serving(tmp_path, **database) as server, server.client() as client:
        store(client, SECRET, user_id="alice")
        assert server.end() == 0
    assert run(tmp_path, "backup", str(backup), **database).returncode == 0
    made = run(tmp_path, "keys", "create", "--tenant", "local", "--name", "x", **database)

    ended = run(tmp_path, "restore", str(backup), "--force", **database)

    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines()[1:] == ["Kept: 1 API key, in the place of the backup's"]
    assert json.loads(restored(tmp_path, str(backup), **database).stdout)["keys_kept"] == 1
    with serving(tmp_path, **database) as server, server.client() as client:
        assert client.get("/conversations").status_code == 401
        client.headers["Authorization"] = f"Bearer {made.stdout.strip()}"
        (found,) = client.get("/conversations", params={"user_id": "alice"}).json()["items"]
        assert found["message_count"] == 1
        assert server.end() == 0

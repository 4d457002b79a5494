"""Pages of the SQLite file turn to garbage under a running server, or the file goes."""

import sqlite3
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from tests.api.serving import distil_nothing, eventually, run, serving, store
from tests.durability.watching import metric, status

pytestmark = pytest.mark.durability

TALK = [f"Number {n} on the list of everything that was ever said." for n in range(600)]
PAGE = 4_096


def damage(directory: Path, table: str) -> None:
    """Scramble pages of a table that nobody has in memory: something was written since."""
    file = directory / "data" / "foreword.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA user_version = 4711")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        leaves = "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf'"
        pages = [page for (page,) in connection.execute(leaves, (table,))]
    assert len(pages) > 10
    with file.open("r+b") as opened:
        for page in pages[2:8]:
            opened.seek((page - 1) * PAGE)
            opened.write(b"\xa7\x13" * (PAGE // 2))


def state(client: httpx.Client, job: str) -> str:
    jobs = client.get("/jobs").json()["items"]
    return next(str(each["status"]) for each in jobs if each["id"] == job)


def conversations(client: httpx.Client) -> int:
    return len(client.get("/conversations", params={"limit": 200}).json()["items"])


def test_it_is_told_nothing_is_written_and_what_can_be_is_read(tmp_path: Path) -> None:
    backup = tmp_path / "backup.zip"
    with serving(tmp_path) as server, server.client() as client:
        distil_nothing(client)
        whole = store(client, *TALK)
        kept = store(client, "A short one.", external_id="short")
        assert run(tmp_path, "backup", str(backup)).returncode == 0
        assert client.delete(f"/messages/{whole['message_ids'][0]}").status_code == 200
        damage(tmp_path, "message")

        refused = client.get(f"/conversations/{whole['id']}/messages", params={"limit": 500})
        assert (refused.status_code, refused.json()["type"]) == (503, "/problems/store-damaged")
        eventually(lambda: status(client, "database") == "down")

        ready = client.get("/readyz")
        assert ready.status_code == 503
        assert "restored" in ready.json()["parts"]["database"]["reason"]
        assert metric(client, 'foreword_part_up{part="database"}') == 0
        assert client.get("/healthz").status_code == 200
        told = {"messages": [{"role": "user", "content": "Is anybody there?"}]}
        for path, body in (
            ("/conversations", told),
            (f"/conversations/{kept['id']}/messages", told),
            ("/memories", {"type": "fact", "content": "Nobody is."}),
        ):
            answer = client.post(path, json=body)
            assert (answer.status_code, answer.json()["type"]) == (503, "/problems/store-damaged")
            assert "nothing is written" in answer.json()["title"]
        assert client.delete("/users/alice").status_code == 503
        assert conversations(client) == 2
        assert client.get(f"/conversations/{kept['id']}").json()["message_count"] == 1
        assert "Stop the service, then put a backup in its place" in server.log
        assert [line for line in server.log.splitlines() if "Traceback" in line] == []
        assert server.end() == 0

    assert run(tmp_path, "restore", str(backup), "--force").returncode == 0
    with serving(tmp_path) as server, server.client() as client:
        read = client.get(f"/conversations/{whole['id']}").json()
        assert read["message_count"] == len(TALK) - 1  # one was erased since
        assert conversations(client) == 2
        assert status(client, "database") == "ok"
        assert server.end() == 0


def test_nothing_is_stored_in_a_file_that_is_gone(tmp_path: Path) -> None:
    file, backup = tmp_path / "data" / "foreword.db", tmp_path / "backup.zip"
    told = {"messages": [{"role": "user", "content": "Is anybody there?"}]}
    with serving(tmp_path) as server, server.client() as client:
        distil_nothing(client)
        kept = store(client, *TALK[:3])
        file.rename(aside := tmp_path / "aside.db")

        answer = client.post("/conversations", json=told)
        assert (answer.status_code, answer.json()["type"]) == (503, "/problems/store-astray")
        assert client.get("/readyz").status_code == 503
        assert status(client, "database") == "down"
        assert conversations(client) == 1
        job = client.post("/admin/backup").json()["id"]
        eventually(lambda: state(client, job) == "failed")
        refused = run(tmp_path, "keys", "create", "--tenant", "acme", "--name", "laptop")
        assert (refused.returncode, refused.stdout) == (2, "")
        assert "but it is gone" in " ".join(refused.stderr.split())
        assert not file.exists(), "made anew, it would take its log along"
        assert run(tmp_path, "export", str(tmp_path / "saved.ndjson")).returncode == 0

        aside.rename(file)
        assert client.post("/conversations", json=told).status_code == 201
        assert status(client, "database") == "healing"  # for a while after a refusal
        assert run(tmp_path, "backup", str(backup)).returncode == 0

        file.unlink()
        assert client.post("/conversations", json=told).status_code == 503
        assert "save what the service holds, before it is stopped" in server.log
        assert [line for line in server.log.splitlines() if "Traceback" in line] == []
        assert server.end() == 0

    assert TALK[2] in (tmp_path / "saved.ndjson").read_text()
    assert run(tmp_path, "restore", str(backup), "--force").returncode == 0
    with serving(tmp_path) as server, server.client() as client:
        assert client.get(f"/conversations/{kept['id']}").json()["message_count"] == 3
        assert conversations(client) == 2
        assert server.end() == 0


def test_what_was_stored_is_kept_where_the_log_of_the_file_is_gone(tmp_path: Path) -> None:
    told = {"messages": [{"role": "user", "content": "Is anybody there?"}]}
    with serving(tmp_path) as server, server.client() as client:
        kept = store(client, *TALK[:3])
        (tmp_path / "data" / "foreword.db-wal").unlink()
        answer = client.post("/conversations", json=told)
        assert (answer.status_code, answer.json()["type"]) == (503, "/problems/store-log-astray")
        assert "restart by SIGTERM" in answer.json()["title"]
        assert "backup" not in client.get("/readyz").json()["parts"]["database"]["reason"]
        assert conversations(client) == 1
        assert "have the service end by itself (SIGTERM)" in server.log
        assert server.end() == 0

    with serving(tmp_path) as server, server.client() as client:
        assert client.get(f"/conversations/{kept['id']}").json()["message_count"] == 3
        assert client.post("/conversations", json=told).status_code == 201
        assert server.end() == 0

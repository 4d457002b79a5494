"""The commands that look after a service, with and without a server on the same data."""

import json
import re
import shutil
import sqlite3
import stat
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.api.serving import context, eventually, run, serving, store
from tests.databases import (
    drop_postgres_database,
    new_postgres_database,
    run_apart,
)

HUGIN = "The name of the build machine is Hugin."
LONG = " ".join(f"Sentence {number} of the long report." for number in range(120))
POINTS = 8
"""Of the two messages, and of the six chunks of the long one."""
QUERY = "How is the build machine named?"


def told(directory: Path, *arguments: str, code: int = 0, **settings: str) -> dict[str, Any]:
    """What a command says in JSON."""
    ended = run(directory, *arguments, "--json", **settings)
    assert (ended.returncode, "Traceback" in ended.stderr) == (code, False), ended.stderr
    facts: dict[str, Any] = json.loads(ended.stdout)
    return facts


def refused(directory: Path, *arguments: str, **settings: str) -> str:
    """The one line with which a command refuses."""
    ended = run(directory, *arguments, **settings)
    assert (ended.returncode, ended.stdout) == (2, ""), ended.stderr
    (line,) = ended.stderr.splitlines()
    return line


def filled(directory: Path) -> None:
    """A data directory with something of every kind."""
    with serving(directory) as server, server.client() as client:
        store(client, HUGIN, LONG, user_id="alice", external_id="chat", tags=["t"])
        gone = store(client, "a secret word", user_id="bob")
        assert client.delete(f"/conversations/{gone['id']}").status_code == 200
        context(client, QUERY, user_id="alice")
        assert server.end() == 0


def check_that_all_is_back(directory: Path, **settings: Any) -> None:
    with serving(directory, **settings) as server, server.client() as client:
        eventually(lambda: parts(client)["full_text"]["status"] == "ok")
        eventually(lambda: parts(client)["vectors"]["points"] == POINTS)
        found = context(client, QUERY, user_id="alice")["retrieved_memories"]
        assert (found[0]["content"], found[0]["sources"]) == (HUGIN, ["lexical", "semantic"])
        again = store(client, HUGIN, LONG, user_id="alice", external_id="chat")
        assert again["duplicates"] == 2
        assert server.end() == 0
    assert told(directory, "doctor", **settings)["sound"]


def parts(client: Any) -> Any:
    return client.get("/readyz").json()["parts"]


def test_a_backup_taken_while_serving_brings_everything_back(tmp_path: Path) -> None:
    backup = tmp_path / "backup.zip"
    with serving(tmp_path) as server, server.client() as client:
        store(client, HUGIN, LONG, user_id="alice", external_id="chat")
        gone = store(client, "a secret word", user_id="bob")
        client.delete(f"/conversations/{gone['id']}")

        facts = told(tmp_path, "backup", str(backup))

        store(client, "what comes later", user_id="alice")
        assert (facts["rows"]["message"], facts["rows"]["embedding"]) == (2, POINTS)
        assert str(backup) in refused(tmp_path, "backup", str(backup))
        assert "another process has" in refused(tmp_path, "restore", str(backup), "--force")
        assert server.end() == 0
    assert "is there already" in refused(tmp_path, "restore", str(backup))
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    with zipfile.ZipFile(backup) as archive:
        assert b"a secret word" not in archive.read("foreword.db")

    told(tmp_path, "restore", str(backup), "--force")

    check_that_all_is_back(tmp_path)


def test_what_is_restored_elsewhere_needs_no_embedding(tmp_path: Path) -> None:
    filled(tmp_path)
    backup = tmp_path / "backup.zip"
    told(tmp_path, "backup", str(backup))
    shutil.rmtree(tmp_path / "data")
    told(tmp_path, "restore", str(backup))
    with serving(tmp_path) as server, server.client() as client:
        eventually(lambda: client.get("/memory/debug/stats").json()["vectors"] == POINTS)
        metrics = client.get("/metrics").text
        embedded = re.search(r"^foreword_embed_batch_size_sum (\S+)$", metrics, re.MULTILINE)
        assert embedded is not None
        assert float(embedded[1]) < POINTS  # asked whether it is ready, and nothing else
        assert server.end() == 0


@pytest.mark.postgres
def test_a_backup_moves_to_postgresql_and_back(tmp_path: Path) -> None:
    url = new_postgres_database()
    filled(tmp_path)
    backup, back = tmp_path / "backup.zip", tmp_path / "back.zip"
    there, again = tmp_path / "there", tmp_path / "again"
    there.mkdir()
    again.mkdir()
    try:
        first = told(tmp_path, "backup", str(backup))
        told(there, "restore", str(backup), DATABASE__URL=url)
        assert "is not empty" in refused(there, "restore", str(backup), DATABASE__URL=url)
        told(there, "restore", str(backup), "--force", DATABASE__URL=url)
        check_that_all_is_back(there, DATABASE__URL=url)
        second = told(there, "backup", str(back), DATABASE__URL=url)
    finally:
        run_apart(drop_postgres_database(url))
    for table in ("message", "chunk", "embedding", "conversation", "conversation_tag", "issued"):
        assert first["rows"][table] == second["rows"][table], table
    told(again, "restore", str(back))
    check_that_all_is_back(again)


def test_a_damaged_backup_is_refused_and_nothing_is_lost(tmp_path: Path) -> None:
    filled(tmp_path)
    backup = tmp_path / "backup.zip"
    told(tmp_path, "backup", str(backup))
    whole = backup.read_bytes()
    for damaged in (b"", b"no backup", whole[: len(whole) // 2], _flipped(whole)):
        backup.write_bytes(damaged)
        assert "damaged" in refused(tmp_path, "restore", str(backup), "--force")
    check_that_all_is_back(tmp_path)
    assert not list((tmp_path / "data").glob(".restore-*"))


def _flipped(whole: bytes) -> bytes:
    middle = len(whole) // 2
    return whole[:middle] + bytes([whole[middle] ^ 255]) + whole[middle + 1 :]


def test_there_is_no_backup_of_nothing(tmp_path: Path) -> None:
    assert "there is no database" in refused(tmp_path, "backup", str(tmp_path / "backup.zip"))


def test_commands_ask_the_server_that_has_the_data(tmp_path: Path) -> None:
    with serving(tmp_path) as server, server.client() as client:
        store(client, HUGIN)
        address = tmp_path / "data" / "server.json"
        assert stat.S_IMODE(address.stat().st_mode) == 0o600
        assert json.loads(address.read_text())["url"] == server.url

        assert told(tmp_path, "doctor")["sound"]
        assert told(tmp_path, "reindex", "vectors")["items"] == 1
        assert told(tmp_path, "reindex", "fts")["items"] == 1
        assert told(tmp_path, "reindex")["items"] == 3  # of all three; the graph's: conversations

        listed = client.get("/jobs").json()["items"]
        assert [each["kind"] for each in listed] == [*["reindex"] * 3, "doctor"]
        of = [each["facts"].get("index") for each in listed]
        assert of == ["fts, vectors, graph", "fts", "vectors", None]
        assert server.end() == 0
    assert not address.exists()
    assert told(tmp_path, "reindex", "vectors")["items"] == 1
    assert told(tmp_path, "doctor")["sound"]


def test_commands_ask_a_server_elsewhere(tmp_path: Path) -> None:
    elsewhere, here = tmp_path / "elsewhere", tmp_path / "here"
    elsewhere.mkdir()
    here.mkdir()
    keyed = {"KEYS__OPERATOR_TENANT": "acme"}
    key, other = (_a_key(elsewhere, each) for each in ("acme", "other"))
    with serving(elsewhere, **keyed) as server, server.memory(key) as memory:
        memory.remember([{"role": "user", "content": HUGIN}], wait=True)
        at = ("--url", server.url, "--key", key)

        assert told(here, "doctor", *at)["sound"]
        assert told(here, "doctor", CLIENT__URL=server.url, CLIENT__KEY=key)["sound"]
        assert told(here, "reindex", "vectors", *at)["items"] == 1
        written = Path(told(here, "backup", *at)["file"])
        assert f", on the machine of {server.url}" in run(here, "backup", *at).stdout
        for command in ("doctor", "reindex", "backup"):
            line = refused(here, command, "--url", server.url, "--key", other)
            assert "FOREWORD_KEYS__OPERATOR_TENANT" in line

        kinds = [each["kind"] for each in memory.jobs()["items"]]
        assert kinds == ["backup", "backup", "reindex", "doctor", "doctor"]
        assert server.end() == 0
    assert written.parent == elsewhere / "data" / "backups"
    assert written.exists()
    assert list(here.iterdir()) == []


def _a_key(directory: Path, tenant: str) -> str:
    scopes = ("--scopes", "read,write,admin", "--name", "k")
    return str(told(directory, "keys", "create", "--tenant", tenant, *scopes)["key"])


def test_a_backup_without_a_file_is_kept_beside_the_data(tmp_path: Path) -> None:
    filled(tmp_path)
    facts = told(tmp_path, "backup")
    file = Path(facts["file"])
    assert (file.parent, facts["rows"]["message"]) == (tmp_path / "data" / "backups", 2)
    told(tmp_path, "restore", str(file), "--force")


def test_a_server_that_was_killed_is_in_nobodys_way(tmp_path: Path) -> None:
    with serving(tmp_path) as server, server.client() as client:
        store(client, HUGIN)
        server.kill()
    assert (tmp_path / "data" / "server.json").exists()
    assert told(tmp_path, "doctor")["sound"]


def test_a_doctor_tells_what_differs_and_puts_it_right(tmp_path: Path) -> None:
    filled(tmp_path)
    with closing(sqlite3.connect(tmp_path / "data" / "foreword.db")) as connection:
        connection.execute("UPDATE conversation SET message_count = 99")
        connection.execute("UPDATE scope SET messages = 99")
        connection.execute("INSERT INTO full_text(full_text) VALUES ('delete-all')")
        connection.execute("DELETE FROM embedding WHERE item_key % 4 = 0")
        connection.execute(
            "INSERT INTO embedding (model_key, item_key, vector)"
            " SELECT 1, 4000, vector FROM embedding LIMIT 1"
        )
        connection.commit()
    shutil.rmtree(tmp_path / "data" / "vectors")

    sick = told(tmp_path, "doctor", code=1)
    assert {each["check"] for each in sick["findings"]} == {
        "counts",
        "full_text",
        "embeddings",
        "vectors",
    }
    assert told(tmp_path, "doctor", code=1)["findings"] == sick["findings"]
    plain = run(tmp_path, "doctor")
    assert (plain.returncode, "--fix" in plain.stdout) == (1, True)

    cured = told(tmp_path, "doctor", "--fix")

    assert cured["sound"]
    assert cured["fixed"] == sick["findings"]
    check_that_all_is_back(tmp_path)

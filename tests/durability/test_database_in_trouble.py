"""An SQLite file that is locked, damaged, or without its full text."""

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from tests.api.serving import context, eventually, run, serving, store
from tests.durability.watching import HUGIN, SAID, contents, degraded, metric, status, until

pytestmark = pytest.mark.durability


def database(directory: Path) -> Path:
    return directory / "data" / "foreword.db"


def change(directory: Path, *statements: str) -> None:
    with closing(sqlite3.connect(database(directory), timeout=30)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def test_another_writer_makes_writes_wait_then_say_so(tmp_path: Path) -> None:
    with serving(tmp_path, DATABASE__BUSY_TIMEOUT_S="0.3") as server, server.client() as client:
        store(client, HUGIN)
        with closing(sqlite3.connect(database(tmp_path), isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            body = {"external_id": "later", "messages": [{"role": "user", "content": "later"}]}
            refused = client.post("/conversations", json=body)
            assert refused.status_code == 503
            assert refused.json()["type"] == "/problems/store-unavailable"
            assert refused.headers["Retry-After"]
            assert contents(context(client, SAID)) == [HUGIN]
            other.execute("ROLLBACK")
        again = client.post("/conversations", json=body)
        assert (again.status_code, again.json()["duplicates"]) == (201, 0)
        store(client)
        assert server.end() == 0
        assert "Traceback" not in server.log


def test_a_writer_that_is_short_is_not_noticed(tmp_path: Path) -> None:
    with serving(tmp_path) as server, server.client() as client:
        with closing(
            sqlite3.connect(database(tmp_path), isolation_level=None, check_same_thread=False)
        ) as other:
            other.execute("BEGIN IMMEDIATE")
            release = threading.Timer(0.5, other.execute, ["ROLLBACK"])
            release.start()
            store(client, HUGIN, wait=False)
            release.join()
        assert contents(context(client, SAID)) == [HUGIN]


def test_full_text_that_is_lost_while_serving_is_built_again(tmp_path: Path) -> None:
    talk = [f"Number {n} on the list of everything." for n in range(600)]
    with serving(tmp_path) as server, server.client() as client:
        store(client, HUGIN, *talk)
        change(tmp_path, "DROP TABLE full_text")
        asked = [context(client, f"{SAID} {n}") for n in range(3)]
        assert all(contents(each)[0] == HUGIN for each in asked)  # by meaning
        eventually(lambda: "full text was lost" in server.log)
        eventually(lambda: status(client, "full_text") == "ok")

        found = context(client, SAID)
        assert found["retrieved_memories"][0]["sources"] == ["lexical", "semantic"]
        assert degraded(found) == []
        assert metric(client, 'foreword_part_up{part="full_text"}') == 1
        store(client, "Munin is the second server.")
        assert "Munin is the second server." in contents(context(client, "Munin"))
        assert server.end() == 0


def test_full_text_that_was_lost_before_the_start_is_built_again(tmp_path: Path) -> None:
    with serving(tmp_path) as server, server.client() as client:
        store(client, HUGIN)
        server.end()
    change(tmp_path, "DROP TABLE full_text", "DROP TABLE full_text_vocabulary")

    with serving(tmp_path) as server, server.client() as client:
        until(client, "full_text", "ok")
        first = context(client, SAID)["retrieved_memories"][0]
        assert (first["content"], first["sources"]) == (HUGIN, ["lexical", "semantic"])
        assert server.end() == 0


def test_a_damaged_file_is_told_in_one_line_and_left_as_it_is(tmp_path: Path) -> None:
    with serving(tmp_path) as server, server.client() as client:
        store(client, HUGIN, *(f"Number {n}" for n in range(200)))
        server.end()
    with database(tmp_path).open("r+b") as file:
        file.seek(10 * 4_096)
        file.write(b"\xa7\x13" * 4_096 * 5)
    before = database(tmp_path).read_bytes()

    ended = run(tmp_path, "serve", "--port", "0")

    assert ended.returncode == 3
    assert "Traceback" not in ended.stderr
    told = [line for line in ended.stderr.splitlines() if "is damaged" in line]
    assert len(told) == 1
    assert "put a backup in its place" in told[0]
    assert ".recover" in told[0]
    assert database(tmp_path).read_bytes() == before

"""What is done to the whole service is in the audit log, whoever does it, in counts only."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from httpx import AsyncClient

from app.settings import KeySettings, Settings
from tests.api.keyed import EVERYTHING, a_caller, a_key, the_service
from tests.api.serving import run, serving
from tests.api.serving import store as store_in
from tests.api.speaking import Json, get, store
from tests.api.test_jobs import ended
from tests.databases import (
    drop_postgres_database,
    new_postgres_database,
    run_apart,
)

HUGIN = "The name of the build machine is Hugin."
OF_IT_ALL = "service"
ROWS = {"conversations": 1, "messages": 1, "memory_items": 0}


async def lines(client: AsyncClient) -> list[Json]:
    """What was done to the service, oldest first."""
    told = await get(client, "/admin/audit", subject=OF_IT_ALL, limit=200)
    assert HUGIN not in str(told)
    assert "Hugin" not in str(told)
    return list(reversed(told["items"]))


def deeds(told: list[Json]) -> list[tuple[str, Json]]:
    return [(each["action"], each["facts"]) for each in told]


async def test_what_is_started_by_http(client: AsyncClient) -> None:
    await store(client, HUGIN, user_id="alice")
    for projection in ("fts", "vectors"):
        await ended(client, "/admin/reindex", projection=projection)
    await ended(client, "/admin/reembed")
    await ended(client, "/admin/retry-dead-letters")
    await ended(client, "/admin/doctor")
    await ended(client, "/admin/doctor", fix=True)
    await ended(client, "/admin/backup")

    told = await lines(client)

    assert {each["actor"] for each in told} == {"anyone here"}
    *others, (backup, kept) = deeds(told)
    assert others == [
        ("index.rebuilt", {"index": "fts", "items": 1, "completed": True}),
        ("index.rebuilt", {"index": "vectors", "items": 1, "completed": True}),
        ("index.rebuilt", {"index": "embeddings", "items": 1, "completed": True}),
        ("dead_letters.retried", {"items": 0, "completed": True}),
        ("store.repaired", {"fixed": {}, "left": {}, "completed": True}),
    ]
    assert backup == "backup.written"
    assert len(kept.pop("sha256")) == 64
    assert kept.pop("taken_at").endswith("+00:00")
    assert kept == {**ROWS, "completed": True}


async def test_it_is_the_operators_to_read(embedded: Settings) -> None:
    chosen = embedded.model_copy(update={"keys": KeySettings(operator_tenant="ops")})
    _, acme_key = await a_key(embedded, "acme", scopes=EVERYTHING)
    key_id, ops_key = await a_key(embedded, "ops", scopes=EVERYTHING)
    async with (
        the_service(chosen) as app,
        a_caller(app, acme_key) as acme,
        a_caller(app, ops_key) as ops,
    ):
        await ended(ops, "/admin/reindex", projection="vectors")
        await ended(acme, "/admin/retry-dead-letters")
        (rebuilt,) = await lines(ops)
        (retried,) = await lines(acme)
    assert (rebuilt["action"], rebuilt["key_id"]) == ("index.rebuilt", str(key_id))
    assert (retried["action"], retried["actor"]) == ("dead_letters.retried", "key")


def told_by(client: httpx.Client) -> list[Json]:
    asked = {"subject": OF_IT_ALL, "limit": "200"}
    told: list[Json] = client.get("/admin/audit", params=asked).json()["items"]
    assert "Hugin" not in str(told)
    assert {each["actor"] for each in told} <= {"command"}
    return list(reversed(told))


def done(directory: Path, *arguments: str, **settings: str) -> None:
    ended = run(directory, *arguments, "--json", **settings)
    assert ended.returncode == 0, ended.stderr


def upkeep(directory: Path, backup: Path) -> None:
    done(directory, "reindex", "vectors")
    done(directory, "doctor", "--fix")
    done(directory, "backup", str(backup), "--force")


COMMANDS = ["index.rebuilt", "store.repaired", "backup.written"]


def test_what_commands_do_with_and_without_a_server(tmp_path: Path) -> None:
    backup = tmp_path / "backup.zip"
    with serving(tmp_path) as server, server.client() as client:
        store_in(client, HUGIN, user_id="alice")
        upkeep(tmp_path, backup)
        assert [each["action"] for each in told_by(client)] == COMMANDS
        assert server.end() == 0
    upkeep(tmp_path, backup)
    done(tmp_path, "restore", str(backup), "--force")
    with serving(tmp_path) as server, server.client() as client:
        # A backup holds the log as it was before its own line; what was there has that, too.
        *before, written, restored = told_by(client)[-4:]
        assert [each["action"] for each in before] == ["index.rebuilt", "store.repaired"]
        assert (written["action"], restored["action"]) == ("backup.written", "backup.restored")
        told: dict[str, Any] = restored["facts"]
        assert {name: told[name] for name in ROWS} == ROWS
        assert server.end() == 0


@pytest.mark.postgres
def test_a_restore_to_postgresql_brings_its_line(tmp_path: Path) -> None:
    url = new_postgres_database()
    backup = tmp_path / "backup.zip"
    there = tmp_path / "there"
    there.mkdir()
    with serving(tmp_path) as server, server.client() as client:
        store_in(client, HUGIN, user_id="alice")
        assert server.end() == 0
    done(tmp_path, "backup", str(backup))
    try:
        done(there, "restore", str(backup), DATABASE__URL=url)
        done(there, "backup", str(tmp_path / "again.zip"), DATABASE__URL=url)
        with serving(there, DATABASE__URL=url) as server, server.client() as client:
            told = told_by(client)
            assert [each["action"] for each in told] == ["backup.restored", "backup.written"]
            assert {name: told[-1]["facts"][name] for name in ROWS} == ROWS
            assert server.end() == 0
    finally:
        run_apart(drop_postgres_database(url))


def test_a_backup_is_kept_where_its_line_cannot_be(tmp_path: Path) -> None:
    """When the disk of the database is full, or somebody holds it, a copy is wanted most."""
    backup = tmp_path / "backup.zip"
    with serving(tmp_path) as server, server.client() as client:
        store_in(client, HUGIN, user_id="alice")
        assert server.end() == 0
    with closing(sqlite3.connect(tmp_path / "data" / "foreword.db")) as another:
        another.execute("BEGIN IMMEDIATE")
        ended = run(tmp_path, "backup", str(backup), "--json", DATABASE__BUSY_TIMEOUT_S="0.1")
        another.rollback()
    assert (ended.returncode, json.loads(ended.stdout)["rows"]["message"]) == (0, 1), ended.stderr
    assert "the audit log lacks a line" in ended.stderr
    assert backup.exists()

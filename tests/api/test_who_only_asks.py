"""A PostgreSQL database with nothing in it yet, and one that is away, as commands find them."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

from tests.api.serving import run
from tests.databases import (
    ask_server,
    drop_postgres_database,
    new_postgres_database,
    run_apart,
)

NOBODY = "0198e3a4-0000-7000-8000-000000000000"


@pytest.fixture
def empty() -> Iterator[str]:
    url = new_postgres_database()
    yield url
    run_apart(drop_postgres_database(url))


@pytest.mark.postgres
def test_who_only_asks_makes_no_schema(empty: str, tmp_path: Path) -> None:
    for command in (
        ("doctor",),
        ("reindex",),
        ("backup",),
        ("backup", "x.backup"),
        ("export",),
        ("ask", "what"),
        ("forget", "user", "alice", "--yes"),
    ):
        ended = run(tmp_path, *command, DATABASE__URL=empty)
        assert (ended.returncode, ended.stdout) == (2, ""), command
        assert ended.stderr == "foreword: there is nothing of Foreword in the database\n", command
    listed = run(tmp_path, "keys", "list", "--json", DATABASE__URL=empty)
    assert (listed.returncode, json.loads(listed.stdout)) == (0, [])
    revoked = run(tmp_path, "keys", "revoke", NOBODY, DATABASE__URL=empty)
    assert (revoked.returncode, revoked.stderr) == (2, "foreword: There is no such API key.\n")
    run_apart(ask_server("CREATE TABLE alembic_version ()", at=make_url(empty)))  # it was not there


@pytest.mark.parametrize(
    "command",
    [
        ("doctor",),
        ("ask", "what"),
        ("migrate",),
        ("keys", "list"),
        ("keys", "create", "--tenant", "acme", "--name", "x"),
        ("serve", "--host", "0.0.0.0"),  # noqa: S104  (refused)
        ("serve", "--port", "0"),
    ],
    ids=" ".join,
)
def test_which_database_is_away_is_told_without_its_password(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    url = "postgresql+asyncpg://ann:secret@127.0.0.1:9/notes"
    ended = run(tmp_path, *command, DATABASE__URL=url)
    told = "no way to the database notes at 127.0.0.1:9: "
    assert ended.returncode == (3 if "--port" in command else 2)
    assert told in ended.stdout + ended.stderr
    assert "secret" not in ended.stdout + ended.stderr

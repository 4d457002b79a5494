"""What may be given several times to a command is all taken, or refused."""

import json
from pathlib import Path

import pytest

from tests.commanding import refused, run
from tests.tiny_set import tiny_set


def a_key(directory: Path, *scopes: str) -> tuple[str, ...]:
    told = [part for each in scopes for part in ("--scopes", each)]
    what = ("--tenant", "acme", "--name", "ci", "--json")
    return ("keys", "create", *what, "--data-dir", str(directory), *told)


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ([], ["read", "write"]),
        (["admin", "read"], ["read", "admin"]),
        (["read,write", "admin"], ["read", "write", "admin"]),
        (["read", "read"], ["read"]),
        (["admin,read"], ["read", "admin"]),
    ],
)
def test_scopes_come_in_a_list_or_one_by_one(
    tmp_path: Path, given: list[str], made: list[str]
) -> None:
    assert json.loads(run(*a_key(tmp_path, *given)).stdout)["scopes"] == made


@pytest.mark.parametrize("given", [["read", "root"], ["root", "read"], ["read,root"]])
def test_a_scope_that_is_none_is_named(tmp_path: Path, given: list[str]) -> None:
    told = refused(*a_key(tmp_path / "data", *given))
    known = "scopes are some of read, write, admin, joined by commas"
    assert told == f"foreword: {known}, not root"
    assert not (tmp_path / "data").exists()


def test_a_flag_is_not_set_to_two_values() -> None:
    told = refused(
        "flags", "hybrid=true", "graph=false", "hybrid=false", "--url", "http://x.invalid"
    )
    assert told == "foreword: hybrid is set twice, and not to the same"


def test_a_licence_is_told_once(tmp_path: Path) -> None:
    asked = tmp_path / "tiny.json"
    asked.write_text(json.dumps(tiny_set()))
    licences = ("--licence", "tiny=CC0", "--licence", "tiny=MIT")
    told = refused("tune", str(asked), "--out", str(tmp_path / "w.json"), *licences)
    assert told == "foreword: --licence tiny: told twice, and not the same"

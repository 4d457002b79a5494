"""What a command cannot do it says in one line, before it does any of it."""

import json
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.core import TyperGroup
from typer.main import get_command
from typer.testing import CliRunner, Result

from app.adapters.presence import held
from app.adapters.sql.migrate import head
from app.cli import app
from app.commands.demo import _request
from app.commands.reaching import Service


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments, env={"COLUMNS": "200"})


def refused(*arguments: str) -> str:
    """The one line that a command ends with."""
    ended = run(*arguments)
    assert (ended.exit_code, ended.stdout) == (2, ""), ended.output
    (line,) = ended.stderr.splitlines()
    return line


def test_a_directory_is_no_export(tmp_path: Path) -> None:
    ended = run("import", str(tmp_path), "--data-dir", str(tmp_path / "data"))
    assert (ended.exit_code, "is a directory" in ended.stderr) == (2, True)
    assert isinstance(ended.exception, SystemExit)


def test_an_export_needs_a_directory_that_is_there(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    told = refused("export", str(missing / "x.ndjson"), "--data-dir", str(tmp_path / "data"))
    assert told == f"foreword: there is no directory {missing}"
    assert not (tmp_path / "data").exists()


def test_an_export_that_cannot_be_written_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "x.ndjson.part").mkdir()
    told = refused("export", str(tmp_path / "x.ndjson"), "--url", "http://127.0.0.1:9")
    assert told.startswith(f"foreword: {tmp_path / 'x.ndjson'} cannot be written: ")


def test_weights_need_a_directory_that_is_there(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    told = refused("tune", str(tmp_path / "set.json"), "--out", str(missing / "weights.json"))
    assert told == f"foreword: there is no directory {missing}"


def test_a_schema_is_not_changed_under_a_process_that_has_it(tmp_path: Path) -> None:
    with held(tmp_path):
        told = refused("migrate", "--data-dir", str(tmp_path))
    assert told == "foreword: another process has this data directory open"
    assert not (tmp_path / "foreword.db").exists()
    assert run("migrate", "--data-dir", str(tmp_path)).exit_code == 0


def test_a_schema_that_was_brought_up_is_told_to_a_machine(tmp_path: Path) -> None:
    told = [
        json.loads(run("migrate", "--data-dir", str(tmp_path), "--json").stdout) for _ in range(2)
    ]
    assert told == [{"schema": head(), "found": None}, {"schema": head(), "found": head()}]
    assert (
        f"Schema: {head()} (before: {head()})" in run("migrate", "--data-dir", str(tmp_path)).stdout
    )


def options(group: TyperGroup, *names: str) -> Iterator[tuple[str, set[str]]]:
    """Of each command below a group."""
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from options(command, *names, name)
        else:
            spelled = {option for each in command.params for option in each.opts}
            yield " ".join([*names, name]), spelled


def test_every_command_that_ends_by_itself_speaks_to_machines() -> None:
    whole = get_command(app)
    assert isinstance(whole, TyperGroup)
    known = dict(options(whole))
    assert "keys revoke" in known
    silent = {name for name, spelled in known.items() if "--json" not in spelled}
    assert silent == {"serve", "mcp"}  # a log, and a protocol


@pytest.mark.parametrize(("url", "data_dir"), [(None, None), ("http://x", None), (None, "my data")])
def test_what_the_demo_says_to_ask_is_asked_of_what_it_filled(
    url: str | None, data_dir: str | None
) -> None:
    service = Service(url, None, None if data_dir is None else Path(data_dir), as_json=False)
    words = shlex.split(_request("Which one?", service))
    assert words[:5] == ["foreword", "ask", "Which one?", "--user-id", "demo"]
    wanted = (["--url", url] if url else []) + (["--data-dir", data_dir] if data_dir else [])
    assert words[5:] == wanted

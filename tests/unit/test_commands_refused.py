"""What a command cannot do it says in one line, before it does any of it."""

import json
import shlex
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.core import TyperGroup
from typer.main import get_command

from app import __version__
from app.adapters.presence import held
from app.adapters.sql.migrate import head
from app.cli import app
from app.commands.demo import _request
from app.commands.reaching import Service
from app.terminal import harmless
from tests.commanding import refused, run


def test_help_begins_with_what_is_done_first() -> None:
    several = get_command(app)
    assert isinstance(several, TyperGroup)
    assert [*several.commands][:4] == ["serve", "demo", "import", "export"]


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


class Page(BaseHTTPRequestHandler):
    """Somebody else's server, which answers whatever it is asked."""

    body = b"<!doctype html><p>Welcome!"
    status = 200

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    do_POST = do_DELETE = do_PATCH = do_PUT = do_GET  # noqa: N815  (as the library calls them)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def somebody_else() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


COMMANDS = [
    ("ask", "Who?"),
    ("conversations",),
    ("flags",),
    ("flags", "hybrid=true"),
    ("history", "x"),
    ("forget", "user", "x", "--yes"),
    ("export",),
    ("import", __file__),
    ("demo",),
    ("doctor",),
    ("reindex",),
    ("backup",),
]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("body", [b"<!doctype html><p>Welcome!", b"[]", b"", b'{"items": []}'])
def test_a_server_that_is_another_one_is_told_in_one_line(
    command: tuple[str, ...], body: bytes, somebody_else: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Page, "body", body)
    told = refused(*command, "--url", somebody_else)
    assert told.startswith(f"foreword: what answers at {somebody_else}")
    assert told.endswith("is not Foreword")


@pytest.mark.parametrize("short", [0, 1])
def test_an_import_whose_server_went_away_is_begun_again(
    short: int, somebody_else: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether or not it could still end its answer."""
    so_far = {"messages": 5, "duplicates": 0, "done": 5, "total": 90}

    def go_away(self: Page) -> None:
        line = json.dumps(so_far).encode() + b"\n"
        self.send_response(200)
        self.send_header("X-Request-ID", "1")
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Content-Length", str(len(line) + short))
        self.end_headers()
        self.wfile.write(line)
        self.close_connection = True

    monkeypatch.setattr(Page, "do_POST", go_away)
    told = refused("import", __file__, "--url", somebody_else)
    assert told.endswith("what came in is stored: begin again, and the rest follows")


@pytest.mark.parametrize(
    "body",
    [
        b'{"detail": [{"loc": ["body"], "msg": "Field required"}]}',
        b'{"title": 7, "detail": {}, "errors": {"name": ["is missing"]}}',
        b'{"errors": ["is missing", {}]}',
    ],
)
def test_what_another_server_refuses_is_told_in_one_line(
    body: bytes, somebody_else: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Page, "body", body)
    monkeypatch.setattr(Page, "status", 422)
    assert refused("ask", "Who?", "--url", somebody_else) == "foreword: HTTP 422"


@pytest.mark.parametrize("command", COMMANDS)
def test_a_key_that_cannot_be_one_is_told_in_one_line(command: tuple[str, ...]) -> None:
    for key in ("schlüssel", "a\nb"):
        told = refused(*command, "--url", "http://127.0.0.1:9", "--key", key)
        assert told == "foreword: the key has characters that no key has"


def test_weights_need_a_directory_that_is_there(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    told = refused("tune", str(tmp_path / "set.json"), "--out", str(missing / "weights.json"))
    assert told == f"foreword: there is no directory {missing}"


@pytest.mark.parametrize("told", ["CC BY 4.0", "other=CC BY 4.0", "tiny=", "=x"])
def test_a_licence_is_of_a_set_that_is_there(tmp_path: Path, told: str) -> None:
    tiny = tmp_path / "set.json"
    session = {"id": "s", "date": "2026-01-01T00:00:00Z", "messages": []}
    conversation = {"id": "c", "sessions": [session]}
    tiny.write_text(json.dumps({"name": "tiny", "conversations": [conversation], "questions": []}))
    said = refused("tune", str(tiny), "--out", str(tmp_path / "w.json"), "--licence", told)
    assert said.startswith("foreword: --licence ")
    assert said.endswith(": NAME=TEXT, of one of tiny")


@pytest.mark.parametrize(
    "command",
    [
        ["doctor"],
        ["doctor", "--fix"],
        ["reindex"],
        ["backup"],
        ["export"],
        ["ask", "what"],
        ["conversations"],
        ["history", "0198e3a4-0000-7000-8000-000000000000"],
        ["forget", "user", "alice", "--yes"],
        ["flags"],
    ],
    ids=" ".join,
)
def test_who_only_asks_makes_no_database(tmp_path: Path, command: list[str]) -> None:
    missing = tmp_path / "missing"
    told = refused(*command, "--data-dir", str(missing))
    assert told == f"foreword: there is no database in {missing}"
    assert not missing.exists()


def test_of_no_database_there_are_no_keys(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    listed = run("keys", "list", "--json", "--data-dir", str(missing))
    assert (listed.exit_code, json.loads(listed.stdout)) == (0, [])
    own_id = "0198e3a4-0000-7000-8000-000000000000"
    told = refused("keys", "revoke", own_id, "--data-dir", str(missing))
    assert told == "foreword: There is no such API key."
    assert not missing.exists()


def test_of_no_database_there_is_no_backup(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    told = refused("backup", str(tmp_path / "x.backup"), "--data-dir", str(missing))
    assert told == f"foreword: there is no database in {missing}"
    assert list(tmp_path.iterdir()) == []


def test_a_service_elsewhere_writes_no_file_here(tmp_path: Path) -> None:
    file = tmp_path / "x.backup"
    told = refused("backup", str(file), "--url", "http://127.0.0.1:9")
    assert told.endswith("its own data directory: --url takes no FILE")
    assert not file.exists()


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


def test_the_version_is_told() -> None:
    ended = run("--version")
    assert (ended.exit_code, ended.stdout) == (0, f"{__version__}\n")


OBEYED = "\x1b]52;c;aGk=\x07 \x1b[2J \x9b31m \x7f \r"


@given(st.text(st.characters(codec="utf-8"), max_size=50))
def test_no_character_that_a_terminal_obeys_is_shown(said: str) -> None:
    shown = harmless(said + OBEYED)
    assert all(each.isprintable() or each in "\t\n" or ord(each) >= 0xA0 for each in shown)
    assert harmless(shown) == shown
    assert shown.startswith(said) or not said.isprintable()


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

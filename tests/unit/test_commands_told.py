"""What a command tells fits where it is read: a narrow terminal, few letters, a machine."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from app.cli import app

LISTED = {
    "id": "0198e3a4-0000-7000-8000-000000000000",
    "external_id": "chat-2026-11-27-about-the-harbour",
    "label": "Die Kräne im Hafen",
    "folder": "/work/harbour/cranes",
    "created_at": "2026-03-01T12:00:00Z",
    "last_message_at": None,
    "message_count": 12,
}
MISSING = {
    "type": "/problems/memory-not-found",
    "title": "There is no such memory item.",
    "status": 404,
    "detail": "There is no such memory item.",
}


class Service(BaseHTTPRequestHandler):
    """Lists one conversation, and has nothing else."""

    def do_GET(self) -> None:
        listing = self.path.startswith("/conversations?")
        told = {"items": [LISTED], "next_cursor": None} if listing else MISSING
        body = json.dumps(told).encode()
        self.send_response(200 if listing else 404)
        self.send_header("X-Request-ID", "1")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_DELETE = do_GET  # noqa: N815  (as the library calls it)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def url() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Service) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def run(*arguments: str, columns: int = 200, charset: str = "utf-8") -> Result:
    return CliRunner(charset=charset).invoke(app, arguments, env={"COLUMNS": str(columns)})


def test_a_list_is_a_table_where_there_is_room_and_else_names_all_in_full(url: str) -> None:
    head, line = run("conversations", "--url", url).stdout.splitlines()
    assert head.split() == ["id", "last", "said", "label", "name", "folder"]
    assert line.split()[:3] == [LISTED["id"], "2026-03-01", "12"]
    first, *others = run("conversations", "--url", url, columns=80).stdout.splitlines()
    assert first.split() == [LISTED["id"], "2026-03-01", "12", "said"]
    told = " ".join(" ".join(others).split())
    assert told == f"{LISTED['label']} · {LISTED['external_id']} · {LISTED['folder']}"


def test_a_letter_that_the_output_has_not_is_spelled(url: str) -> None:
    listed = run("conversations", "--url", url, charset="ascii")
    assert (listed.exit_code, "Die Kr\\xe4ne im Hafen" in listed.stdout) == (0, True)
    told = run("conversations", "--url", url, "--json", charset="ascii")
    assert json.loads(told.stdout)["items"] == [LISTED]


def test_a_machine_is_told_what_is_refused_as_a_problem(url: str, tmp_path: Path) -> None:
    of_service = run("forget", "memory", "x", "--yes", "--url", url, "--json")
    here = run("ask", "Who?", "--data-dir", str(tmp_path / "x"), "--json")
    of_us = run("restore", __file__, "--data-dir", str(tmp_path / "y"), "--json")
    assert [each.exit_code for each in (of_service, here, of_us)] == [2, 2, 2]
    assert [each.stdout for each in (of_service, here, of_us)] == ["", "", ""]
    assert json.loads(of_service.stderr) == MISSING
    assert json.loads(here.stderr) == {
        "type": "about:blank",
        "title": "It cannot be done.",
        "detail": f"there is no database in {tmp_path / 'x'}",
    }
    told = json.loads(of_us.stderr)
    assert (told["type"], "is no backup" in told["detail"]) == ("/problems/backup-unusable", True)

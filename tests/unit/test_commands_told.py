"""What a command tells fits where it is read: a narrow terminal, few letters."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

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


class Service(BaseHTTPRequestHandler):
    """Lists one conversation."""

    def do_GET(self) -> None:
        body = json.dumps({"items": [LISTED], "next_cursor": None}).encode()
        self.send_response(200)
        self.send_header("X-Request-ID", "1")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

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

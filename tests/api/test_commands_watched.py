"""Long work of the command line, as a person at a terminal sees it."""

import json
import os
import pty
import subprocess
from pathlib import Path
from threading import Thread

import pytest

from tests.api.serving import COMMAND, PATIENCE, environment
from tests.tiny_set import tiny_set

MESSAGES = 600


def watched(directory: Path, *arguments: str) -> tuple[str, str]:
    """What a command writes to its output, and what it shows at a terminal."""
    ours, theirs = pty.openpty()
    shown: list[bytes] = []
    looking = Thread(target=_look, args=(ours, shown))
    looking.start()
    ended = subprocess.run(
        [COMMAND, *arguments],
        env=environment(directory) | {"TERM": "xterm", "COLUMNS": "160"},
        stdout=subprocess.PIPE,
        stderr=theirs,
        timeout=PATIENCE,
        check=False,
        cwd=directory,
    )
    os.close(theirs)
    looking.join()
    os.close(ours)
    told = b"".join(shown).decode()
    assert ended.returncode == 0, told
    return ended.stdout.decode(), told


def _look(terminal: int, shown: list[bytes]) -> None:
    try:
        while piece := os.read(terminal, 65_536):
            shown.append(piece)
    except OSError:  # how a terminal ends
        pass


@pytest.fixture
def file(tmp_path: Path) -> Path:
    said = [{"role": "user", "content": f"Report {each} is late."} for each in range(MESSAGES)]
    path = tmp_path / "said.json"
    path.write_text(json.dumps(said))
    return path


def test_long_work_shows_its_rate_and_the_time_left(file: Path, tmp_path: Path) -> None:
    _, importing = watched(tmp_path, "import", str(file), "--user-id", "alice")
    _, exporting = watched(tmp_path, "export", "all.ndjson")
    _, reindexing = watched(tmp_path, "reindex", "vectors")
    _, backing_up = watched(tmp_path, "backup", "all.zip")
    _, restoring = watched(tmp_path, "restore", "all.zip", "--force")
    _, forgetting = watched(tmp_path, "forget", "user", "alice", "--yes")
    for name, unit, shown in (
        ("sending", "B/s", importing),
        ("exporting", "messages/s", exporting),
        ("working", "items/s", reindexing),
        ("packing", "B/s", backing_up),
        ("unpacking", "B/s", restoring),
        ("erasing", "items/s", forgetting),
    ):
        for told in (name, unit, "left"):
            assert told in shown
    first = json.loads((tmp_path / "all.ndjson").read_text().partition("\n")[0])
    assert first["messages"] == MESSAGES
    assert "100%" in exporting


def test_learning_shows_its_rate_and_the_time_left(tmp_path: Path) -> None:
    (tmp_path / "tiny.json").write_text(json.dumps(tiny_set()))
    _, shown = watched(tmp_path, "tune", "tiny.json", "--out", "weights.json")
    for told in ("storing", "messages/s", "asking", "questions/s", "learning", "networks/s"):
        assert told in shown


def test_a_machine_is_shown_nothing(file: Path, tmp_path: Path) -> None:
    printed, shown = watched(tmp_path, "import", str(file), "--user-id", "bob", "--json")
    assert json.loads(printed)["messages"] == MESSAGES
    assert shown == ""
    printed, shown = watched(tmp_path, "forget", "user", "bob", "--yes", "--json")
    assert json.loads(printed)["erased"]["messages"] == MESSAGES
    assert shown == ""

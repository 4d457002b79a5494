"""What the README and the pages under docs tell to type does what they say."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api.serving import COMMAND, PATIENCE, Server, environment, serving, store
from tests.exports import HUGIN, chatgpt_conversation, spelled, zipped
from tests.readme import HERE, examples
from tests.tiny_set import tiny_set


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def server(home: Path) -> Iterator[Server]:
    """One for all of these tests: each looks at what is its own."""
    with serving(home) as server:
        yield server


def did(directory: Path, *command: str) -> str:
    """What it prints in a shell that knows `foreword`, and whose service keeps its data there."""
    known = environment(directory)
    ended = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        cwd=directory,
        env=known | {"PATH": f"{COMMAND.parent}{os.pathsep}{known['PATH']}"},
    )
    assert ended.returncode == 0, (command, ended.stderr)
    return ended.stdout


def typed(directory: Path, script: str, server: Server | None = None) -> str:
    """What a block of a page prints; its addresses are those of `server`."""
    if "curl" in script and shutil.which("curl") is None:
        pytest.skip("there is no curl")
    return did(directory, "bash", "-ec", script.replace(HERE, server.url) if server else script)


def meant(synopsis: str, **given: str) -> list[str]:
    """
    The commands of which a line of a page tells the form, with all of their options.

    One for each alternative of `a|b`; `given` stands for the words that the line leaves open.
    """
    line = synopsis.partition("#")[0].strip()
    for word, instead in given.items():
        line = re.sub(rf"\b{word}\b", instead, line)
    whole = re.sub(r"[][…]", "", line)
    choice = re.search(r"\S+\|\S+", whole)
    return [whole.replace(choice[0], way) for way in choice[0].split("|")] if choice else [whole]


def test_a_line_that_tells_a_form_means_commands() -> None:
    told = "look a|b FILE… [--far] [--at PLACE]  # why"
    assert meant(told, FILE="f", PLACE="x") == [
        "look a f --far --at x",
        "look b f --far --at x",
    ]


def test_a_first_conversation_is_remembered(server: Server, home: Path) -> None:
    (first,) = examples("sh", "A first conversation")
    said = typed(home, first, server)
    assert "We picked PostgreSQL, because of its full-text search." in said


def test_python_remembers_and_asks(server: Server, home: Path) -> None:
    (python,) = examples("python", "From Python")
    printed = did(home, sys.executable, "-c", python.replace(HERE, server.url))
    assert "> The build machine is called Hugin." in printed


def test_a_memory_is_moved_in_and_out(server: Server, home: Path) -> None:
    (home / "chatgpt.zip").write_bytes(
        zipped(conversations_json=spelled([chatgpt_conversation(title="Moved")]))
    )
    (moving,) = examples("sh", "Moving in and out")
    moved = typed(home, moving, server)
    assert "1 conversation, 3 messages" in moved
    for file in ("memory.ndjson", "alice.ndjson"):
        assert HUGIN in (home / file).read_text()
    told = re.search(r'"messages":0,"duplicates":(\d+),"rejected":\[\]', moved)
    assert told is not None, moved
    assert int(told[1]) >= 3


def test_a_user_agrees_and_has_a_profile(server: Server, home: Path) -> None:
    (agreeing,) = examples("sh", "Consent and profiles")
    typed(home, agreeing, server)
    with server.memory() as memory:
        consent, profile = memory.consent("alice"), memory.profile("alice")
    assert consent["purposes"]["profile"] is True
    assert consent["grants"]["profile"]["source"] == "settings page"
    assert profile["preferences"] == {"codingStyle": "functional"}
    assert profile["context"] == {"domain": "billing"}
    assert profile["notes"] == "Short answers, please."


def test_keys_are_made_listed_and_revoked(tmp_path: Path) -> None:
    (told,) = examples("sh", "Keys")
    *making, revoking = told.splitlines()
    typed(tmp_path, "\n".join(making))
    ci, backend = json.loads(did(tmp_path, "foreword", "keys", "list", "--json"))
    assert {each["name"]: each["scopes"] for each in (ci, backend)} == {
        "backend": ["read", "write"],
        "ci": ["read"],
    }
    (revoke,) = meant(revoking, ID=backend["id"])
    assert backend["id"] in typed(tmp_path, revoke)


def test_a_store_is_looked_after(tmp_path: Path) -> None:
    (told,) = examples("sh", "Looking after it")
    lines = {line.split()[1]: line for line in told.splitlines()}
    assert lines.keys() == {"backup", "restore", "reindex", "doctor"}
    other = tmp_path / "other"
    other.mkdir()
    with serving(tmp_path) as server:
        with server.client() as client:
            store(client, HUGIN)
        for name in ("backup", "reindex", "doctor"):
            for command in meant(lines[name], FILE="memory.zip"):
                typed(tmp_path, command)
    (restore,) = meant(lines["restore"], FILE=str(tmp_path / "memory.zip"))
    assert "1 message," in typed(other, restore)


def test_retrieval_is_measured_and_tuned(tmp_path: Path) -> None:
    (tmp_path / "tiny.json").write_text(json.dumps(tiny_set()))
    (told,) = examples("sh", "Measuring and tuning")
    measuring, tuning = told.splitlines()
    engines = {"database-url URL": "database-url sqlite+aiosqlite:///measured.db"}
    engines |= {"qdrant-url URL": "qdrant-url :memory:"}
    told_of = {"SHARE": "0.5", "NAME": "tiny", "TEXT": "CC0"}
    (tune,) = meant(tuning, SET="tiny.json", FILE="weights.json", **told_of)
    (evaluate,) = meant(measuring, SET="tiny.json", FILE="weights.json", **engines)
    for command in (tune, evaluate):
        assert json.loads(typed(tmp_path, command))["tables"]

"""A command loads what it needs, and asking what there is loads hardly anything."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.api.serving import COMMAND, PATIENCE, environment

SERVING = {"fastapi", "starlette", "uvicorn", "qdrant_client", "qdrant_edge", "onnxruntime"}
SLOW = {*SERVING, "sqlalchemy", "numpy", "httpx", "mcp", "pydantic_settings", "structlog"}


def loaded(directory: Path, *arguments: str) -> tuple[int, set[str]]:
    """How a command ended, and which of the slow packages it imported."""
    ended = subprocess.run(
        [sys.executable, "-X", "importtime", COMMAND, *arguments],
        env=environment(directory),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        cwd=directory,
    )
    lines = [line for line in ended.stderr.splitlines() if line.startswith("import time:")]
    packages = {line.rpartition("|")[2].strip().partition(".")[0] for line in lines}
    assert "typer" in packages
    return ended.returncode, packages & SLOW


@pytest.mark.parametrize("command", ["", "keys list", "mcp", "eval", "serve", "ask", "doctor"])
def test_to_help_loads_nothing_slow(tmp_path: Path, command: str) -> None:
    assert loaded(tmp_path, *command.split(), "--help") == (0, set())


def test_keys_need_the_database_alone(tmp_path: Path) -> None:
    assert loaded(tmp_path, "migrate")[0] == 0
    code, packages = loaded(tmp_path, "keys", "list")
    assert (code, packages & SERVING) == (0, set())
    assert "sqlalchemy" in packages


def test_backups_need_the_database_alone(tmp_path: Path) -> None:
    assert loaded(tmp_path, "migrate")[0] == 0
    needed = {"sqlalchemy", "pydantic_settings", "numpy"}
    assert loaded(tmp_path, "backup", "memory.zip") == (0, needed)


def test_asking_a_server_needs_a_client_alone(tmp_path: Path) -> None:
    asking = ("ask", "anything", "--url", "http://127.0.0.1:1")
    assert loaded(tmp_path, *asking) == (2, {"httpx", "pydantic_settings"})

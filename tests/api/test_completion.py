"""The shell completes the command once it is told to."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.api.serving import COMMAND, PATIENCE, environment

ASKING = """
complete() {{ COMP_WORDS=({words}); COMP_CWORD={last}; _foreword_completion foreword; }}
complete; echo "${{COMPREPLY[@]}}"
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """That of somebody who had the completion installed."""
    if shutil.which("bash") is None:
        pytest.skip("there is no bash")
    home = tmp_path_factory.mktemp("home")
    assert "completion installed" in bash(home, "-c", "foreword --install-completion; true")
    return home


def bash(home: Path, *arguments: str) -> str:
    path = f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}"
    ended = subprocess.run(
        ["bash", *arguments],
        env=environment(home) | {"HOME": str(home), "PATH": path},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        cwd=home,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("foreword re", {"restore", "reindex"}),
        ("foreword ask --ex", {"--explain"}),
        ("foreword keys ''", {"create", "list", "revoke"}),
        ("foreword reindex ''", {"fts", "vectors", "graph", "distilled"}),
    ],
)
def test_bash_completes_commands_options_and_what_they_take(
    home: Path, words: str, completed: set[str]
) -> None:
    asked = ASKING.format(words=words, last=len(words.split()) - 1)
    assert set(bash(home, "-ic", asked).split()) == completed


def test_what_is_installed_can_be_looked_at(home: Path) -> None:
    shown = bash(home, "-c", "foreword --show-completion; true")
    assert shown.strip() in (home / ".bash_completions" / "foreword.sh").read_text()

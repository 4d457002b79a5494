"""The server as an operator runs it: started, stopped, killed, damaged, misconfigured."""

import json
import re
import shutil
import socket
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.api.serving import (
    Server,
    context,
    distil_nothing,
    eventually,
    run,
    serving,
    serving_by_itself,
    store,
)
from tests.api.speaking import problem
from tests.stand_in_qdrant import refusing_port

HUGIN = "The server of the api team is called Hugin."
QUERY = "What is the server called?"


def parts(client: httpx.Client) -> dict[str, Any]:
    answer = client.get("/readyz")
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()["parts"]
    return found


def test_it_tells_where_data_and_docs_are_and_ends_when_asked(tmp_path: Path) -> None:
    with serving_by_itself(tmp_path) as server:
        assert f"Data: {tmp_path / 'data'}\n" in server.said
        assert re.search(r"^Page: http://127\.0\.0\.1:[1-9]\d*/ui$", server.said, re.MULTILINE)
        assert re.search(r"^Docs: http://127\.0\.0\.1:[1-9]\d*/docs$", server.said, re.MULTILINE)
        with server.client() as client:
            assert client.get("/docs").status_code == 200
            store(client, HUGIN)
        assert server.end() == 0
        assert "Traceback" not in server.log
        assert (tmp_path / "data" / "foreword.db").exists()


def test_it_ends_well_while_requests_run(tmp_path: Path) -> None:
    with serving(tmp_path) as server, server.client() as client:
        waiting = threading.Thread(target=store, args=(client, *(f"Nr. {n}" for n in range(300))))
        waiting.start()
        store(client, HUGIN, wait=False)
        code = server.end()
        waiting.join()
        assert code == 0
        assert "Traceback" not in server.log


def test_the_serving_process_holds_no_torch_and_no_compiler(tmp_path: Path) -> None:
    with serving_by_itself(tmp_path) as server, server.client() as client:
        store(client, HUGIN)
        assert context(client, QUERY)["metadata"]["degraded"] == []
        mapped = Path(f"/proc/{server.process.pid}/maps").read_text()
    files = {line.split(maxsplit=5)[5] for line in mapped.splitlines() if "/" in line}
    packages = {name for each in files for name in Path(each).parts}
    assert "onnxruntime" in packages
    assert not {"torch", "onnx", "sentence_transformers", "transformers"} & packages


def test_logs_are_lines_of_json_without_anybodys_words(tmp_path: Path) -> None:
    canary = "zanzibarcanary"
    with serving(tmp_path, LOG__LEVEL="debug") as server, server.client() as client:
        stored = store(client, f"The password is {canary}.", user_id="alice", label=canary)
        for query in (canary, f"What about {canary}?"):
            assert len(context(client, query, user_id="alice")["retrieved_memories"]) == 1
            client.post("/search", json={"query": query, "user_id": "alice"})
            client.get("/memory/debug/retrieval", params={"q": query, "user_id": "alice"})
        client.post("/conversations", json={"messages": [{"role": canary, "content": canary}]})
        client.post("/context", content=f'{{"query": "{canary}'.encode())
        client.delete(f"/conversations/{stored['id']}")
        server.end()
        lines = server.log.splitlines()
        assert canary not in server.log
    assert lines
    assert all({"event", "level", "timestamp"} <= set(json.loads(line)) for line in lines)


class Writer(threading.Thread):
    """Says one numbered thing after the other; an unanswered one again, to the next server."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.conversation = name
        self.acknowledged: list[str] = []
        self.server: Server | None = None

    def run(self) -> None:
        assert self.server is not None
        with self.server.client() as client:
            try:
                while self.say_next(client):
                    pass
            except httpx.TransportError:
                pass  # the server was killed: what was being said is not acknowledged

    def say_next(self, client: httpx.Client) -> bool:
        said = f"{self.conversation} says that number {len(self.acknowledged)} is drawn."
        message = {"role": "user", "content": said, "external_id": said}
        body = {"external_id": self.conversation, "messages": [message]}
        answer = client.post("/conversations", json=body)
        if answer.status_code == 201:
            self.acknowledged.append(said)
        return answer.status_code == 201

    def again(self) -> "Writer":
        writer = Writer(self.conversation)
        writer.acknowledged = self.acknowledged
        return writer


def stored_by(client: httpx.Client, writer: Writer) -> list[str]:
    (found,) = client.get("/conversations", params={"q": writer.conversation}).json()["items"]
    path = f"/conversations/{found['id']}/messages"
    return [each["content"] for each in client.get(path, params={"limit": 500}).json()["items"]]


def test_what_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    writers = [Writer("Anna"), Writer("Bert"), Writer("Carl")]
    for killed_after in (5, 40, 90):
        writers = [each.again() for each in writers]
        with serving(tmp_path) as server:
            for each in writers:
                each.server = server
                each.start()
            eventually(lambda: min(len(w.acknowledged) for w in writers) >= killed_after)  # noqa: B023
            server.kill()
            for each in writers:
                each.join()

    with serving(tmp_path) as server, server.client() as client:
        store(client)
        for each in writers:
            stored = stored_by(client, each)
            assert len(stored) == len(set(stored))
            assert stored[: len(each.acknowledged)] == each.acknowledged
            assert len(stored) - len(each.acknowledged) in {0, 1}
        stats = client.get("/memory/debug/stats").json()
        assert (
            stats["messages"] == stats["vectors"] == sum(len(stored_by(client, w)) for w in writers)
        )
        # Else the graph finds it, too, where it knows by then who says it.
        client.put("/flags", json={"graph": False}).raise_for_status()
        everything = [said for each in writers for said in each.acknowledged]
        for said in everything[::25]:
            first = context(client, said, max_items=1)["retrieved_memories"][0]
            assert (first["content"], first["sources"]) == (said, ["lexical", "semantic"])


def embedded_texts(client: httpx.Client) -> float:
    line = re.search(
        r"^foreword_embed_batch_size_sum (\S+)$", client.get("/metrics").text, re.MULTILINE
    )
    assert line is not None
    return float(line[1])


def test_a_lost_vector_directory_heals_without_embedding_again(tmp_path: Path) -> None:
    said = [f"Number {n} on the list of {HUGIN}" for n in range(300)]
    with serving(tmp_path) as server, server.client() as client:
        distil_nothing(client)
        store(client, *said)
        assert embedded_texts(client) >= 300
        server.end()
    shutil.rmtree(tmp_path / "data" / "vectors")

    with serving(tmp_path) as server, server.client() as client:
        eventually(lambda: client.get("/memory/debug/stats").json()["vectors"] == 300)
        assert embedded_texts(client) < 30
        eventually(lambda: parts(client)["vectors"]["status"] == "ok")
        found = context(client, "How is the machine named?")
        assert found["metadata"]["degraded"] == []
        assert found["retrieved_memories"][0]["sources"] == ["semantic"]


def test_a_port_that_is_taken_is_told_with_the_way_out(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        ended = run(tmp_path, "serve", "--port", port)

    assert ended.returncode == 3
    assert "Traceback" not in ended.stderr
    (told,) = [line for line in ended.stderr.splitlines() if line.startswith("foreword: ")]
    assert told.startswith(f"foreword: cannot listen on 127.0.0.1, port {port}: another program")
    assert told.endswith("--port takes another, 0 a free one")


def test_a_second_server_on_the_same_data_refuses(tmp_path: Path) -> None:
    with serving(tmp_path) as server, server.client() as client:
        store(client, HUGIN)

        second = run(tmp_path, "serve", "--port", "0")

        assert second.returncode == 3
        assert "Traceback" not in second.stderr
        told = [line for line in second.stderr.splitlines() if "data directory" in line]
        assert len(told) == 1
        assert "another process has this data directory open" in told[0]
        assert len(context(client, QUERY)["retrieved_memories"]) == 1
        assert server.end() == 0


def test_without_its_model_it_starts_and_finds_words(tmp_path: Path) -> None:
    missing = {"EMBEDDER__MODEL": "/nonexistent", "MODEL_CACHE": str(tmp_path / "empty")}
    with serving(tmp_path, **missing) as server, server.client() as client:
        check_that_words_are_found(client)
        assert parts(client)["embedder"]["status"] == "down"
        assert server.end() == 0
        assert "no embedder: semantic search is off" in server.log
        assert "Traceback" not in server.log


def test_without_its_vector_server_it_starts_and_finds_words(tmp_path: Path) -> None:
    with (
        refusing_port() as url,
        serving(tmp_path, QDRANT__URL=url) as server,
        server.client() as client,
    ):
        check_that_words_are_found(client)
        assert parts(client)["embedder"]["status"] == "ok"
        assert server.end() == 0
        assert "Traceback" not in server.log


def check_that_words_are_found(client: httpx.Client) -> None:
    store(client, HUGIN, wait=False)
    found = context(client, QUERY)
    assert [each["content"] for each in found["retrieved_memories"]] == [HUGIN]
    assert [each["source"] for each in found["metadata"]["degraded"]] == ["semantic"]
    assert parts(client)["vectors"]["status"] == "down"


def test_what_was_stored_without_the_model_is_indexed_once_it_is_there(tmp_path: Path) -> None:
    with serving(tmp_path, EMBEDDER__MODEL="/nonexistent") as server, server.client() as client:
        store(client, HUGIN, wait=False)
        server.end()

    with serving(tmp_path) as server, server.client() as client:
        store(client)
        memories = context(client, QUERY)["retrieved_memories"]
        assert [each["sources"] for each in memories] == [["lexical", "semantic"]]


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"COLOUR": "blue"}, "FOREWORD_COLOUR"),
        ({"SERVER__COLOUR": "blue"}, "FOREWORD_SERVER__COLOUR"),
        ({"SERVER__PORT": "65536"}, "FOREWORD_SERVER__PORT"),
        ({"SERVER__PORT": "http"}, "FOREWORD_SERVER__PORT"),
        ({"CACHE__TTL_S": "-1"}, "FOREWORD_CACHE__TTL_S"),
        ({"RETRIEVAL__FLOOR": "2"}, "FOREWORD_RETRIEVAL__FLOOR"),
        ({"EMBEDDER__PRECISION": "int4"}, "FOREWORD_EMBEDDER__PRECISION"),
        ({"LOG__LEVEL": "loud"}, "FOREWORD_LOG__LEVEL"),
        ({"TOKENIZER__ENCODING": "klingon"}, "FOREWORD_TOKENIZER__ENCODING"),
        ({"DATABASE__URL": "mysql://root@localhost/x"}, "FOREWORD_DATABASE__URL"),
        ({"DATABASE__URL": "no url"}, "FOREWORD_DATABASE__URL"),
        ({"DATABASE__URL": "postgresql+asyncpg://a:b@db:x/c"}, "FOREWORD_DATABASE__URL"),
        ({"DATABASE__REPLICA_URL": "postgresql+asyncpg://db:65536/c"}, "DATABASE__REPLICA_URL"),
        ({"QDRANT__URL": "qdrant:6333"}, "FOREWORD_QDRANT__URL"),
        ({"QDRANT__URL": "http://qdrant:port"}, "FOREWORD_QDRANT__URL"),
        ({"EMBEDDER__KIND": "ollama", "EMBEDDER__BASE_URL": "ollama"}, "EMBEDDER__BASE_URL"),
        ({"LLM__MODEL": "m", "LLM__URL": "//llm"}, "FOREWORD_LLM__URL"),
        ({"RETRIEVAL__WEIGHTS": "/nonexistent"}, "FOREWORD_RETRIEVAL__WEIGHTS"),
        ({"RETRIEVAL__WEIGHTS": __file__}, "FOREWORD_RETRIEVAL__WEIGHTS"),
        ({"CONFIG": "/nonexistent.toml"}, "FOREWORD_CONFIG"),
        ({"SERVER__HOST": "0.0.0.0"}, "FOREWORD_SERVER__ALLOW_PUBLIC=true"),  # noqa: S104
    ],
    ids=str,
)
def test_an_impossible_setting_ends_it_with_one_line(
    tmp_path: Path, settings: dict[str, str], named: str
) -> None:
    ended = run(tmp_path, "serve", "--port", "0", **settings)

    assert ended.returncode == 2
    (line,) = ended.stderr.splitlines()
    assert line.startswith("foreword: ")
    assert named in line
    assert ended.stdout == ""


@pytest.mark.parametrize("command", ["serve --port 0", "migrate", "demo", "mcp", "import file"])
def test_a_data_directory_that_cannot_be_made_ends_it_with_one_line(
    tmp_path: Path, command: str
) -> None:
    (tmp_path / "file").touch()

    unusable = str(tmp_path / "file" / "data")
    ended = run(tmp_path, *command.split(), "--data-dir", unusable)

    assert (ended.returncode, ended.stdout) == (2, "")
    (line,) = ended.stderr.splitlines()
    assert line == f"foreword: nothing can be kept in {unusable}: Not a directory"


def test_it_listens_to_others_only_where_that_is_allowed(tmp_path: Path) -> None:
    refused = run(tmp_path, "serve", "--port", "0", "--host", "0.0.0.0")  # noqa: S104
    assert (refused.returncode, refused.stdout) == (2, "")

    public = {"SERVER__HOST": "0.0.0.0", "SERVER__ALLOW_PUBLIC": "true"}  # noqa: S104
    with serving(tmp_path, **public) as server:
        assert server.end() == 0


def test_a_database_that_does_not_answer_ends_it_with_one_line(tmp_path: Path) -> None:
    with refusing_port() as url:
        address = url.replace("http://", "postgresql+asyncpg://root@")
        ended = run(tmp_path, "serve", "--port", "0", DATABASE__URL=f"{address}/nowhere")

    assert ended.returncode == 3
    assert "Traceback" not in ended.stderr


def made_key(directory: Path, *more: str) -> str:
    made = run(directory, "keys", "create", "--tenant", "acme", "--name", "mine", *more, "--json")
    assert (made.returncode, made.stderr) == (0, "")
    told: dict[str, str] = json.loads(made.stdout)
    (listed,) = (
        each
        for each in json.loads(run(directory, "keys", "list", "--json").stdout)
        if each["id"] == told["id"]
    )
    assert {**listed, "last_used_at": None} == {k: v for k, v in told.items() if k != "key"}
    return told["key"]


def test_keys_are_made_listed_and_revoked_before_and_while_it_runs(tmp_path: Path) -> None:
    before = made_key(tmp_path, "--scopes", "read", "--expires", "30d")
    with serving(tmp_path) as server, server.client() as client:
        assert client.get("/conversations").status_code == 401
        while_running = made_key(tmp_path)
        for key, status in ((before, 403), (while_running, 201)):
            headers = {"Authorization": f"Bearer {key}"}
            assert client.get("/conversations", headers=headers).status_code == 200
            answer = client.post("/conversations", json={"messages": []}, headers=headers)
            assert answer.status_code == status

        # Commands that a running server carries out need no key of anybody's.
        assert run(tmp_path, "doctor", "--json").returncode == 0
        listed = json.loads(run(tmp_path, "keys", "list", "--json").stdout)
        assert [each["scopes"] for each in listed] == [["read"], ["read", "write"]]
        assert before not in str(listed)
        revoked = run(tmp_path, "keys", "revoke", listed[0]["id"])
        assert revoked.returncode == 0
        own = {"Authorization": f"Bearer {before}"}
        eventually(lambda: client.get("/conversations", headers=own).status_code == 401)
    table = run(tmp_path, "keys", "list", "--tenant", "acme").stdout
    assert "revoked" in table
    assert all(each["id"] in table for each in listed)
    assert json.loads(run(tmp_path, "keys", "list", "--tenant", "other", "--json").stdout) == []


def test_connections_that_ask_nothing_are_bounded(tmp_path: Path) -> None:
    with serving(tmp_path, SERVER__CONNECTIONS="3") as server, ExitStack() as idle:
        address = httpx.URL(server.url)
        for _ in range(3):
            idle.enter_context(socket.create_connection((address.host, address.port)))
        eventually(lambda: httpx.get(f"{server.url}/healthz").status_code == 503)
        for method, path in (("GET", "/healthz"), ("POST", "/context"), ("GET", "/nowhere")):
            answer = httpx.request(method, f"{server.url}{path}")
            told = problem(answer, 503, "too-many-connections")
            assert told["instance"] == path
            assert answer.headers["retry-after"] == "2"
            assert answer.headers["connection"] == "close"
        idle.close()
        eventually(lambda: httpx.get(f"{server.url}/healthz").status_code == 200)


def test_without_keys_it_says_at_start_who_is_answered(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        assert "there is no API key: callers on this machine are answered" in server.log


def test_with_a_key_it_listens_to_others(tmp_path: Path) -> None:
    made_key(tmp_path)
    with serving(tmp_path, SERVER__HOST="0.0.0.0") as server:  # noqa: S104
        assert server.end() == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("create", "--tenant", "a/b", "--name", "x"), "a tenant is named by"),
        (("create", "--tenant", "a", "--name", ""), "a name has"),
        (("create", "--tenant", "a", "--name", "x", "--scopes", "root"), "scopes are some of"),
        (("create", "--tenant", "a", "--name", "x", "--expires", "soon"), "an expiry is"),
        (("create", "--tenant", "a", "--name", "x", "--expires", "2020-01-01"), "in the future"),
        (("revoke", "01a201fa-4949-744c-ba5b-d32285a280de"), "There is no such API key."),
    ],
)
def test_a_mistake_about_keys_ends_with_one_line(
    tmp_path: Path, arguments: tuple[str, ...], told: str
) -> None:
    ended = run(tmp_path, "keys", *arguments)
    assert (ended.returncode, ended.stdout) == (2, "")
    (line,) = ended.stderr.splitlines()
    assert line.startswith("foreword: ")
    assert told in line

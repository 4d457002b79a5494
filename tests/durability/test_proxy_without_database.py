"""The proxy goes on while PostgreSQL is away, and stores what was said when it is back."""

import json
from pathlib import Path

import httpx
import pytest

from tests.api.serving import eventually, run, serving
from tests.durability.cluster import a_cluster
from tests.stand_in_model import said_back, stand_in_model

pytestmark = pytest.mark.durability


def test_calls_through_the_proxy_go_on_while_the_database_is_away(tmp_path: Path) -> None:
    with a_cluster() as cluster, stand_in_model() as model:
        settings = {"DATABASE__URL": cluster.url, "PROXY__UPSTREAM_URL": model.url}
        made = run(
            tmp_path, "keys", "create", "--tenant", "acme", "--name", "n", "--json", **settings
        )
        headers = {"X-Foreword-Key": json.loads(made.stdout)["key"]}
        quick = {"KEYS__REMEMBERED_S": "0.05", **settings}
        with serving(tmp_path, **quick) as server, server.client() as client:
            assert complete(client, headers).status_code == 200
            cluster.stop()
            eventually(lambda: client.get("/conversations", headers=headers).status_code == 503)
            model.answers(said_back("Still here."))
            answer = complete(client, headers)
            assert (answer.status_code, answer.headers["x-foreword-memory"]) == (200, "failed")
            assert answer.json()["choices"][0]["message"]["content"] == "Still here."
            for refused in ({"X-Foreword-Key": "fwd_" + "A" * 43}, {}):
                assert complete(client, refused).status_code in {401, 503}
            cluster.start()
            eventually(lambda: said_by(client, headers)[-1:] == ["Still here."])
            assert server.end() == 0
            assert "Traceback" not in server.log


def complete(client: httpx.Client, headers: dict[str, str]) -> httpx.Response:
    body = {"model": "x", "user": "alice", "messages": [{"role": "user", "content": "Hello?"}]}
    named = {"X-Foreword-Conversation": "c", **headers}
    return client.post("/v1/chat/completions", json=body, headers=named)


def said_by(client: httpx.Client, headers: dict[str, str]) -> list[str]:
    page = client.get("/conversations", params={"user_id": "alice"}, headers=headers)
    found = page.json().get("items", [])
    if not found:
        return []
    answer = client.get(f"/conversations/{found[0]['id']}/messages", headers=headers)
    return [each["content"] for each in answer.json().get("items", [])]

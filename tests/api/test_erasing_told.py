"""A long erasure, which tells who asks how far it is, and ends though nobody listens any more."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from httpx import AsyncClient as Http

from app.client import ClientError, Message
from tests.api.serving import Server, eventually, serving
from tests.api.speaking import Json, get, problem, store

IN_LINES = {"Accept": "application/x-ndjson"}
MANY = 600
AT_ONCE = 200
NOBODY = "00000000-0000-7000-8000-000000000000"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("service")) as server:
        yield server


async def many(client: Http, **fields: Any) -> Json:
    await client.put("/flags", json={"facts": False, "summaries": False})
    said = [{"role": "user", "content": f"Report {each} is late."} for each in range(MANY)]
    for start in range(0, MANY, AT_ONCE):
        stored = await store(client, *said[start : start + AT_ONCE], **fields)
    return stored


@pytest.mark.parametrize("kind", ["users", "conversations"])
async def test_each_line_tells_how_far_it_is_and_the_last_is_the_receipt(
    client: Http, kind: str
) -> None:
    stored = await many(client, user_id="alice", external_id="reports")
    identity = "alice" if kind == "users" else stored["id"]

    answer = await client.delete(f"/{kind}/{identity}", headers=IN_LINES)

    assert answer.headers["content-type"] == "application/x-ndjson"
    *way, receipt = map(json.loads, answer.text.splitlines())
    assert (receipt["erased"]["messages"], receipt["remaining"]) == (MANY, 0)
    done = [each["done"] for each in way]
    assert (done[0], done[-1]) == (0, MANY)
    assert sorted(set(done)) == [0, AT_ONCE, 2 * AT_ONCE, MANY]
    assert done == sorted(done)
    assert {each["total"] for each in way} == {MANY}
    assert (await get(client, "/conversations", user_id="alice"))["items"] == []


async def test_what_is_refused_is_refused_as_ever(alone: Http) -> None:
    answer = await alone.delete(f"/conversations/{NOBODY}", headers=IN_LINES)
    problem(answer, 404, "conversation-not-found")
    receipt = (await alone.delete("/users/nobody", headers=IN_LINES)).json()
    assert receipt["erased"]["messages"] == 0


def test_it_goes_on_though_nobody_listens_any_more(server: Server) -> None:
    with server.memory() as memory, server.client() as http:
        memory.change_flags(facts=False, summaries=False)
        said: list[Message] = [{"role": "user", "content": f"Report {n}."} for n in range(MANY)]
        for start in range(0, MANY, AT_ONCE):
            memory.remember(said[start : start + AT_ONCE], user_id="eve", external_id="reports")
        with http.stream("DELETE", "/users/eve", headers=IN_LINES) as answer:
            assert "done" in json.loads(next(answer.iter_lines()))
        audit = "/admin/audit?action=erasure.ended&user_id=eve"
        (ended,) = eventually(lambda: http.get(audit).json()["items"])
        assert (ended["facts"]["messages"], ended["facts"]["resumed"]) == (MANY, False)


def test_clients_tell_it_of_whatever_is_erased(server: Server) -> None:
    with server.memory() as memory:
        first = memory.memorise("fact", "Cy lives in Rome.", user_id="cy")
        (receipt,) = memory.forgetting("memories", first["id"])
        assert receipt["erased"]["memory_items"] == 1
        *_, receipt = memory.forgetting("users", "cy")
        assert receipt["remaining"] == 0
        with pytest.raises(ClientError, match="no such conversation"):
            list(memory.forgetting("conversations", NOBODY))

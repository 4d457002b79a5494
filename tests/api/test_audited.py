"""Consent and erasure are in the audit log, whichever way they come, and on whose account."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from httpx import AsyncClient

from app.settings import Settings
from tests.api.keyed import EVERYTHING, a_key
from tests.api.listening import Listening, listening_to
from tests.api.proxied import HUGIN, eventually, in_front_of
from tests.api.serving import run, serving
from tests.api.serving import store as store_in
from tests.api.speaking import Json, erase, get, store, talking_to
from tests.api.test_mcp import a_model, told
from tests.stand_in_model import StandInModel, stand_in_model

CONSENT = {"purposes": {"profile": True}, "source": "form"}


@pytest.fixture
def model() -> Iterator[StandInModel]:
    with stand_in_model() as running:
        yield running


def keyed(listening: Listening, key: str) -> AsyncClient:
    headers = {"Authorization": f"Bearer {key}"}
    return AsyncClient(base_url=listening.url, headers=headers, timeout=60, trust_env=False)


async def noted(client: AsyncClient, **wanted: Any) -> list[str]:
    """What was done, oldest first."""
    entries = (await get(client, "/admin/audit", limit=200, **wanted))["items"]
    return [each["action"] for each in reversed(entries)]


async def once_noted(client: AsyncClient, action: str) -> list[Json]:
    """What is told of an action, as soon as there is any of it."""

    async def found() -> list[Json]:
        items: list[Json] = (await get(client, "/admin/audit", action=action))["items"]
        return items

    return await eventually(found)


async def test_what_a_user_agrees_to_and_what_goes_with_it(client: AsyncClient) -> None:
    user = "/users/alice"
    await client.put(f"{user}/consent", json=CONSENT)
    await client.put(f"{user}/profile", json={"notes": "Hello."})
    await client.delete(f"{user}/profile")
    await client.put(f"{user}/profile", json={"notes": "Hello."})
    await client.put(f"{user}/consent", json={"purposes": {"profile": False}})
    await client.delete(f"{user}/consent")

    assert await noted(client, user_id="alice") == [
        "consent.changed",
        "profile.changed",
        "profile.erased",
        "profile.changed",
        "consent.changed",
        "consent.revoked",
    ]
    (changed, agreed) = (await get(client, "/admin/audit", action="consent.changed"))["items"]
    assert agreed["facts"] == {"granted": ["profile"], "revoked": []}
    assert changed["facts"].pop("erasure_id")
    assert changed["facts"] == {
        "granted": [],
        "revoked": ["profile"],
        "consents": 1,
        "profiles": 1,
    }


@pytest.mark.parametrize(
    ("told", "more"),
    [
        ({"type": "fact", "content": "I live in Lisbon."}, {"importance": 8}),
        ({"type": "fact", "content": "I live in Lisbon."}, {"metadata": {"source": "form"}}),
        (
            {"type": "fact", "content": "First the milk.", "expires_at": "2099-01-01T00:00Z"},
            {"expires_at": "2099-02-01T00:00Z"},
        ),
    ],
    ids=["importance", "metadata", "expires_at"],
)
async def test_what_is_told_once_more_is_a_change_where_it_says_more(
    client: AsyncClient, told: Json, more: Json
) -> None:
    ids = [
        (await client.post("/memories", json=each)).json()["id"]
        for each in (told, told, {**told, **more}, {**told, **more})
    ]

    assert len(set(ids)) == 1
    assert await noted(client) == ["memory.stored", "memory.changed"]
    (changed,) = (await get(client, "/admin/audit", action="memory.changed"))["items"]
    assert (changed["subject"], changed["facts"]) == (f"memory:{ids[0]}", {"fields": list(more)})


async def test_a_summary_that_is_asked_for_but_none_that_is_there_already(
    client: AsyncClient,
) -> None:
    conversation = await store(client, "I moved to Lisbon in May.", "We decided on PostgreSQL.")
    path = f"/conversations/{conversation['id']}/summaries"

    made, same = [(await client.post(path, json={})).json()["id"] for _ in range(2)]

    assert made == same
    summed_up = (await get(client, "/admin/audit", action="memory.stored"))["items"]
    assert [(each["subject"], each["facts"]) for each in summed_up] == [
        (f"memory:{made}", {"type": "summary"})
    ]


async def test_every_erasure_by_the_id_of_its_receipt(client: AsyncClient) -> None:
    stored = [await store(client, HUGIN, f"note {n}", user_id="alice") for n in range(2)]
    kept = [
        (await client.post("/memories", json={"content": "Hello.", **about})).json()["id"]
        for about in ({"type": "fact", "user_id": "alice"}, {"type": "document", "source": "a"})
    ]
    await client.put("/users/alice/consent", json=CONSENT)
    paths = {
        f"/messages/{stored[0]['message_ids'][0]}": ["message.erased"],
        f"/memories/{kept[0]}": ["memory.erased"],
        f"/memories/{kept[1]}": ["memory.erased"],
        f"/conversations/{stored[0]['id']}": ["conversation.erased", "erasure.ended"],
        "/users/alice/consent": ["consent.revoked"],
        "/users/alice": ["user.erased", "erasure.ended"],
    }

    receipts = {path: await erase(client, path) for path in paths}

    lines = (await get(client, "/admin/audit", limit=200))["items"]
    for path, receipt in receipts.items():
        by_id = [each for each in lines if each["facts"].get("erasure_id") == receipt["erasure_id"]]
        assert [each["action"] for each in reversed(by_id)] == paths[path]
        assert len({each["subject"] for each in by_id}) == 1
        told = by_id[0]["facts"]
        counted = {name: count for name, count in receipt["erased"].items() if name in told}
        assert counted == {name: told[name] for name in counted}
        assert counted


async def test_what_an_import_agrees_to(client: AsyncClient) -> None:
    await client.put("/users/alice/consent", json=CONSENT)
    await client.put("/users/alice/profile", json={"notes": "Hello."})
    file = (await client.get("/export?user_id=alice")).content
    await client.delete("/users/alice")

    assert (await client.post("/import", content=file)).status_code == 200

    actions = ["consent.changed", "profile.changed"]
    before = [*actions, "memory.exported", "user.erased", "erasure.ended"]
    assert await noted(client, user_id="alice") == [*before, *actions]


async def test_what_is_exported(client: AsyncClient) -> None:
    await store(client, "The server is called Hugin.", "Its port is 8080.", user_id="alice")
    await client.get("/export?user_id=alice")
    await client.get("/export?embeddings=true")

    told = (await get(client, "/admin/audit", action="memory.exported"))["items"]

    whole, hers = told
    assert whole["subject"] == "tenant:local"
    assert whole["facts"] == {"messages": 2, "embeddings": True}
    assert hers["facts"] == {"messages": 2, "embeddings": False}
    assert (await get(client, "/admin/audit", user_id="alice"))["items"][0] == hers
    assert whole["actor"] == hers["actor"] == "anyone here"
    assert "Hugin" not in str(told)


async def test_what_ends_by_itself(embedded: Settings) -> None:
    """The janitor erases it at the next start; nobody asked for that."""
    async with talking_to(embedded) as client:
        fact = {"type": "fact", "content": "The lift is broken.", "user_id": "alice"}
        kept = await client.post("/memories", json={**fact, "expires_at": "2020-01-01T00:00:00Z"})
        assert kept.status_code == 201, kept.text
    async with talking_to(embedded) as client:
        (entry,) = await once_noted(client, "memory.expired")
        (ended,) = await once_noted(client, "erasure.ended")
    assert entry["facts"] == {"type": "fact", "erasure_id": ended["facts"]["erasure_id"]}
    assert ended["facts"]["memory_items"] == 1
    assert entry["actor"] == ended["actor"] == "service"
    assert entry["subject"] == f"memory:{kept.json()['id']}"


async def test_what_a_model_forgets(embedded: Settings) -> None:
    key_id, key = await a_key(embedded, "acme", scopes=EVERYTHING)
    async with listening_to(embedded) as listening, keyed(listening, key) as plain:
        stored = await store(plain, HUGIN, "more", user_id="alice")
        async with a_model(listening, key, user="alice") as model:
            await told(model, "forget", id=stored["message_ids"][0])
            await told(model, "forget", id=stored["id"])
        newest = (await get(plain, "/admin/audit", limit=3))["items"]
    assert [(each["action"], each["subject"]) for each in newest] == [
        ("erasure.ended", f"conversation:{stored['id']}"),
        ("conversation.erased", f"conversation:{stored['id']}"),
        ("message.erased", f"message:{stored['message_ids'][0]}"),
    ]
    assert {(each["actor"], each["key_id"]) for each in newest} == {("key", str(key_id))}


async def test_what_the_proxy_keeps(embedded: Settings, model: StandInModel) -> None:
    key_id, key = await a_key(embedded, "acme", scopes=EVERYTHING)
    async with in_front_of(model, embedded) as service, keyed(service.listening, key) as plain:
        await service.chat(HUGIN, user="alice", extra_headers={"X-Foreword-Key": key})

        (entry,) = await once_noted(plain, "conversation.stored")
    assert entry["key_id"] == str(key_id)


@pytest.mark.parametrize("served", [True, False])
def test_what_the_command_line_forgets(tmp_path: Path, served: bool) -> None:  # noqa: FBT001
    with serving(tmp_path) as server, server.client() as client:
        stored = store_in(client, HUGIN, user_id="alice")
        forgetting = ("forget", "message", stored["message_ids"][0], "--yes", "--json")
        if served:
            ended = run(tmp_path, *forgetting)
        else:
            assert server.end() == 0
    if not served:
        ended = run(tmp_path, *forgetting)
    assert (ended.returncode, json.loads(ended.stdout)["remaining"]) == (0, 0), ended.stderr
    with serving(tmp_path) as server, server.client() as client:
        newest: Json = client.get("/admin/audit").json()["items"][0]
    assert (newest["action"], newest["actor"]) == ("message.erased", "command")
    assert UUID(newest["subject"].removeprefix("message:")) == UUID(stored["message_ids"][0])

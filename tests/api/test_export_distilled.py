"""A memory that was distilled goes elsewhere whole: told, drawn, summed up, linked."""

import asyncio
import json
from typing import Any

from httpx import AsyncClient

from tests.api.speaking import Json, said, settled, store

HUGE = 2**80 + 1
"""More than 64 bits: JSON has such integers, databases and most parsers do not."""

OF_ALICE: dict[str, Any] = {"user_id": "alice", "limit": 200}


def at(moment: str, content: str | None, role: str = "user", **fields: Any) -> Json:
    name = {"name": "Alice"} if role == "user" else {}
    return said(content, role, created_at=f"2024-{moment}+00:00", **name, **fields)


async def fill(client: AsyncClient) -> None:
    """A user with all that can be told of one, and what is drawn from it."""
    for path, body in (
        ("consent", {"purposes": {"profile": True, "facts": True}, "source": "a form"}),
        ("profile", {"preferences": {"style": "terse", "n": HUGE}, "notes": "Hi."}),
    ):
        assert (await client.put(f"/users/alice/{path}", json=body)).status_code == 200
    called = {"name": "weather", "arguments": '{"city": "Lisbon"}'}
    call = {"id": "t", "type": "function", "function": called, "n": HUGE}
    await store(
        client,
        said("Be brief.", "system"),
        at("05-01T10:00:00.123456", "Hi! I'm Alice. I live in Rome. We use PostgreSQL."),
        at("05-01T10:00:10", None, "assistant", tool_calls=[call]),
        at("05-01T10:00:11", '{"sun": true}', "tool", name="weather", tool_call_id="t"),
        at("05-01T10:00:12", "It is sunny.", "assistant", importance=9, metadata={"n": HUGE}),
        user_id="alice",
        external_id="first",
        label="Travel",
        folder="/home",
        importance=7,
        tags=["b", "a"],
        metadata={"n": -HUGE, "b": {"d": 1.5, "c": None}},
        system_prompt="You help.",
    )
    moved = "I moved to Lisbon, and I prefer tabs over spaces. Bob and Carol work at Siemens."
    await store(client, at("06-01T10:00:00", moved), user_id="alice", external_id="second")
    turns = [
        at(f"06-02T10:{turn:02}:{second}", text.format(turn), role)
        for turn in range(6)
        for second, role, text in (
            ("00", "user", "How do we deploy service number {} to the Hetzner cluster?"),
            ("30", "assistant", "Run the playbook of service {} against the Hetzner inventory."),
        )
    ]
    await store(client, *turns, user_id="alice", external_id="third")
    for told in (
        {"type": "fact", "content": "Alice lives in Porto.", "metadata": {"n": HUGE}},
        {"type": "fact", "content": "Alice is allergic to nuts.", "valid_to": "2030-01-01T00:00Z"},
        {"type": "tool", "content": "weather(city) tells it.", "metadata": {"name": "weather"}},
        {"type": "document", "content": "The handbook. " * 200, "source": "handbook.md"},
    ):
        answer = await client.post("/memories", json={"user_id": "alice", **told})
        assert answer.status_code == 201, answer.text
    await settled(client)
    (unwanted,) = [each for each in await listed(client, "/memories") if "tabs" in each["content"]]
    assert (await client.delete(f"/memories/{unwanted['id']}")).status_code == 200
    await settled(client)


async def listed(client: AsyncClient, path: str, **more: Any) -> list[Json]:
    answer = await client.get(path, params={**OF_ALICE, **more})
    found: list[Json] = answer.raise_for_status().json()["items"]
    return found


async def seen(client: AsyncClient) -> Json:
    """All that a reader sees of the user."""
    told: Json = {}
    for path in ("consent", "profile"):
        told[path] = (await client.get(f"/users/alice/{path}")).json()
    told["memories"] = await listed(client, "/memories", include_superseded="true")
    for each in told["memories"]:
        lineage = await client.get(f"/memories/{each['id']}/lineage")
        told[f"lineage of {each['id']}"] = lineage.json()
    told["conversations"] = await listed(client, "/conversations")
    for each in told["conversations"]:
        path = f"/conversations/{each['id']}/messages"
        told[path] = (await client.get(path, params={"limit": 200})).json()
    entities = await listed(client, "/entities")
    told["entities"] = [(await client.get(f"/entities/{each['id']}")).json() for each in entities]
    return told


def but_what_must_differ(told: Json) -> Json:
    """
    Without when an item, or what is drawn for a profile, was last written: here, it was just now.

    Entities go by name: each store finds them in what was said, and gives them ids of its own.
    """
    text = json.dumps(told)
    for each in told["entities"]:
        text = text.replace(each["id"], f"{each['type']} {each['name']}")
    plain: Json = json.loads(text)
    for each in (plain["profile"], *plain["memories"]):
        each.pop("updated_at")
    plain["entities"].sort(key=lambda each: str(each["id"]))
    return plain


async def test_a_distilled_memory_comes_back_byte_for_byte(
    client: AsyncClient, elsewhere: AsyncClient
) -> None:
    await fill(client)
    file = (await client.get("/export")).content
    lines = [json.loads(line) for line in file.splitlines()]
    kinds = {(each["record"], each.get("type"), each.get("derived", False)) for each in lines}
    drawn = {("memory", kind, True) for kind in ("fact", "tool", "summary")}
    told = {("memory", kind, False) for kind in ("fact", "tool", "document")}
    assert kinds >= drawn | told | {("superseded", None, False), ("user", None, False)}
    assert file.count(str(HUGE).encode()) == 5

    answer = (await elsewhere.post("/import", content=file)).json()
    await asyncio.gather(settled(client), settled(elsewhere))

    assert (answer["duplicates"], answer["rejected"], answer["users"]) == (0, [], 1)
    assert (await elsewhere.get("/export")).content == file
    assert (await elsewhere.get("/export", params=OF_ALICE)).content == (
        await client.get("/export", params=OF_ALICE)
    ).content
    here, there = await seen(client), await seen(elsewhere)
    assert but_what_must_differ(there) == but_what_must_differ(here)
    assert {"Hetzner", "Siemens", "Lisbon"} <= {each["name"] for each in there["entities"]}

"""What was erased is in no answer, whatever was made of it, also if somebody was at it."""

import asyncio
import json
from random import Random

import pytest
from httpx import AsyncClient

from tests.api.speaking import Json, context, distilled, erase, get, said, settled, store

CANARY = "Zanzibar"
SAID = [
    said(f"I moved to {CANARY}.", name="Alice"),
    said(f"We decided on {CANARY}DB 4.2 for the ledger.", "assistant"),
    said(f"{CANARY}Corp works on Apollo.", name="Alice"),
    said(
        None,
        "assistant",
        tool_calls=[
            {
                "id": "call_1",
                "type": "function",
                "function": {"name": "look_up", "arguments": json.dumps({"place": CANARY})},
            }
        ],
    ),
    said(f"{CANARY} is an island of 1.3 million.", "tool", tool_call_id="call_1"),
]
HARMLESS = "Apollo depends on Redis."
NOT_SAID = {"types": ["fact", "tool", "procedure", "summary"]}
QUESTIONS = (
    "Who works on Apollo?",
    "Where did Alice move to?",
    "What was decided for the ledger?",
    "How many millions live on the island?",
)


async def everything(client: AsyncClient, bundles: list[str]) -> str:
    """All that is told of what is kept for Alice."""
    of_alice = {"user_id": "alice"}
    told = [
        await get(client, path, **of_alice, **wanted)
        for path, wanted in (
            ("/conversations", {}),
            ("/memories", {"include_superseded": "true"}),
            ("/entities", {}),
            ("/memory/debug/retrieval", {"q": "Who lives where, works on what, decided what?"}),
        )
    ]
    for each in told[0]["items"]:
        told.append(await get(client, f"/conversations/{each['id']}"))
        told.append(await get(client, f"/conversations/{each['id']}/messages"))
    told += [await get(client, f"/memories/{each['id']}/lineage") for each in told[1]["items"]]
    told += [await get(client, f"/entities/{each['id']}") for each in told[2]["items"]]
    for path in ("/memory/metrics", "/memory/debug/stats", "/jobs", "/admin/audit"):
        told.append(await get(client, path))
    texts = [json.dumps(each) for each in told]
    texts += [(await client.get(f"/bundles/{each}")).text for each in bundles]
    texts += [(await client.get(path)).text for path in ("/export", "/metrics", "/readyz")]
    for question in QUESTIONS:
        for form in ("json", "markdown", "messages"):
            texts.append(json.dumps(await asked(client, question, format=form)))
    return "\n".join(texts)


async def asked(client: AsyncClient, question: str, **fields: object) -> Json:
    return await context(client, question, user_id="alice", explain=True, **fields)


async def bundles_of(client: AsyncClient, *more: str) -> list[str]:
    return [(await asked(client, question))["bundle_id"] for question in (*QUESTIONS, *more)]


@pytest.mark.parametrize("what", ["messages", "conversation", "user"])
async def test_nothing_that_was_made_of_it_is_left(client: AsyncClient, what: str) -> None:
    await client.put("/flags", json={"summary_frequency": 1})
    stored = await store(client, *SAID, HARMLESS, user_id="alice", external_id="chat")
    await distilled(client)
    await client.post(f"/conversations/{stored['id']}/summaries")
    await settled(client)
    bundles = await bundles_of(client, f"Is {CANARY}DB, or {CANARY}, what Apollo works on?")
    kinds = {each["type"] for each in (await get(client, "/memories", user_id="alice"))["items"]}
    assert kinds == {"fact", "summary", "tool"}
    assert CANARY in await everything(client, bundles)

    paths = {
        "messages": [f"/messages/{each}" for each in stored["message_ids"][: len(SAID)]],
        "conversation": [f"/conversations/{stored['id']}"],
        "user": ["/users/alice"],
    }
    receipts = [await erase(client, each) for each in paths[what]]

    assert [each["remaining"] for each in receipts] == [0] * len(receipts)
    assert CANARY not in await everything(client, bundles)
    await distilled(client)
    await settled(client)
    assert CANARY not in await everything(client, bundles)
    left = {each["name"] for each in (await get(client, "/entities", user_id="alice"))["items"]}
    assert left == ({"Apollo", "Redis"} if what == "messages" else set())


async def distilled_anew(client: AsyncClient) -> None:
    body = {"projection": "distilled"}
    job = (await client.post("/admin/reindex", json=body)).json()
    while job["status"] == "running":
        await asyncio.sleep(0.02)
        job = await get(client, f"/jobs/{job['id']}")
    assert job["status"] == "done"
    await distilled(client)
    await settled(client)


async def test_no_memory_item_that_was_deleted_comes_back(client: AsyncClient) -> None:
    """Not when its messages are distilled anew, nor where they are imported."""
    await client.put("/flags", json={"summaries": False})
    await store(client, *SAID, HARMLESS, user_id="alice", external_id="chat")
    await distilled(client)
    bundles = await bundles_of(client)
    items = (await get(client, "/memories", user_id="alice"))["items"]
    doomed = [each for each in items if CANARY in each["content"]]
    assert {each["type"] for each in doomed} == {"fact", "tool"}
    left = {each["content"] for each in items} - {each["content"] for each in doomed}

    receipts = [await erase(client, f"/memories/{each['id']}") for each in doomed]

    assert [each["remaining"] for each in receipts] == [0] * len(receipts)
    gone = {each["id"] for each in doomed}
    replays = [await get(client, f"/bundles/{each}") for each in bundles]
    shown = [each for replay in replays for each in replay["retrieved_memories"]]
    assert {each["id"] for each in shown if each["erased"]} == gone & {each["id"] for each in shown}
    assert {each["content"] for each in shown if each["erased"]} == {""}
    assert {each["query"] for each in replays} == {""}
    file = (await client.get("/export", params={"user_id": "alice"})).content
    moved = await client.post("/import", params={"user_id": "bob"}, content=file)
    assert moved.json()["messages"] == len(SAID) + 1, moved.text
    await distilled_anew(client)
    for user in ("alice", "bob"):
        every = await get(client, "/memories", user_id=user, include_superseded="true")
        assert {each["content"] for each in every["items"]} == left
        for question in QUESTIONS:
            found = await context(client, question, user_id=user, filters=NOT_SAID)
            assert CANARY not in json.dumps(found["retrieved_memories"])


@pytest.mark.parametrize("seed", range(3))
async def test_a_worker_that_is_busy_with_it_brings_nothing_back(
    client: AsyncClient, seed: int
) -> None:
    """Erased while it is embedded, distilled, linked and asked for, at whatever moment."""
    random = Random(seed)
    await client.put("/flags", json={"summary_frequency": 1})
    for number in range(6):
        body = {"user_id": "alice", "external_id": f"chat {number}", "messages": SAID}
        stored = (await client.post("/conversations", json=body)).json()
        asking = asyncio.create_task(bundles_of(client))
        await asyncio.sleep(random.uniform(0.0, 0.15))
        paths = [f"/conversations/{stored['id']}"]
        if random.random() < 0.5:
            paths = [f"/messages/{each}" for each in stored["message_ids"]]
        for each in paths:
            assert (await erase(client, each))["remaining"] == 0
        bundles = await asking
    await distilled(client)
    await settled(client)

    assert CANARY not in await everything(client, bundles)
    assert (await get(client, "/entities", user_id="alice"))["items"] == []
    assert (await get(client, "/memories", user_id="alice"))["items"] == []

"""Bundles answered again, and what changed since."""

import asyncio
from uuid import uuid4

import pytest
from httpx import AsyncClient

from tests.api.speaking import Json, contents, context, get, problem, store

HUGIN = "The server of the api team is called Hugin."
MUNIN = "The server of the ops team is called Munin."
QUERY = "What is the server called?"
ALICE: Json = {"user_id": "alice"}
RECEIPTS_ARE_WRITTEN_WITHIN = 0.6
"""Seconds; until then a replay is answered from memory."""


async def test_a_replay_shows_the_bundle_as_it_was_answered(client: AsyncClient) -> None:
    stored = await store(client, HUGIN, MUNIN, "And now?", **ALICE)
    bundle = await context(
        client, QUERY, conversation_id=stored["id"], explain=True, history={"max_messages": 1}
    )
    path = f"/bundles/{bundle['bundle_id']}"

    at_once = await get(client, path)
    await asyncio.sleep(RECEIPTS_ARE_WRITTEN_WITHIN)
    later = await get(client, path)

    assert contents(bundle)
    assert [each["content"] for each in bundle["recent_history"]] == ["And now?"]
    assert at_once == later == bundle


async def test_a_replay_tells_of_history_that_was_cut_the_tokens_that_were_shown(
    client: AsyncClient,
) -> None:
    stored = await store(client, "The tide comes in at noon, and goes out at six. " * 20, **ALICE)
    bundle = await context(client, "And now?", conversation_id=stored["id"], budget_tokens=200)
    (shown,) = bundle["recent_history"]
    assert shown["content"].endswith("[…]")

    replay = await get(client, f"/bundles/{bundle['bundle_id']}")

    assert replay["recent_history"] == [shown]


async def test_a_replay_has_signals_where_the_answer_had_or_they_are_asked_for(
    client: AsyncClient,
) -> None:
    await store(client, HUGIN, **ALICE)
    plain = await context(client, QUERY, **ALICE)
    explained = await context(client, QUERY, explain=True, **ALICE)
    path = f"/bundles/{plain['bundle_id']}"
    for _ in range(2):
        assert await get(client, path) == plain
        (shown,) = (await get(client, path, explain=True))["retrieved_memories"]
        told = explained["retrieved_memories"][0]["signals"]
        assert {"semantic", "lexical"} <= shown["signals"].keys() <= told.keys()
        await asyncio.sleep(RECEIPTS_ARE_WRITTEN_WITHIN)


async def test_a_replay_outlives_later_writes(client: AsyncClient) -> None:
    await store(client, HUGIN, **ALICE)
    bundle = await context(client, QUERY, **ALICE)

    await store(client, MUNIN, **ALICE)

    replay = await get(client, f"/bundles/{bundle['bundle_id']}")
    assert contents(replay) == contents(bundle) == [HUGIN]
    assert replay["metadata"]["total_tokens"] == bundle["metadata"]["total_tokens"]


@pytest.mark.parametrize("asked", [{"format": "markdown"}, {"format": "messages"}])
@pytest.mark.parametrize("grouped", [None, "conversation"])
async def test_a_replay_is_in_the_form_of_its_answer(
    client: AsyncClient, asked: Json, grouped: str | None
) -> None:
    running = await store(client, "And now?", "Well.", **ALICE)
    await store(client, HUGIN, **ALICE)
    munin = await store(client, MUNIN, **ALICE)
    asked = {**asked, "conversation_id": running["id"], "group_by": grouped, "explain": True}
    bundle = await context(client, QUERY, **asked)
    path = f"/bundles/{bundle['bundle_id']}"
    await asyncio.sleep(RECEIPTS_ARE_WRITTEN_WITHIN)
    assert await get(client, path) == bundle
    assert HUGIN in str(bundle["text"] or bundle["messages"])

    await client.patch(f"/conversations/{munin['id']}", json={"archived": True})

    replay = await get(client, path)
    for form in ("text", "messages", "conversations"):
        assert (replay[form] is None) == (bundle[form] is None)
        assert MUNIN not in str(replay[form])
    assert HUGIN in str(replay["text"] or replay["messages"])


async def test_a_replay_leaves_out_a_query_that_had_no_room(client: AsyncClient) -> None:
    await store(client, HUGIN, **ALICE)
    bundle = await context(client, QUERY, format="messages", budget_tokens=1, **ALICE)
    assert bundle["messages"] == []
    assert await get(client, f"/bundles/{bundle['bundle_id']}") == bundle


async def test_a_replay_of_nothing_is_empty(client: AsyncClient) -> None:
    bundle = await context(client, QUERY, **ALICE)

    replay = await get(client, f"/bundles/{bundle['bundle_id']}")

    assert (replay["query"], replay["retrieved_memories"]) == (QUERY, [])
    assert replay["metadata"]["sufficient"] is False


async def test_what_was_archived_since_is_marked_and_empty(client: AsyncClient) -> None:
    first = await store(client, HUGIN, **ALICE)
    await store(client, MUNIN, **ALICE)
    bundle = await context(client, QUERY, **ALICE)

    await client.patch(f"/conversations/{first['id']}", json={"archived": True})

    replay = await get(client, f"/bundles/{bundle['bundle_id']}")
    marked = {each["id"]: each["erased"] for each in replay["retrieved_memories"]}
    assert list(marked) == [each["id"] for each in bundle["retrieved_memories"]]
    assert marked[first["message_ids"][0]] is True
    assert sorted(contents(replay)) == ["", MUNIN]


async def test_an_unknown_bundle_is_not_found(client: AsyncClient) -> None:
    nobody = str(uuid4())
    await store(client, HUGIN)

    document = problem(await client.get(f"/bundles/{nobody}"), 404, "bundle-not-found")
    since = await client.post("/context", json={"query": QUERY, "since": nobody})

    assert document["bundle_id"] == nobody
    problem(since, 404, "bundle-not-found")
    problem(await client.get("/bundles/x"), 422, "invalid-request")


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
async def test_a_bundle_of_another_user_is_nothing_to_compare_with(
    client: AsyncClient, accept: str
) -> None:
    await store(client, HUGIN, **ALICE)
    await store(client, MUNIN, user_id="bob")
    of_alice = await context(client, QUERY, **ALICE)
    for other in ({"user_id": "bob"}, {"user_id": "nobody"}, {}):
        body = {"query": QUERY, "since": of_alice["bundle_id"], **other}
        answer = await client.post("/context", json=body, headers={"Accept": accept})
        problem(answer, 404, "bundle-not-found")


async def test_since_tells_what_was_added_and_removed(client: AsyncClient) -> None:
    first = await store(client, HUGIN, **ALICE)
    before = await context(client, QUERY, **ALICE)
    second = await store(client, MUNIN, **ALICE)
    await client.patch(f"/conversations/{first['id']}", json={"archived": True})

    bundle = await context(client, QUERY, since=before["bundle_id"], **ALICE)
    same = await context(client, QUERY, since=bundle["bundle_id"], **ALICE)

    assert bundle["since"] == {
        "bundle_id": before["bundle_id"],
        "added": second["message_ids"],
        "removed": first["message_ids"],
        "changed": [],
        "profile_changed": False,
        "entities_added": [],
        "entities_removed": [],
    }
    assert [same["since"][each] for each in ("added", "removed", "changed")] == [[], [], []]
    assert before["since"] is None


async def test_since_tells_of_memories_and_history_alike(client: AsyncClient) -> None:
    chat = await store(client, HUGIN, "Well.", external_id="chat", **ALICE)
    asked: Json = {"conversation_id": chat["id"], "history": {"max_messages": 1}}
    before = await context(client, QUERY, **asked)
    first, second = chat["message_ids"]
    assert [each["id"] for each in before["recent_history"]] == [second]
    body = {"messages": [{"role": "user", "content": "And the other one?"}]}
    told = await client.post(f"/conversations/{chat['id']}/messages?wait=indexed", json=body)
    (third,) = told.json()["message_ids"]
    fact = {"type": "fact", "content": "The server is called Hugin now.", **ALICE}
    kept = (await client.post("/memories?wait=indexed", json=fact)).json()

    bundle = await context(client, QUERY, since=before["bundle_id"], **asked)
    patched = {"content": "The server is called Munin now."}
    await client.patch(f"/memories/{kept['id']}", json=patched)
    changed = await context(client, QUERY, since=bundle["bundle_id"], **asked)
    whole = await context(
        client, QUERY, since=bundle["bundle_id"], **asked | {"history": {"max_messages": 3}}
    )

    assert sorted(contents(bundle)) == sorted([HUGIN, fact["content"]])
    assert sorted(bundle["since"]["added"]) == sorted([kept["id"], third])
    assert bundle["since"]["removed"] == [second]
    assert changed["since"]["changed"] == [kept["id"]]
    assert (changed["since"]["added"], changed["since"]["removed"]) == ([], [])
    assert [each["id"] for each in whole["recent_history"]] == [first, second, third]
    assert (whole["since"]["added"], whole["since"]["removed"]) == ([second], [])


async def test_since_tells_that_another_profile_is_shown(client: AsyncClient) -> None:
    await store(client, HUGIN, **ALICE)
    before = await context(client, QUERY, **ALICE)
    purposes = {"purposes": {"profile": True}}
    await client.put("/users/alice/consent", json=purposes)
    await client.put("/users/alice/profile", json={"notes": "Short answers, please."})

    bundle = await context(client, QUERY, since=before["bundle_id"], **ALICE)
    same = await context(client, QUERY, since=bundle["bundle_id"], **ALICE)

    assert bundle["since"]["profile_changed"] is True
    assert same["since"]["profile_changed"] is False
    assert (bundle["since"]["added"], bundle["since"]["removed"]) == ([], [])

"""Bundles answered again, and what changed since."""

import asyncio
from uuid import uuid4

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


async def test_a_replay_outlives_later_writes(client: AsyncClient) -> None:
    await store(client, HUGIN, **ALICE)
    bundle = await context(client, QUERY, **ALICE)

    await store(client, MUNIN, **ALICE)

    replay = await get(client, f"/bundles/{bundle['bundle_id']}")
    assert contents(replay) == contents(bundle) == [HUGIN]
    assert replay["metadata"]["total_tokens"] == bundle["metadata"]["total_tokens"]


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
    }
    assert (same["since"]["added"], same["since"]["removed"]) == ([], [])
    assert before["since"] is None

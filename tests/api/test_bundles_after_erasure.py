"""Bundles answered again after an erasure: what is gone is marked, and all else is there."""

import asyncio
import json

import pytest
from httpx import AsyncClient

from tests.api.speaking import (
    Json,
    contents,
    context,
    distilling_nothing,
    erase,
    get,
    said,
    store,
)

HUGIN = "The server of the api team is called Hugin."
MUNIN = "The server of the ops team is called Munin."
QUERY = "Is the server called Munin?"
ALICE: Json = {"user_id": "alice"}
WRITTEN_S = 0.6
"""Until then a receipt is in memory, and afterwards in the database."""


async def replayed(client: AsyncClient, bundle: Json) -> Json:
    return await get(client, f"/bundles/{bundle['bundle_id']}")


def marked(replay: Json) -> dict[str, str | None]:
    """What a replay says of each item; None where it is marked as erased."""
    items = replay["retrieved_memories"]
    assert not [each for each in items if each["erased"] and (each["content"] or each["lineage"])]
    return {each["id"]: None if each["erased"] else each["content"] for each in items}


@pytest.mark.parametrize("what", ["message", "conversation", "memory item"])
@pytest.mark.parametrize("seconds", [0, WRITTEN_S])
async def test_what_was_erased_is_marked_and_the_rest_is_as_it_was(
    client: AsyncClient, what: str, seconds: float
) -> None:
    kept = await store(client, HUGIN, **ALICE)
    if what == "memory item":
        told = {"type": "fact", "content": MUNIN, **ALICE}
        own_id = (await client.post("/memories?wait=indexed", json=told)).json()["id"]
        path = f"/memories/{own_id}"
    else:
        stored = await store(client, MUNIN, **ALICE)
        (own_id,) = stored["message_ids"]
        path = f"/messages/{own_id}" if what == "message" else f"/conversations/{stored['id']}"
    bundle = await context(client, QUERY, explain=True, **ALICE)
    assert sorted(contents(bundle)) == [HUGIN, MUNIN]
    await asyncio.sleep(seconds)

    receipt = await erase(client, path)

    assert (receipt["erased"]["bundles"], receipt["remaining"]) == (1, 0)
    at_once = await replayed(client, bundle)
    assert marked(at_once) == {kept["message_ids"][0]: HUGIN, own_id: None}
    assert "Munin" not in json.dumps(at_once)
    assert at_once["query"] == ""
    assert at_once["metadata"] == bundle["metadata"] | {"conversations_included": 1}
    await asyncio.sleep(WRITTEN_S - seconds)
    assert await replayed(client, bundle) == at_once


@pytest.mark.parametrize("form", ["json", "markdown", "messages"])
async def test_no_form_of_a_replay_tells_what_was_erased(client: AsyncClient, form: str) -> None:
    await distilling_nothing(client)
    await store(client, HUGIN, **ALICE)
    await store(client, MUNIN, **ALICE)
    running = await store(client, "Is it Munin, too?", said("Well.", "assistant"), **ALICE)
    bundle = await context(
        client, QUERY, conversation_id=running["id"], format=form, group_by="conversation"
    )
    assert [each["content"] for each in bundle["recent_history"]] == ["Is it Munin, too?", "Well."]
    (munin,) = [each for each in bundle["retrieved_memories"] if each["content"] == MUNIN]

    await erase(client, f"/conversations/{munin['conversation_id']}")
    await erase(client, f"/messages/{running['message_ids'][0]}")

    replay = await replayed(client, bundle)
    assert "Munin" not in json.dumps(replay)
    assert [each["content"] for each in replay["recent_history"]] == ["Well."]
    assert [each["items"][0]["content"] for each in replay["conversations"]] == [HUGIN]
    assert (HUGIN in str(replay["text"] or replay["messages"])) is (form != "json")
    if form == "messages":
        assert [each["role"] for each in replay["messages"]] == ["system", "assistant"]
        assert bundle["messages"][-1] == {"role": "user", "content": QUERY}


async def test_what_was_asked_is_gone_once_and_counted_once(client: AsyncClient) -> None:
    stored = await store(client, HUGIN, MUNIN, **ALICE)
    other = await store(client, HUGIN, user_id="bob")
    before = [await context(client, f"{QUERY} {number}", **ALICE) for number in range(3)]
    of_bob = await context(client, QUERY, explain=True, user_id="bob")

    first = await erase(client, f"/messages/{stored['message_ids'][1]}")
    between = await context(client, "And Hugin?", **ALICE)
    second = await erase(client, f"/messages/{stored['message_ids'][0]}")
    third = await erase(client, f"/conversations/{stored['id']}")

    counted = [each["erased"]["bundles"] for each in (first, second, third)]
    assert counted == [3, 1, 0]
    for each in (*before, between):
        replay = await replayed(client, each)
        assert (replay["query"], set(marked(replay).values())) == ("", {None})
    assert await replayed(client, of_bob) == of_bob
    assert (await erase(client, f"/conversations/{other['id']}"))["erased"]["bundles"] == 1


async def test_since_goes_on_behind_an_erasure(client: AsyncClient) -> None:
    await distilling_nothing(client)
    stored = await store(client, HUGIN, MUNIN, **ALICE)
    before = await context(client, QUERY, **ALICE)
    await erase(client, f"/messages/{stored['message_ids'][1]}")
    added = await store(client, "The server of the web team is called Odin.", **ALICE)

    bundle = await context(client, QUERY, since=before["bundle_id"], **ALICE)

    told = bundle["since"]
    assert (told["added"], told["removed"]) == (added["message_ids"], stored["message_ids"][1:])
    assert (told["changed"], told["bundle_id"]) == ([], before["bundle_id"])


async def test_the_next_bundle_is_as_good_as_any(client: AsyncClient) -> None:
    """What is asked after an erasure is kept whole, also where it is the same."""
    stored = await store(client, HUGIN, MUNIN, **ALICE)
    await context(client, QUERY, **ALICE)
    await erase(client, f"/messages/{stored['message_ids'][1]}")

    bundle = await context(client, QUERY, explain=True, **ALICE)
    await asyncio.sleep(WRITTEN_S)

    assert (bundle["query"], contents(bundle)) == (QUERY, [HUGIN])
    assert await replayed(client, bundle) == bundle

"""Deleting: gone from everywhere, with a receipt."""

import asyncio
import shutil
from urllib.parse import quote
from uuid import uuid4

import pytest
from httpx import AsyncClient

from app.settings import Settings
from tests.api.speaking import (
    Json,
    contents,
    context,
    erase,
    get,
    problem,
    said,
    search,
    store,
    talking_to,
)

SECRET = "The launch code of the rocket is 4711."
OTHER = "Tomatoes grow well in the greenhouse."


def receipt(**erased: int) -> Json:
    derived = ("vectors", "embeddings", "full_text", "memory_items", "edges")
    told = ("profiles", "profile_entries", "consents", "bundles", "cache_entries")
    return {**dict.fromkeys(("messages", "chunks", *derived, *told), 0), **erased}


async def test_a_deleted_conversation_is_in_no_index(client: AsyncClient) -> None:
    stored = await store(client, SECRET, OTHER, user_id="alice", external_id="chat")
    asked = await context(client, "launch code", user_id="alice")
    path = f"/conversations/{stored['id']}"

    answer = await erase(client, path)

    assert answer["erased"]["bundles"] == 1
    assert answer["erased"] == receipt(
        messages=2, vectors=2, embeddings=2, full_text=2, bundles=1, cache_entries=1
    )
    assert (answer["remaining"], answer["rebuilt"]) == (0, {"summaries": 0})
    assert answer["erasure_id"]
    assert contents(asked) == [SECRET]
    assert contents(await context(client, "launch code", user_id="alice")) == []
    assert contents(await search(client, "launch code", user_id="alice")) == []
    problem(await client.get(path), 404, "conversation-not-found")
    problem(await client.get(f"{path}/messages"), 404, "conversation-not-found")
    problem(await client.delete(path), 404, "conversation-not-found")
    stats = await get(client, "/memory/debug/stats")
    assert (stats["messages"], stats["vectors"]) == (0, 0)


async def test_no_question_outlives_an_erasure(client: AsyncClient) -> None:
    for number in range(12):
        stored = await store(client, SECRET, user_id="alice")
        bundle = await context(client, f"launch code {number}", user_id="alice")
        await asyncio.sleep(0.1 * number)  # receipts are written once a second

        answer = await erase(client, f"/conversations/{stored['id']}")

        assert answer["erased"]["bundles"] == 1, number
        await asyncio.sleep(0.025)
        replay = await get(client, f"/bundles/{bundle['bundle_id']}")
        assert (replay["query"], contents(replay)) == ("", [""]), number


async def test_an_external_id_is_free_again_after_a_delete(client: AsyncClient) -> None:
    first = await store(client, SECRET, external_id="chat")
    await erase(client, f"/conversations/{first['id']}")

    second = await store(client, SECRET, external_id="chat")

    assert second["id"] != first["id"]
    assert (second["message_count"], second["duplicates"]) == (1, 0)
    assert contents(await search(client, "launch code")) == [SECRET]


async def test_a_deleted_message_leaves_the_others(client: AsyncClient) -> None:
    stored = await store(client, SECRET, OTHER, user_id="alice")

    answer = await erase(client, f"/messages/{stored['message_ids'][0]}")

    assert answer["erased"] == receipt(messages=1, vectors=1, embeddings=1, full_text=1)
    assert answer["remaining"] == 0
    assert contents(await search(client, "launch code", user_id="alice")) == []
    assert contents(await search(client, "greenhouse", user_id="alice")) == [OTHER]
    read = await get(client, f"/conversations/{stored['id']}")
    (left,) = (await get(client, f"/conversations/{stored['id']}/messages"))["items"]
    assert (left["content"], read["message_count"]) == (OTHER, 1)
    assert read["token_count"] == left["tokens"]


async def test_a_conversation_goes_on_after_its_last_message_was_deleted(
    client: AsyncClient,
) -> None:
    stored = await store(client, SECRET, OTHER, external_id="chat")
    await erase(client, f"/messages/{stored['message_ids'][1]}")

    again = await store(client, "And cucumbers?", external_id="chat")

    assert again["message_count"] == 2
    read = (await get(client, f"/conversations/{stored['id']}/messages"))["items"]
    assert [each["content"] for each in read] == [SECRET, "And cucumbers?"]


async def test_a_deleted_user_takes_nobody_else_along(client: AsyncClient) -> None:
    await store(client, SECRET, user_id="alice")
    await store(client, OTHER, user_id="alice")
    await store(client, SECRET, user_id="bob")
    await store(client, SECRET)

    answer = await erase(client, "/users/alice")

    assert answer["erased"] == receipt(messages=2, vectors=2, embeddings=2, full_text=2)
    assert answer["remaining"] == 0
    assert (await get(client, "/conversations", user_id="alice"))["items"] == []
    assert contents(await search(client, "launch code", user_id="alice")) == []
    assert contents(await search(client, "launch code", user_id="bob")) == [SECRET]
    assert contents(await search(client, "launch code")) == [SECRET]


async def test_a_user_of_many_conversations_is_deleted_whole(client: AsyncClient) -> None:
    for number in range(60):
        await client.post(
            "/conversations",
            json={"user_id": "alice", "messages": [{"role": "user", "content": f"Nr. {number}"}]},
        )
    await store(client, user_id="alice")

    answer = await erase(client, "/users/alice")

    assert (answer["erased"]["messages"], answer["remaining"]) == (60, 0)
    assert (await get(client, "/conversations", user_id="alice"))["items"] == []


async def test_deleting_a_user_who_never_was_erases_nothing(client: AsyncClient) -> None:
    answer = await erase(client, "/users/nobody")

    assert (answer["erased"], answer["remaining"]) == (receipt(), 0)


@pytest.mark.parametrize("user_id", ["ä ö?#%", "\N{GRINNING FACE}"])
async def test_a_user_id_may_be_any_text(client: AsyncClient, user_id: str) -> None:
    await store(client, SECRET, user_id=user_id)

    answer = await erase(client, f"/users/{quote(user_id, safe='')}")

    assert (answer["erased"]["messages"], answer["remaining"]) == (1, 0)


async def test_a_message_that_is_not_there_cannot_be_deleted(client: AsyncClient) -> None:
    nobody = uuid4()
    document = problem(await client.delete(f"/messages/{nobody}"), 404, "message-not-found")
    assert document["message_id"] == str(nobody)


async def test_deleting_from_an_archived_conversation_leaves_the_counts_right(
    client: AsyncClient,
) -> None:
    stored = await store(client, SECRET, user_id="alice")
    await store(client, OTHER, user_id="alice")
    await client.patch(f"/conversations/{stored['id']}", json={"archived": True})

    answer = await erase(client, f"/conversations/{stored['id']}")

    assert (answer["erased"]["messages"], answer["remaining"]) == (1, 0)
    assert contents(await search(client, "greenhouse", user_id="alice")) == [OTHER]


async def test_an_old_index_that_is_put_back_brings_nothing_back(embedded: Settings) -> None:
    vectors = embedded.data_dir / "vectors"
    aside = embedded.data_dir / "aside"
    async with talking_to(embedded) as client:
        stored = await store(client, SECRET, OTHER, user_id="alice")
    shutil.copytree(vectors, aside)
    async with talking_to(embedded) as client:
        answer = await erase(client, f"/messages/{stored['message_ids'][0]}")
        assert answer["remaining"] == 0
    shutil.rmtree(vectors)
    aside.rename(vectors)

    async with talking_to(embedded) as client:
        assert contents(await search(client, "launch code", user_id="alice")) in ([], [OTHER])
        while (await get(client, "/memory/debug/stats"))["vectors"] != 1:
            pass
        assert contents(await search(client, "launch code", user_id="alice")) in ([], [OTHER])


async def test_of_an_erased_user_nothing_can_be_reached_by_any_id(client: AsyncClient) -> None:
    stored = await store(client, SECRET, user_id="alice", external_id="chat")
    bundle = await context(client, "launch code", user_id="alice")
    await erase(client, "/users/alice")

    path = f"/conversations/{stored['id']}"
    problem(await client.get(path), 404, "conversation-not-found")
    problem(await client.get(f"/bundles/{bundle['bundle_id']}"), 404, "bundle-not-found")
    problem(await client.delete(f"/messages/{stored['message_ids'][0]}"), 404, "message-not-found")
    late = await client.post(f"{path}/messages", json={"messages": [said("too late")]})
    problem(late, 404, "conversation-not-found")
    again = await store(client, OTHER, user_id="alice", external_id="chat")
    assert (again["message_count"], again["id"] == stored["id"]) == (1, False)
    assert (await get(client, "/memory/debug/stats"))["users"] == 1

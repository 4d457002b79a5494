"""Retries, known external ids, idempotency keys, and waiting for the indexes."""

import asyncio
from uuid import uuid4

import pytest
from httpx import AsyncClient

from app.settings import QdrantSettings, Settings
from tests.api.speaking import Json, contents, get, problem, said, search, store, talking_to
from tests.stand_in_qdrant import refusing_port


async def said_in(client: AsyncClient, conversation: Json) -> list[str]:
    listed = await get(client, f"/conversations/{conversation['id']}/messages")
    return [each["content"] for each in listed["items"]]


async def test_a_known_external_id_appends_what_is_not_there_yet(client: AsyncClient) -> None:
    chat: Json = {"user_id": "alice", "external_id": "chat"}
    first = await store(client, said("one", external_id="1"), said("two", external_id="2"), **chat)

    again = await store(
        client,
        said("three", external_id="3"),
        said("two", external_id="2"),
        said("four", external_id="4"),
        **chat,
    )

    assert again["id"] == first["id"]
    assert again["message_ids"][1] == first["message_ids"][1]
    assert (again["message_count"], again["duplicates"]) == (4, 1)
    assert await said_in(client, again) == ["one", "two", "three", "four"]


async def test_an_external_id_is_unique_inside_its_user_only(client: AsyncClient) -> None:
    owners = ["alice", "bob", None]
    ids = {(await store(client, "hello", user_id=o, external_id="chat"))["id"] for o in owners}

    assert len(ids) == 3


async def test_a_messages_external_id_is_unique_inside_its_conversation_only(
    client: AsyncClient,
) -> None:
    one = await store(client, said("hello", external_id="m1"), external_id="a")
    other = await store(client, said("hello", external_id="m1"), external_id="b")

    assert one["message_ids"] != other["message_ids"]


async def test_a_retry_without_external_ids_adds_nothing(client: AsyncClient) -> None:
    first = await store(client, "yes", "no", "yes", external_id="chat")
    retry = await store(client, "yes", "no", "yes", external_id="chat")

    assert retry == {**first, "duplicates": 3}


async def test_a_longer_retry_adds_its_end(client: AsyncClient) -> None:
    first = await store(client, "a", "b", external_id="chat")
    longer = await store(client, "a", "b", "c", external_id="chat")

    assert longer["message_ids"][:2] == first["message_ids"]
    assert (longer["message_count"], longer["duplicates"]) == (3, 2)
    assert await said_in(client, longer) == ["a", "b", "c"]


async def test_equal_texts_in_one_request_are_both_kept(client: AsyncClient) -> None:
    stored = await store(client, "yes", "yes", external_id="chat")

    assert len(set(stored["message_ids"])) == 2
    assert await said_in(client, stored) == ["yes", "yes"]


async def test_a_repeated_message_external_id_in_one_request_is_one_message(
    client: AsyncClient,
) -> None:
    stored = await store(client, said("yes", external_id="m"), said("yes", external_id="m"))

    assert stored["message_ids"][0] == stored["message_ids"][1]
    assert (stored["message_count"], stored["duplicates"]) == (1, 1)


async def test_what_is_known_by_its_id_with_another_content_is_told_and_stays(
    client: AsyncClient,
) -> None:
    both = [said("one", external_id="1"), said("two", external_id="2")]
    first = await store(client, *both, external_id="chat")
    edited = [said("one", external_id="1"), said("two!", external_id="2")]

    again = await store(client, *edited, external_id="chat")
    path = f"/conversations/{first['id']}/messages?wait=indexed"
    key = {"Idempotency-Key": "k"}
    added = await client.post(path, json={"messages": edited}, headers=key)
    replay = await client.post(path, json={"messages": edited}, headers=key)

    assert again == {**first, "duplicates": 2, "differing_ids": first["message_ids"][1:]}
    assert (added.status_code, added.json()) == (201, again)
    assert replay.json() == again
    assert await said_in(client, first) == ["one", "two"]
    assert (await store(client, *both, external_id="chat"))["differing_ids"] == []


async def test_a_request_that_repeats_an_id_with_another_content_is_told_so(
    client: AsyncClient,
) -> None:
    stored = await store(client, said("yes", external_id="m"), said("no", external_id="m"))

    assert stored["differing_ids"] == stored["message_ids"][:1]
    assert await said_in(client, stored) == ["yes"]


async def test_messages_are_appended_and_a_retry_adds_nothing(client: AsyncClient) -> None:
    stored = await store(client, "one")
    path = f"/conversations/{stored['id']}/messages"
    body = {"messages": [said("two"), said("three", "assistant")]}

    added = await client.post(path, json=body)
    retry = await client.post(path, json=body)

    assert (added.status_code, retry.status_code) == (201, 201)
    assert added.json()["message_count"] == 3
    assert retry.json() == {**added.json(), "duplicates": 2}
    assert await said_in(client, stored) == ["one", "two", "three"]


async def test_appending_never_creates_a_conversation(client: AsyncClient) -> None:
    answer = await client.post(
        f"/conversations/{uuid4()}/messages", json={"messages": [said("hello")]}
    )

    problem(answer, 404, "conversation-not-found")
    assert (await get(client, "/conversations"))["items"] == []


async def test_the_same_key_and_body_answer_as_the_first_time_did(client: AsyncClient) -> None:
    key = {"Idempotency-Key": "k1"}
    body = {"messages": [said("hello")], "metadata": {"a": 1, "b": 2}}
    reordered = {"metadata": {"b": 2, "a": 1}, "messages": [{"content": "hello", "role": "user"}]}

    first = await client.post("/conversations", json=body, headers=key)
    replay = await client.post("/conversations", json=reordered, headers=key)

    assert "idempotency-replayed" not in first.headers
    assert replay.headers["idempotency-replayed"] == "true"
    assert (replay.status_code, replay.json()) == (201, first.json())
    assert len((await get(client, "/conversations"))["items"]) == 1


async def test_the_same_key_with_another_body_is_a_conflict(client: AsyncClient) -> None:
    key = {"Idempotency-Key": "k1"}
    await client.post("/conversations", json={"messages": [said("hello")]}, headers=key)

    other = await client.post("/conversations", json={"messages": [said("bye")]}, headers=key)

    assert problem(other, 409, "idempotency-conflict")["key"] == "k1"
    assert len((await get(client, "/conversations"))["items"]) == 1


async def test_a_key_counts_per_path(client: AsyncClient) -> None:
    key = {"Idempotency-Key": "k1"}
    one, other = await store(client, "hello"), await store(client, "hi")
    body = {"messages": [said("And?")]}

    answers = [
        await client.post(f"/conversations/{each['id']}/messages", json=body, headers=key)
        for each in (one, other, one)
    ]

    assert [each.status_code for each in answers] == [201, 201, 201]
    replayed = ["idempotency-replayed" in each.headers for each in answers]
    assert replayed == [False, False, True]


async def test_only_successes_are_replayed(client: AsyncClient) -> None:
    key = {"Idempotency-Key": "k1"}
    refused = await client.post("/conversations", json={"messages": "none"}, headers=key)
    stored = await client.post("/conversations", json={"messages": []}, headers=key)

    assert (refused.status_code, stored.status_code) == (422, 201)


@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "k1"}])
async def test_identical_requests_at_the_same_time_store_once(
    client: AsyncClient, headers: dict[str, str]
) -> None:
    body = {"external_id": "chat", "messages": [said("hello"), said("hi", "assistant")]}

    answers = await asyncio.gather(
        *(client.post("/conversations", json=body, headers=headers) for _ in range(8))
    )

    assert {each.status_code for each in answers} == {201}
    (ids,) = {(each.json()["id"], *each.json()["message_ids"]) for each in answers}
    assert await said_in(client, {"id": ids[0]}) == ["hello", "hi"]
    assert len((await get(client, "/conversations"))["items"]) == 1


async def test_identical_requests_under_a_key_alone_store_once(client: AsyncClient) -> None:
    body = {"messages": [said("hello")]}
    key = {"Idempotency-Key": "k1"}

    answers = await asyncio.gather(
        *(client.post("/conversations", json=body, headers=key) for _ in range(8))
    )

    assert {each.status_code for each in answers} == {201}
    assert len({each.json()["id"] for each in answers}) == 1
    assert sum("idempotency-replayed" in each.headers for each in answers) == 7
    assert len((await get(client, "/conversations"))["items"]) == 1


async def test_writers_of_one_conversation_do_not_lose_each_others_messages(
    client: AsyncClient,
) -> None:
    stored = await store(client, "start")
    path = f"/conversations/{stored['id']}/messages"

    answers = await asyncio.gather(
        *(client.post(path, json={"messages": [said(f"message {n}")]}) for n in range(10))
    )

    assert {each.status_code for each in answers} == {201}
    assert sorted(await said_in(client, stored)) == [*(f"message {n}" for n in range(10)), "start"]
    assert (await get(client, f"/conversations/{stored['id']}"))["message_count"] == 11


async def test_waiting_for_the_indexes_ends_when_meaning_is_searched(client: AsyncClient) -> None:
    body = {"messages": [said("My dog is called Bello.")]}
    answer = await client.post("/conversations?wait=indexed&wait_s=60", json=body)

    assert answer.json()["indexed"] is True
    found = await search(client, "name of the pet", explain=True)
    assert contents(found) == ["My dog is called Bello."]
    assert found["results"][0]["sources"] == ["semantic"]


async def test_waiting_in_vain_tells_what_is_stored(embedded: Settings) -> None:
    with refusing_port() as url:
        nowhere = embedded.model_copy(update={"qdrant": QdrantSettings(url=url, timeout_s=0.2)})
        async with talking_to(nowhere) as client:
            body = {"external_id": "chat", "messages": [said("hello")]}
            answer = await client.post("/conversations?wait=indexed&wait_s=0.1", json=body)

            document = problem(answer, 503, "indexing-timed-out")
            assert answer.headers["retry-after"] == "2"
            assert document["external_id"] == "chat"
            assert (document["message_count"], document["indexed"]) == (1, False)
            read = await get(client, f"/conversations/{document['id']}/messages")
            assert [each["id"] for each in read["items"]] == document["message_ids"]


@pytest.mark.parametrize("wait_s", ["0", "-1", "601", "nan", "inf", "x"])
async def test_a_wait_is_above_zero_and_at_most_ten_minutes(
    alone: AsyncClient, wait_s: str
) -> None:
    answer = await alone.post(f"/conversations?wait=indexed&wait_s={wait_s}", json={})
    problem(answer, 422, "invalid-request")

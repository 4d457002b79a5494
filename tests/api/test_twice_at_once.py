"""The same request several times at once: stored once, answered alike."""

import asyncio
from typing import Any

import pytest
from httpx import AsyncClient, Response

from tests.api.speaking import get, problem, said, store

TIMES = 8


async def at_once(client: AsyncClient, path: str, bodies: list[Any], key: str) -> list[Response]:
    headers = {"Idempotency-Key": key}
    return await asyncio.gather(*(client.post(path, json=body, headers=headers) for body in bodies))


async def contents_of(client: AsyncClient, conversation: str) -> list[str]:
    page = await get(client, f"/conversations/{conversation}/messages", limit=500)
    return [each["content"] for each in page["items"]]


def check_one_write(answers: list[Response]) -> Any:
    assert {each.status_code for each in answers} == {201}
    replayed = [each.headers.get("Idempotency-Replayed") for each in answers]
    assert sorted(replayed, key=str) == [None] + ["true"] * (TIMES - 1)
    assert len({each.content for each in answers}) == 1
    return answers[0].json()


@pytest.mark.parametrize("external_id", [None, "chat"])
async def test_a_conversation_is_stored_once(client: AsyncClient, external_id: str | None) -> None:
    body = {"external_id": external_id, "user_id": "alice", "messages": [said("tea"), said("tea")]}
    stored = check_one_write(await at_once(client, "/conversations", [body] * TIMES, "k"))

    page = await get(client, "/conversations", user_id="alice")
    assert [each["id"] for each in page["items"]] == [stored["id"]]
    assert await contents_of(client, stored["id"]) == ["tea", "tea"]


async def test_messages_are_appended_once(client: AsyncClient) -> None:
    conversation = (await store(client, "tea", user_id="alice"))["id"]
    path, body = f"/conversations/{conversation}/messages", {"messages": [said("milk")]}
    check_one_write(await at_once(client, path, [body] * TIMES, "k"))

    assert await contents_of(client, conversation) == ["tea", "milk"]


@pytest.mark.parametrize("again", [False, True])
async def test_a_conversation_is_summed_up_once(client: AsyncClient, *, again: bool) -> None:
    """The model is asked between two transactions: who comes second learns of it in the second."""
    await client.put("/flags", json={"facts": False, "graph": False})
    told = [f"The harbour crane number {n} is repaired on Monday." for n in range(6)]
    conversation = (await store(client, *told, user_id="alice"))["id"]
    path = f"/conversations/{conversation}/summaries"
    if again:
        assert (await client.post(path)).status_code == 201
    summary = check_one_write(await at_once(client, path, [None] * TIMES, "k"))

    page = await get(client, "/memories", user_id="alice", type="summary")
    assert [each["id"] for each in page["items"]] == [summary["id"]]


async def test_of_different_bodies_under_one_key_one_is_stored(client: AsyncClient) -> None:
    bodies = [{"user_id": "alice", "messages": [said(f"tea {n}")]} for n in range(TIMES)]
    answers = await at_once(client, "/conversations", bodies, "k")

    (stored,) = (each for each in answers if each.status_code == 201)
    for each in answers:
        if each is not stored:
            problem(each, 409, "idempotency-conflict")
    page = await get(client, "/conversations", user_id="alice")
    assert [each["id"] for each in page["items"]] == [stored.json()["id"]]


async def test_several_writers_of_one_conversation_keep_their_order(client: AsyncClient) -> None:
    """Without any key: batches come whole, in some order, under one conversation."""
    batches = [[f"{n} {part}" for part in "abc"] for n in range(TIMES)]
    answers = await asyncio.gather(
        *(
            client.post(
                "/conversations",
                json={"external_id": "chat", "messages": [said(text) for text in batch]},
            )
            for batch in batches
        )
    )
    assert {each.status_code for each in answers} == {201}
    (conversation,) = {each.json()["id"] for each in answers}

    stored = await contents_of(client, conversation)
    assert sorted(stored) == sorted(text for batch in batches for text in batch)
    whole = [stored[start : start + 3] for start in range(0, len(stored), 3)]
    assert sorted(whole) == sorted(batches)


async def test_whoever_brings_the_same_export_has_all_of_it_once(client: AsyncClient) -> None:
    """Without any key, for two users: an id is given out once, and the other has one made of it."""
    await store(client, "tea", "milk", user_id="alice")
    procedure = {"type": "procedure", "content": "Boil the water.", "user_id": "alice"}
    assert (await client.post("/memories", json=procedure)).status_code == 201
    exported = (await client.get("/export", params={"user_id": "alice"})).content
    await client.delete("/users/alice")
    owners = ["alice", "bob"]
    answers = await asyncio.gather(
        *(
            client.post("/import", params={"user_id": owner}, content=exported)
            for owner in owners * (TIMES // 2)
        )
    )
    assert [each.status_code for each in answers] == [200] * TIMES
    told = [each.json() for each in answers]
    assert (sum(each["messages"] for each in told), sum(each["duplicates"] for each in told)) == (
        2 * len(owners),
        3 * (TIMES - len(owners)),
    )
    for owner in owners:
        (conversation,) = (await get(client, "/conversations", user_id=owner))["items"]
        assert await contents_of(client, conversation["id"]) == ["tea", "milk"]
        assert len((await get(client, "/memories", user_id=owner))["items"]) == 1

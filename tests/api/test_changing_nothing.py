"""A change that leaves everything as it is moves nothing: no time, no cache, no line of the log."""

import pytest
from httpx import AsyncClient

from tests.api.speaking import Json, context, get, store

TOLD = {"label": "Cats", "tags": ["a", "b"], "metadata": {"n": 1}, "importance": 7}
SAME: list[Json] = [{}, {"label": "Cats"}, {"tags": ["a", "b", "a"]}, TOLD, {"archived": False}]
FACT = {
    "type": "fact",
    "content": "Alice lives in Lisbon.",
    "user_id": "alice",
    "valid_from": "2026-01-02T00:00:00Z",
    "valid_to": "2099-01-02T00:00:00Z",
    "metadata": {"n": 1},
}
SAME_OF_FACT: list[Json] = [
    {},
    {"content": FACT["content"]},
    {"valid_to": FACT["valid_to"], "importance": 5},
    {"valid_from": "2026-01-02T01:00:00+01:00"},
]


async def noted(client: AsyncClient) -> list[str]:
    return [each["action"] for each in (await get(client, "/admin/audit"))["items"]]


async def test_a_conversation_that_stays_as_it_is_is_not_touched(client: AsyncClient) -> None:
    stored = await store(client, "I have two cats.", user_id="alice", **TOLD)
    path = f"/conversations/{stored['id']}"
    before, log = await get(client, path), await noted(client)
    first = await context(client, "cats?", user_id="alice")

    for body in SAME:
        answer = await client.patch(path, json=body)
        assert (answer.status_code, answer.json()) == (200, before), body

    assert await noted(client) == log
    assert (await context(client, "cats?", user_id="alice"))["bundle_id"] == first["bundle_id"]


@pytest.mark.parametrize(
    "change",
    [{"label": None}, {"tags": ["b", "a"]}, {"metadata": {"n": True}}, {"metadata": {"n": 1.0}}],
)
async def test_what_differs_in_little_is_a_change(alone: AsyncClient, change: Json) -> None:
    stored = await store(alone, "I have two cats.", user_id="alice", **TOLD)
    path = f"/conversations/{stored['id']}"
    before = await get(alone, path)

    after = (await alone.patch(path, json={**TOLD, **change})).json()

    assert after["updated_at"] > before["updated_at"]
    assert after == {**before, **change, "updated_at": after["updated_at"]}


async def test_a_memory_item_that_stays_as_it_is_is_not_touched(client: AsyncClient) -> None:
    path = f"/memories/{(await client.post('/memories', json=FACT)).json()['id']}"
    before, log = await get(client, path), await noted(client)

    for body in SAME_OF_FACT:
        answer = await client.patch(path, json=body)
        assert (answer.status_code, answer.json()) == (200, before), body

    assert await noted(client) == log
    after = (await client.patch(path, json={"valid_from": None})).json()
    assert (after["valid_from"], after["updated_at"] > before["updated_at"]) == (
        before["created_at"],
        True,
    )


async def test_a_profile_that_stays_as_it_is_is_not_touched(client: AsyncClient) -> None:
    path = "/users/alice/profile"
    told = {"preferences": {"tea": 1}, "context": {"at": {"b": 1, "a": 2}}, "notes": "Hi."}
    await client.put("/users/alice/consent", json={"purposes": {"profile": True}})
    before = (await client.put(path, json=told)).json()
    log = await noted(client)

    for body in ({}, told, {"preferences": {"coffee": None}}, {"notes": "Hi."}):
        answer = await client.put(path, json=body)
        assert (answer.status_code, answer.json()) == (200, before), body

    assert await noted(client) == log
    after = (await client.put(path, json={"preferences": {"tea": True}})).json()
    assert after["updated_at"] > before["updated_at"]


async def test_flags_of_which_none_is_named_are_not_touched(alone: AsyncClient) -> None:
    log = await noted(alone)
    assert (await alone.put("/flags", json={})).json() == await get(alone, "/flags")
    assert await noted(alone) == log

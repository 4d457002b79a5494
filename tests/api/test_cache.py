"""The cache: the same answer while nothing changed, and never an old one."""

import asyncio
from collections.abc import Awaitable, Callable

from httpx import AsyncClient, Response

from tests.api.speaking import Json, context, erase, get, said, store

HUGIN = "The server of the api team is called Hugin."
MUNIN = "The server of the ops team is called Munin."
QUERY = "What is the server called?"
ALICE: Json = {"user_id": "alice"}


async def is_hit(client: AsyncClient, **fields: object) -> bool:
    return bool((await context(client, QUERY, **fields))["metadata"]["cache_hit"])


async def test_the_same_question_gets_the_same_bundle(client: AsyncClient) -> None:
    await store(client, HUGIN, **ALICE)

    first = await context(client, QUERY, **ALICE)
    second = await context(client, QUERY, **ALICE)

    assert (first["metadata"]["cache_hit"], second["metadata"]["cache_hit"]) == (False, True)
    second["metadata"]["cache_hit"] = False
    assert second == first


async def test_another_question_gets_another_bundle(client: AsyncClient) -> None:
    stored = await store(client, HUGIN, **ALICE)
    await is_hit(client, **ALICE)

    for other in (
        {"budget_tokens": 3_999},
        {"max_items": 19},
        {"format": "markdown"},
        {"explain": True},
        {"as_of": "2030-01-01T00:00:00Z"},
        {"weights": {"relevance": 1}},
        {"filters": {"folder": "/"}},
        {"group_by": "conversation"},
        {"history": {"max_messages": 1}},
        {"conversation_id": stored["id"]},
        {"user_id": "bob"},
    ):
        assert not await is_hit(client, **{**ALICE, **other}), other


async def test_a_write_makes_what_was_cached_unreachable_at_once(client: AsyncClient) -> None:
    stored = await store(client, HUGIN, **ALICE)
    path = f"/conversations/{stored['id']}"
    body = {"messages": [said(MUNIN)]}
    changes: list[Callable[[], Awaitable[Response]]] = [
        lambda: client.post(f"{path}/messages?wait=indexed", json=body),
        lambda: client.patch(path, json={"label": "new"}),
        lambda: client.patch(path, json={"archived": True}),
        lambda: client.patch(path, json={"archived": False}),
        lambda: client.delete(f"/messages/{stored['message_ids'][0]}"),
        lambda: client.delete(path),
    ]
    await store(client, **ALICE)
    for number, change in enumerate(changes):
        await is_hit(client, **ALICE)
        assert (await change()).status_code < 300
        assert not await is_hit(client, **ALICE), number


async def test_a_new_message_is_in_the_next_context_before_it_is_indexed(
    client: AsyncClient,
) -> None:
    await store(client, HUGIN, **ALICE)
    await is_hit(client, **ALICE)

    body = {**ALICE, "messages": [said(MUNIN)]}
    await client.post("/conversations", json=body)
    bundle = await context(client, QUERY, **ALICE)

    found = {each["content"] for each in bundle["retrieved_memories"]}
    assert found == {HUGIN, MUNIN}
    assert bundle["metadata"]["cache_hit"] is False


async def test_a_bundle_of_before_the_index_was_complete_is_not_kept(client: AsyncClient) -> None:
    await client.post("/conversations", json={**ALICE, "messages": [said(HUGIN)]})
    early = await context(client, QUERY, **ALICE)
    await store(client, MUNIN, **ALICE)

    late = await context(client, QUERY, **ALICE)

    assert late["bundle_id"] != early["bundle_id"]
    assert {each["content"] for each in late["retrieved_memories"]} == {HUGIN, MUNIN}
    for memory in late["retrieved_memories"]:
        assert memory["sources"] == ["lexical", "semantic"]


async def test_what_another_user_writes_leaves_the_cache_alone(client: AsyncClient) -> None:
    await store(client, HUGIN, **ALICE)
    await is_hit(client, **ALICE)

    await store(client, MUNIN, user_id="bob")

    assert await is_hit(client, **ALICE)


async def test_no_cache_builds_anew(client: AsyncClient) -> None:
    await store(client, HUGIN, **ALICE)
    first = await context(client, QUERY, **ALICE)

    for value in ("no-cache", "max-age=0, no-cache", "No-Cache"):
        answer = await client.post(
            "/context", json={"query": QUERY, **ALICE}, headers={"Cache-Control": value}
        )
        assert answer.json()["metadata"]["cache_hit"] is False, value
        assert answer.json()["bundle_id"] != first["bundle_id"]


async def test_a_degraded_bundle_is_not_cached(client: AsyncClient) -> None:
    for n in range(20):
        await store(client, f"{HUGIN} Number {n * 7919}.", **ALICE)
    for attempt in range(20):
        first = await context(client, f"server {attempt}", deadline_ms=1, **ALICE)
        second = await context(client, f"server {attempt}", deadline_ms=1, **ALICE)
        if first["metadata"]["degraded"]:
            assert second["metadata"]["cache_hit"] is False
            assert second["bundle_id"] != first["bundle_id"]
            return
    raise AssertionError("nothing took longer than a millisecond")


async def test_the_same_question_at_the_same_time_is_built_once(client: AsyncClient) -> None:
    await store(client, HUGIN, **ALICE)

    bundles = await asyncio.gather(*(context(client, QUERY, **ALICE) for _ in range(10)))

    assert len({each["bundle_id"] for each in bundles}) == 1


async def test_an_erasure_takes_cached_bundles_along(client: AsyncClient) -> None:
    stored = await store(client, HUGIN, **ALICE)
    await is_hit(client, **ALICE)
    await is_hit(client, **ALICE, max_items=3)

    receipt = await erase(client, f"/conversations/{stored['id']}")

    assert receipt["erased"]["cache_entries"] == 2
    exposition = (await client.get("/metrics")).text
    assert 'foreword_cache_requests_total{result="miss"}' in exposition
    assert (await get(client, "/healthz"))["status"] == "ok"

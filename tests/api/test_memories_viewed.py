"""Entities and profiles as memory items, over HTTP: listed by type, read, never changed."""

import json
from uuid import uuid4

from httpx import AsyncClient

from app.domain.ids import ScopeKey
from app.domain.memories import profile_id
from tests.api.speaking import Json, get, problem, said
from tests.api.test_derived_profile import BOTH, agree, facts
from tests.api.test_entity_graph import ALICE, SAID, tell


async def views(client: AsyncClient, kind: str, **wanted: object) -> list[Json]:
    items: list[Json] = (await get(client, "/memories", type=kind, **{**ALICE, **wanted}))["items"]
    return items


async def test_entities_are_items_with_the_messages_that_mention_them(client: AsyncClient) -> None:
    stored = await tell(client, said(SAID[0], created_at="2026-01-01T10:00:00Z"), SAID[1])
    listed = await views(client, "entity")
    assert [each["id"] for each in listed] == [
        each["id"] for each in (await get(client, "/entities", **ALICE))["items"]
    ]
    found = {each["metadata"]["name"]: each for each in listed}
    anna = found["Anna"]
    assert (anna["type"], anna["content"], anna["user_id"]) == ("entity", "Anna (person)", "alice")
    assert anna["metadata"] == {"type": "person", "name": "Anna", "names": ["Anna"], "mentions": 1}
    assert anna["valid_from"] == anna["created_at"] == "2026-01-01T10:00:00Z"
    assert (anna["valid_to"], anna["superseded"], anna["access_count"]) == (None, [], 0)
    assert anna["tokens"] > 0
    assert await get(client, f"/memories/{anna['id']}") == anna
    lineage = (await get(client, f"/memories/{found['Apollo']['id']}/lineage"))["items"]
    assert [each["id"] for each in lineage] == stored["message_ids"][::-1]
    assert "entity" not in {
        each["type"] for each in (await get(client, "/memories", **ALICE))["items"]
    }


async def test_what_else_an_entity_is_called_stands_behind_its_name(client: AsyncClient) -> None:
    await tell(client, "Bob Smith works on Apollo.", "Bob is ill.")
    (bob,) = [each for each in await views(client, "entity") if "Bob" in each["content"]]
    assert bob["content"] == "Bob Smith (person), also called Bob"


async def test_a_list_of_entities_is_the_user_s_of_a_moment_and_goes_on(
    client: AsyncClient,
) -> None:
    await tell(client, said(SAID[0], created_at="2026-01-01T10:00:00Z"))
    await tell(client, said(SAID[1], created_at="2026-02-01T10:00:00Z"))
    then = await views(client, "entity", as_of="2026-01-15T00:00:00Z")
    assert {each["metadata"]["name"] for each in then} == {"Anna", "Apollo"}
    assert await views(client, "entity", user_id="bob") == []
    assert await views(client, "entity", conversation_id=str(uuid4())) == []
    first = await get(client, "/memories", type="entity", limit=2, **ALICE)
    rest = await views(client, "entity", limit=2, cursor=first["next_cursor"])
    assert [*first["items"], *rest] == await views(client, "entity")
    assert len(rest) == 1


async def test_a_profile_is_an_item_while_its_user_agrees(client: AsyncClient) -> None:
    await tell(client, "I live in Lisbon.")
    assert await views(client, "profile") == []
    await agree(client, BOTH)
    answer = await client.put("/users/alice/profile", json={"notes": "Short answers."})
    assert answer.status_code == 200

    (profile,) = await views(client, "profile")

    assert (profile["type"], profile["user_id"]) == ("profile", "alice")
    assert profile["content"] == "lives_in: Lisbon\nShort answers."
    lives_in = (await facts(client))["Lisbon"]
    assert profile["metadata"] == {"derived": {"context": {"lives_in": [lives_in]}}}
    assert await get(client, f"/memories/{profile['id']}") == profile
    assert (await get(client, f"/memories/{profile['id']}/lineage"))["items"] == [
        {"kind": "memory", "id": lives_in, "external_id": None}
    ]
    assert await views(client, "profile", user_id="bob") == []
    assert await views(client, "profile", as_of="2020-01-01T00:00:00Z") == []

    await client.delete("/users/alice/consent")
    assert await views(client, "profile") == []
    for path in (f"/memories/{profile['id']}", f"/memories/{profile['id']}/lineage"):
        problem(await client.get(path), 404, "memory-not-found")


async def test_neither_is_changed_or_erased_as_an_item(client: AsyncClient) -> None:
    await tell(client, SAID[0])
    await agree(client, BOTH)
    await client.put("/users/alice/profile", json={"notes": "Short answers."})
    for kind in ("entity", "profile"):
        path = f"/memories/{(await views(client, kind))[0]['id']}"
        problem(await client.patch(path, json={"importance": 9}), 404, "memory-not-found")
        problem(await client.delete(path), 404, "memory-not-found")
        assert (await get(client, path))["importance"] == 5


async def test_an_item_that_is_called_as_a_profile_is_told_itself(client: AsyncClient) -> None:
    await tell(client, SAID[0])
    called = str(profile_id(ScopeKey(1)))
    line: Json = {"record": "memory", "type": "fact", "id": called, "content": "Tea is hot."}
    answer = await client.post(
        "/import",
        content=json.dumps({**line, **ALICE}),
        headers={"Content-Type": "application/x-ndjson"},
    )
    assert answer.json()["memories"] == 1
    assert (await get(client, f"/memories/{called}"))["content"] == "Tea is hot."
    assert (await get(client, f"/memories/{called}/lineage"))["items"] == []

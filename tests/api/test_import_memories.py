"""Importing memory items that bring no id: each once, and facts among those of their subject."""

import asyncio
from typing import Any

import pytest
from httpx import AsyncClient

from tests.api.importing import NOTHING, imported
from tests.exports import lines_of

GATE = "The gate code is blue"


def line(content: str, kind: str = "fact", **told: object) -> dict[str, object]:
    return {"record": "memory", "type": kind, "content": content, **told}


async def held(client: AsyncClient, **wanted: str) -> list[dict[str, Any]]:
    answer = await client.get("/memories", params={"user_id": "alice", **wanted})
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


async def tell(client: AsyncClient, content: str) -> dict[str, Any]:
    body = {"type": "fact", "content": content, "user_id": "alice"}
    told: dict[str, Any] = (await client.post("/memories", json=body)).json()
    return told


async def test_a_second_import_of_items_without_ids_adds_nothing(client: AsyncClient) -> None:
    file = lines_of(
        line(GATE),
        line("Alice lives in Lisbon"),
        line("Alice lives in Porto"),
        line("Restart nginx with systemctl", "procedure"),
        line("Weather: rain", "tool", source="http://weather.example"),
        line("Soup is on Mondays.", "document"),
    )

    first = await imported(client, file, user_id="alice")
    before = await held(client, include_superseded="true")

    assert first == {**NOTHING, "memories": 6}
    for _ in range(2):
        assert await imported(client, file, user_id="alice") == {**NOTHING, "duplicates": 6}
    assert await held(client, include_superseded="true") == before


async def test_the_same_line_of_another_user_is_another_item(client: AsyncClient) -> None:
    for user in ("alice", "bob"):
        told = await imported(client, lines_of(line(GATE)), user_id=user)
        assert told == {**NOTHING, "memories": 1}
    one = lines_of(line("Call back", "procedure"), line("Call back", "procedure", importance=9))
    assert (await imported(client, one, user_id="alice"))["memories"] == 2


async def test_the_same_lines_at_once_come_in_once(client: AsyncClient) -> None:
    file = lines_of(line(GATE), *(line(f"Step {at}", "procedure") for at in range(20)))
    told = await asyncio.gather(*(imported(client, file, user_id="alice") for _ in range(3)))
    assert sum(each.get("memories", 0) for each in told) == 21
    assert sum(each["duplicates"] for each in told) == 42


async def test_facts_without_ids_are_filed_like_those_that_are_told(client: AsyncClient) -> None:
    file = lines_of(line("Alice lives in Lisbon"), line("Alice lives in Porto"))

    await imported(client, file, user_id="alice")

    (porto,) = await held(client)
    assert porto["content"] == "Alice lives in Porto"
    older = [each for each in await held(client, include_superseded="true") if each != porto]
    assert [(each["content"], each["superseded_by"]) for each in older] == [
        ("Alice lives in Lisbon", porto["id"])
    ]


@pytest.mark.parametrize("content", [GATE, "Alice lives in Lisbon"])
async def test_what_was_told_before_is_the_same_item(client: AsyncClient, content: str) -> None:
    await tell(client, content)

    told = await imported(client, lines_of(line(content, importance=9)), user_id="alice")

    assert told == {**NOTHING, "duplicates": 1}
    assert (await tell(client, content))["known"] is True
    assert len(await held(client)) == 1


async def test_what_brings_an_id_stays_as_it_was_there(client: AsyncClient) -> None:
    ids = [f"0198{at:04}-0000-7000-8000-000000000000" for at in range(2)]
    pairs = zip(ids, ("Lisbon", "Porto"), strict=True)
    file = lines_of(*(line(f"Alice lives in {place}", id=own) for own, place in pairs))

    assert (await imported(client, file, user_id="alice"))["memories"] == 2

    assert {each["id"] for each in await held(client)} == {*ids}

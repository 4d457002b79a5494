"""A question that a fact answers is answered by what holds now, before all that was ever said."""

import pytest
from httpx import AsyncClient

from tests.api.speaking import Json, context, distilled, erase, get, said, store

MARCH, MAY, LATER = "2026-03-02T09:00:00Z", "2026-05-04T09:00:00Z", "2026-06-01T09:00:00Z"
CHATTER = [
    f"Can you recommend a {thing}?"
    for thing in (
        *("novel", "film", "podcast", "museum", "board game", "hike", "restaurant", "song"),
        *("poem", "play", "street", "park", "lake", "opera", "comic", "recipe", "phone"),
    )
]


async def tell(client: AsyncClient, *contents: str, when: str, user_id: str = "ada") -> Json:
    messages = [said(content, created_at=when) for content in contents]
    return await store(client, *messages, user_id=user_id)


async def best(client: AsyncClient, query: str, **more: object) -> Json:
    bundle = await context(client, query, user_id="ada", as_of=LATER, explain=True, **more)
    assert bundle["metadata"]["sufficient"]
    first: Json = bundle["retrieved_memories"][0]
    return first


@pytest.fixture
async def moved(alone: AsyncClient) -> AsyncClient:
    first = ("I live in Berlin and work as a nurse.", "What if I lived in Rome?", "I like owls.")
    await tell(alone, *first, "My daughter Mia is allergic to peanuts.", when=MARCH)
    await tell(alone, "We moved to Porto!", "We decided to use PostgreSQL.", when=MAY)
    await tell(alone, *CHATTER, when=MAY)
    await tell(alone, "I live in Oslo.", when=MAY, user_id="eve")
    await distilled(alone)
    return alone


@pytest.mark.parametrize(
    ("query", "holds"),
    [
        ("Where do I live?", "Porto"),
        ("do you know where i live", "Porto"),
        ("What is my job?", "nurse"),
        ("Is my daughter allergic to anything?", "peanuts"),
        ("Which database do we use?", "PostgreSQL"),  # the message, which says the same
        ("What do I like?", "owls"),
    ],
)
async def test_what_holds_now_stands_first(moved: AsyncClient, query: str, holds: str) -> None:
    first = await best(moved, query)
    assert (first["signals"]["answers"], first["signals"]["lift"] > 0) == (1.0, True)
    assert holds in first["content"]


async def test_it_is_told_as_of_then_in_any_conversation_and_no_more_once_erased(
    moved: AsyncClient,
) -> None:
    then = {"user_id": "ada", "as_of": "2026-04-01T09:00:00Z"}
    (before, *_) = (await context(moved, "Where do I live?", **then))["retrieved_memories"]
    assert "Berlin" in before["content"]
    running = await tell(moved, *CHATTER[:5], when=MAY)
    there = await best(moved, "Where do I live?", conversation_id=running["id"])
    assert "Porto" in there["content"]
    listed = await get(moved, "/memories", type="fact", user_id="ada")
    (porto,) = (each for each in listed["items"] if each["metadata"]["value"] == "Porto")
    await erase(moved, f"/memories/{porto['id']}")
    left = await best(moved, "Where do I live?")
    assert "Berlin" in left["content"]


async def test_filters_and_flags_hold_for_it(moved: AsyncClient) -> None:
    only = {"types": ["message"]}
    bundle = await context(moved, "Where do I live?", user_id="ada", filters=only)
    assert {each["type"] for each in bundle["retrieved_memories"]} == {"message"}
    await moved.put("/flags", json={"facts": False})
    bundle = await context(moved, "Where do I live?", user_id="ada", as_of=LATER)
    assert "fact" not in {each["type"] for each in bundle["retrieved_memories"]}
    await moved.put("/flags", json={"facts": True})


async def test_who_told_nothing_of_it_is_answered_by_nothing_of_it(moved: AsyncClient) -> None:
    bundle = await context(moved, "What is my birthday?", user_id="ada", explain=True)
    assert not any("answers" in each["signals"] for each in bundle["retrieved_memories"])

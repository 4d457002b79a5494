"""What was said at a time that is asked for is looked at, however far its words are off."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from httpx import AsyncClient

from app.settings import Settings
from tests.api.speaking import context, said, search, store, talking_to

QUESTION = "Which surprise did the dentist have on 3 June 2025?"
THEN = "Look, a puppy for the whole family!"
DENTIST = [f"The dentist has surprise number {each} on the wall." for each in range(6)]


@pytest.fixture
async def narrow(embedded: Settings) -> AsyncIterator[AsyncClient]:
    """Meaning brings two candidates, words two, and the graph none."""
    retrieval = embedded.retrieval.model_copy(update={"per_source": 2, "floor": 0.0})
    async with talking_to(embedded.model_copy(update={"retrieval": retrieval})) as client:
        await client.put("/flags", json={"graph": False})
        for day, lines in (("2025-03-01", DENTIST), ("2025-06-03", [THEN])):
            times = [f"{day}T10:{minute:02}:00Z" for minute in range(len(lines))]
            told = [said(each, created_at=at) for each, at in zip(lines, times, strict=True)]
            await store(client, *told, user_id="ann", created_at=f"{day}T10:00:00Z")
        yield client


async def found(client: AsyncClient, question: str, **about: Any) -> list[str]:
    """Everything that was looked at."""
    answer = await search(
        client,
        question,
        user_id="ann",
        max_items=1,
        explain=True,
        as_of="2025-08-01T12:00:00Z",
        **about,
    )
    return [each["content"] for each in answer["results"] + answer["left_out"]]


async def test_what_was_said_then_is_looked_at(narrow: AsyncClient) -> None:
    assert THEN in await found(narrow, QUESTION)
    assert THEN in await found(narrow, "Which surprise did the dentist have in June 2025?")


async def test_without_the_time_it_is_not(narrow: AsyncClient) -> None:
    assert THEN not in await found(narrow, "Which surprise did the dentist have?")
    assert THEN not in await found(narrow, "Which surprise did the dentist have on 3 May 2025?")
    assert THEN not in await found(narrow, "Which surprise did the dentist have in 2025?")


async def test_filters_hold_for_it(narrow: AsyncClient) -> None:
    for filters in (
        {"before": "2025-06-03T09:00:00Z"},
        {"after": "2025-06-04T09:00:00Z"},
        {"roles": ["assistant"]},
    ):
        assert THEN not in await found(narrow, QUESTION, filters=filters)
    assert THEN in await found(narrow, QUESTION, filters={"after": "2025-06-03T09:00:00Z"})


async def test_what_is_not_hybrid_looks_for_meaning_alone(narrow: AsyncClient) -> None:
    await narrow.put("/flags", json={"hybrid": False})
    assert THEN not in await found(narrow, QUESTION)


async def test_what_was_said_then_comes_in_where_nothing_else_answers(alone: AsyncClient) -> None:
    """It is not called an incident: so it is shown, and no likely answer."""
    rain = "The rain came through the ceiling and the racks stood in water."
    rule = "An incident is declared by whoever is on call."
    for text, day in ((rain, "2025-05-12"), (rule, "2025-02-03")):
        at = f"{day}T10:00:00Z"
        await store(alone, said(text, created_at=at), user_id="ann", created_at=at)
    about: dict[str, Any] = {"user_id": "ann", "as_of": "2025-08-01T12:00:00Z"}

    bundle = await context(alone, "Which incidents did we have in May?", **about)
    assert rain in {each["content"] for each in bundle["retrieved_memories"]}

    bundle = await context(alone, "Which incidents did we have?", **about)
    assert rain not in {each["content"] for each in bundle["retrieved_memories"]}

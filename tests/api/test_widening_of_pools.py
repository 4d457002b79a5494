"""What answers a question stands behind it and says nothing that is asked for."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from httpx import AsyncClient

from app.settings import Settings
from tests.api.speaking import Json, said, search, store, talking_to

QUESTION = "Which dentist do you go to in Porto?"
ANSWER = "Always Silva, two floors above the bakery."
BRIEF = "The dentist of my sister moved away."
CHAT = [
    said(QUESTION),
    said(ANSWER, role="assistant"),
    said(BRIEF),
    said("Porto is lovely in June, and so is the coast."),
    said("We could take the train on Friday morning."),
]


@pytest.fixture
async def narrow(embedded: Settings) -> AsyncIterator[AsyncClient]:
    """Words and meaning bring one candidate each, and the graph none."""
    retrieval = embedded.retrieval.model_copy(update={"per_source": 1, "floor": 0.0})
    async with talking_to(embedded.model_copy(update={"retrieval": retrieval})) as client:
        await client.put("/flags", json={"graph": False})
        yield client


async def found(client: AsyncClient, **filters: Any) -> dict[str, list[str]]:
    """What the pool holds, with what found it."""
    answer = await search(
        client, QUESTION, user_id="ann", filters=filters, max_items=1, explain=True
    )
    return {each["content"]: each["sources"] for each in answer["results"] + answer["left_out"]}


async def test_what_no_source_found_is_found_beside_what_one_did(narrow: AsyncClient) -> None:
    await store(narrow, *CHAT, user_id="ann")
    assert await found(narrow) == {
        QUESTION: ["lexical", "semantic"],
        ANSWER: ["episodic"],
        BRIEF: ["episodic"],
    }


async def test_of_longer_messages_only_what_stands_right_beside_it(narrow: AsyncClient) -> None:
    at_length = QUESTION + " I have asked everybody at the office, and nobody could tell me." * 2
    await store(narrow, said(at_length), *CHAT[1:], user_id="ann")
    assert await found(narrow) == {at_length: ["lexical", "semantic"], ANSWER: ["episodic"]}


@pytest.mark.parametrize(
    "filters",
    [{"roles": ["user"]}, {"types": ["chunk", "fact"]}, {"exclude_terms": ["bakery"]}],
    ids=["roles", "types", "exclude_terms"],
)
async def test_filters_keep_out_what_they_keep_out_of_sources(
    narrow: AsyncClient, filters: Json
) -> None:
    await store(narrow, *CHAT, user_id="ann")
    assert ANSWER not in await found(narrow, **filters)


async def test_dense_retrieval_alone_finds_by_meaning_alone(narrow: AsyncClient) -> None:
    await narrow.put("/flags", json={"hybrid": False})
    await store(narrow, *CHAT, user_id="ann")
    assert await found(narrow) == {QUESTION: ["semantic"]}


async def test_what_the_history_shows_is_not_found_beside_it(narrow: AsyncClient) -> None:
    conversation = await store(narrow, *CHAT, user_id="ann")
    answer = await narrow.post(
        "/context",
        json={"query": QUESTION, "conversation_id": conversation["id"], "user_id": "ann"},
    )
    bundle = answer.json()
    shown = [each["content"] for each in bundle["recent_history"]]
    assert ANSWER in shown
    assert ANSWER not in [each["content"] for each in bundle["retrieved_memories"]]

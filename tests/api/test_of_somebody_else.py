"""A likely answer tells of those that are asked about, not of somebody else."""

import pytest
from httpx import AsyncClient

from tests.api.speaking import Json, context, distilling_nothing, said, store, store_soon

TOLD = (
    ("Maria is vegetarian, by the way.", "Jonas and I went to the cinema."),
    ("My boss is called Ulrike and she always says there is no budget.",),
    ("Dr. Brandt prescribed ibuprofen for my knee.",),
    ("The demo at Kestrel is on 4 May.", "Pinecrest wants a new offer from us."),
    ("I have been climbing since university.", "My brother Peter likes crime novels."),
    ("My sister does not eat fish.",),
    ("The bakery at the corner opens at seven.", "It rained for three days."),
)
MARIA, DEMO, FISH = TOLD[0][0], TOLD[3][0], TOLD[5][0]


@pytest.fixture
async def told(alone: AsyncClient) -> AsyncClient:
    await distilling_nothing(alone)
    *first, last = TOLD
    for each in first:
        await store_soon(alone, *each)
    await store(alone, *last)
    return alone


@pytest.mark.parametrize(
    "question",
    [
        "Is Jonas vegetarian?",
        "Does Finn eat meat?",
        "Is Finn vegetarian?",
        "How much does Ulrike earn?",
        "What did Dr. Lindqvist prescribe?",
        "When is the demo at Pinecrest?",
        "Is Peter vegetarian?",
    ],
)
async def test_what_is_known_of_others_is_no_answer(told: AsyncClient, question: str) -> None:
    assert (await context(told, question))["metadata"]["sufficient"] is False


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is Maria vegetarian?", MARIA),
        ("When is the demo at Kestrel?", DEMO),
        ("Claude, is Maria vegetarian?", MARIA),
        ("What did Dr. Brandt prescribe?", TOLD[2][0]),
        ("What does Peter like?", TOLD[4][1]),
    ],
)
async def test_what_is_known_of_who_is_asked_about_is_one(
    told: AsyncClient, question: str, answer: str
) -> None:
    bundle = await context(told, question)
    assert bundle["retrieved_memories"][0]["content"] == answer
    assert bundle["metadata"]["sufficient"] is True


async def test_what_is_known_of_others_is_shown_all_the_same(told: AsyncClient) -> None:
    bundle = await context(told, "Is Finn vegetarian?")
    assert MARIA in [each["content"] for each in bundle["retrieved_memories"]]


async def test_who_asks_by_their_own_name_is_told_of_themselves(told: AsyncClient) -> None:
    await store(told, "I am allergic to hazelnuts.", user_id="jonas")
    bundle = await context(told, "Is Jonas allergic to hazelnuts?", user_id="jonas")
    assert bundle["metadata"]["sufficient"] is True


async def test_who_has_the_name_says_so_of_themselves(alone: AsyncClient) -> None:
    lines: list[Json] = [
        said("I started to play the violin last month.", name="Priya"),
        said("That is lovely, I can hear you in the hall.", name="Ravi"),
    ]
    await store(alone, *lines)
    assert (await context(alone, "Which instrument does Priya play, the violin?"))["metadata"][
        "sufficient"
    ]


@pytest.mark.parametrize("said_to_it", ["when exactly", "who?", "the what"])
async def test_what_says_nothing_but_who_says_it_is_no_answer(
    alone: AsyncClient, said_to_it: str
) -> None:
    await distilling_nothing(alone)
    chat = [
        ("Mara", "The band plays on Friday, in the barn behind the mill."),
        ("Jonas", said_to_it),
    ]
    messages = [{"role": "user", "name": who, "content": what} for who, what in chat]
    await store(alone, *messages)
    bundle = await context(alone, "When is Jonas' wedding?")
    assert bundle["metadata"]["sufficient"] is False

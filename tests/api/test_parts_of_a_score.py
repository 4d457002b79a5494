"""Over HTTP: relevance, what is added to or taken from it, recency and importance: a score."""

import pytest
from httpx import AsyncClient

from tests.api.speaking import Json, context, store
from tests.api.speaking import said as said_at

WEIGHTS = {"relevance": 0.5, "recency": 0.2, "importance": 0.3}
CHATTER = (
    "The invoice of the cleaners was paid on Monday.",
    "We decided to paint the kitchen green.",
    "The printer on the second floor is out of paper.",
    "My sister plays the cello in an orchestra.",
    "The new dishwasher makes a strange noise.",
    "We planted tomatoes behind the shed.",
    "The train to work was late again.",
    "There will be soup for lunch.",
    "The old bicycle needs new brakes.",
    "We finally sorted the photos of the holidays.",
)


CHANGED = (
    "The meeting with Kim is on Tuesday at 3.",
    "The meeting with Kim was moved to Thursday at 10.",
)


@pytest.fixture
async def told(alone: AsyncClient) -> AsyncClient:
    said = (
        "Where do I keep the spare key of the cellar?",
        "The spare key of the cellar hangs behind the mirror.",
    )
    await store(alone, *said, *CHATTER, external_id="home", user_id="alice")
    for at, each in enumerate(CHANGED, 1):
        await store(alone, said_at(each, created_at=f"2026-03-0{at}T10:00:00Z"), user_id="alice")
    return alone


async def candidates(client: AsyncClient, query: str, **options: str) -> list[Json]:
    asked = {"user_id": "alice", "explain": True, "weights": WEIGHTS, **options}
    bundle = await context(client, query, **asked)
    found: list[Json] = bundle["retrieved_memories"]
    assert found
    return found


def made_of(signals: dict[str, float]) -> float:
    """The score that these signals give."""
    relevance = signals["relevance"] + signals.get("lift", 0)
    parts = {**signals, "relevance": relevance}
    return sum(weight * parts[name] for name, weight in WEIGHTS.items())


@pytest.mark.parametrize(
    "query", ["Where is the spare key of the cellar?", "When is the meeting with Kim?", "cello"]
)
async def test_they_add_up_to_it(told: AsyncClient, query: str) -> None:
    for each in await candidates(told, query):
        assert made_of(each["signals"]) == pytest.approx(each["score"], abs=1e-4)


async def test_what_answers_nothing_says_so_and_what_that_takes(told: AsyncClient) -> None:
    found = await candidates(told, "Where is the spare key of the cellar?")
    idle = {each["content"]: each["signals"]["lift"] for each in found if "idle" in each["signals"]}

    assert list(idle) == ["Where do I keep the spare key of the cellar?"]
    assert all(lift < 0 for lift in idle.values())
    assert found[0]["content"] == "The spare key of the cellar hangs behind the mirror."


async def test_what_tells_of_a_change_says_what_that_adds(told: AsyncClient) -> None:
    found = await candidates(told, "When is the meeting with Kim?")
    added = {each["content"]: each["signals"].get("lift", 0) for each in found[:2]}

    assert list(added) == list(reversed(CHANGED))
    assert added[CHANGED[1]] > added[CHANGED[0]] == 0


async def test_what_was_said_next_says_what_that_adds(told: AsyncClient) -> None:
    handbook = ("The handbook shows no dunning steps, Ines wants a diagram.", "I'll draw one.")
    await store(told, *handbook, *CHATTER, external_id="handbook", user_id="alice")
    asked = (
        said_at("Does the handbook show the dunning steps?"),
        said_at("Not yet, Ines wants a diagram.", role="assistant"),
    )
    await store(told, *asked, external_id="now", user_id="alice")

    found = await candidates(told, "And who drew it?", conversation_external_id="now")
    drawn = next(each for each in found if each["content"] == handbook[1])
    assert 0 < drawn["signals"]["follow_up"] <= 1
    for each in found:
        assert made_of(each["signals"]) == pytest.approx(each["score"], abs=1e-4)

    found = await candidates(told, "Who wants a diagram of the dunning steps?")
    assert all("follow_up" not in each["signals"] for each in found)

"""What people write around a question in a chat does not keep the answer from being found."""

import pytest
from httpx import AsyncClient

from tests.api.speaking import context, store

QUESTION = "Where does Ann keep her sailing boat?"
ANSWER = "Ann keeps the boat in the old harbour of Piran."
SAID = [
    ANSWER,
    "I was at the gym and thought about the shower.",
    "Thanks, can you please tell me whether the train was late?",
    "My boss sends an email every morning.",
    "The meeting about the album is tomorrow.",
    "Somebody asked for dinner recipes in the chat.",
    "I wrote a message to a friend about her notes.",
    "Hi there, I hope you are well!",
    "The bus to the office was late again.",
    "We cleaned the kitchen and the bathroom.",
    "Could you remind me of the tab that I closed?",
    "Ann has two cats.",
]


@pytest.mark.parametrize(
    "message",
    [
        f"Hi there, could you please tell me {QUESTION} Thanks a lot!",
        f"Just got back from the gym. {QUESTION}",
        f"{QUESTION} I need it for the email that my boss wants tomorrow morning.",
        f"Hey! Sorry, the bus was late again. {QUESTION} I promised it to a friend. Thank you!",
    ],
)
async def test_what_stands_around_a_question_does_not_pass_its_answer(
    client: AsyncClient, message: str
) -> None:
    await store(client, *SAID, user_id="alice")

    bare = await context(client, QUESTION, user_id="alice")
    asked = await context(client, message, user_id="alice")

    for bundle in (bare, asked):
        assert bundle["retrieved_memories"][0]["content"] == ANSWER
        assert bundle["metadata"]["sufficient"]
    assert asked["query"] == message


async def test_courtesies_change_nothing(client: AsyncClient) -> None:
    await store(client, *SAID, user_id="alice")

    bare = await context(client, QUESTION, user_id="alice")
    polite = await context(client, f"Hello! {QUESTION} Thanks!", user_id="alice")

    assert polite["retrieved_memories"] == bare["retrieved_memories"]


async def test_what_stands_around_a_question_that_says_too_little_finds_it(
    client: AsyncClient,
) -> None:
    await store(client, *SAID, user_id="alice")

    bundle = await context(
        client, "I want to see Ann's sailing boat. Where is it?", user_id="alice"
    )

    assert bundle["retrieved_memories"][0]["content"] == ANSWER

"""In a running conversation "she" is whoever was named last."""

from typing import Any

import pytest
from httpx import AsyncClient

from tests.api.speaking import contents, context, said, store

MADE = {
    "Maria": "Maria made a lemon tart and brownies.",
    "Peter": "Peter made onion soup and a potato salad.",
}
OTHERS = ["The bus was late again.", "We cleaned the kitchen.", "The soup was hot."]
DISHES = "What dishes did {} make?"


async def running(client: AsyncClient, *turns: str) -> dict[str, Any]:
    """A conversation in which the user and the assistant take turns."""
    roles = ("user", "assistant")
    told = [said(turn, roles[at % 2]) for at, turn in enumerate(turns)]
    return await store(client, *told, user_id="alice")


@pytest.fixture
async def memory(client: AsyncClient) -> AsyncClient:
    for told in MADE.values():
        await store(client, told, user_id="alice")
    await store(client, *OTHERS, user_id="alice")
    return client


@pytest.mark.parametrize(("name", "pronoun"), [("Maria", "she"), ("Peter", "he")])
async def test_it_is_whoever_was_named_last(memory: AsyncClient, name: str, pronoun: str) -> None:
    other = "Peter" if name == "Maria" else "Maria"
    turns = [f"I met {other} today.", "Nice.", f"And then {name} came along."]
    chat = await running(memory, *turns, "How lovely!")

    bundle = await context(memory, DISHES.format(pronoun), conversation_id=chat["id"])

    assert contents(bundle)[0] == MADE[name]
    assert bundle["metadata"]["leans_on"] == chat["message_ids"][2]


async def test_who_is_named_in_the_question_is_nobody_else(memory: AsyncClient) -> None:
    chat = await running(memory, "I met Maria and Peter today.", "Nice.")

    bundle = await context(memory, "What did Peter cook, and was he good?", **_in(chat))

    assert contents(bundle)[0] == MADE["Peter"]
    assert bundle["metadata"]["leans_on"] is None


async def test_who_is_named_behind_is_somebody_else(memory: AsyncClient) -> None:
    chat = await running(memory, "I met Peter and Maria today.", "Nice.")

    bundle = await context(memory, "What soup or salad did he make for Maria?", **_in(chat))

    assert contents(bundle)[0] == MADE["Peter"]


async def test_a_name_typed_small_is_known_to_the_graph(memory: AsyncClient) -> None:
    chat = await running(memory, "I met Maria today.", "Nice.")

    bundle = await context(memory, "what did peter cook, was he good?", **_in(chat))

    assert contents(bundle)[0] == MADE["Peter"]
    assert bundle["metadata"]["leans_on"] is None


async def test_the_question_may_be_stored_already(memory: AsyncClient) -> None:
    asked = DISHES.format("she")
    chat = await running(memory, "I met Maria today.", "Nice.", asked)

    bundle = await context(memory, asked, conversation_id=chat["id"])

    assert contents(bundle)[0] == MADE["Maria"]
    assert bundle["metadata"]["leans_on"] == chat["message_ids"][0]


async def test_nobody_is_meant_where_nobody_was_named(memory: AsyncClient) -> None:
    chat = await running(memory, "The weather in Rome is nice.", "It is.")

    asked = "What dishes did she make for the shelter in winter?"
    bundle = await context(memory, asked, conversation_id=chat["id"])

    assert bundle["metadata"]["leans_on"] is None


@pytest.mark.parametrize(
    "answer",
    [
        "How lovely, Maria!",
        "I see, Maria.",
        "How was it, Maria?",
        "Maria, that is lovely.",
        "Lovely! Maria, how was it?",
        "Hi Maria!",
    ],
)
async def test_nobody_is_meant_who_is_spoken_to(memory: AsyncClient, answer: str) -> None:
    chat = await running(memory, "I met Peter today.", answer)

    bundle = await context(memory, DISHES.format("he"), **_in(chat))

    assert contents(bundle)[0] == MADE["Peter"]
    assert bundle["metadata"]["leans_on"] == chat["message_ids"][0]


async def test_the_assistant_may_speak_of_somebody(memory: AsyncClient) -> None:
    chat = await running(memory, "I met Maria today.", "Lovely! And Peter, was he there?")

    bundle = await context(memory, DISHES.format("he"), **_in(chat))

    assert contents(bundle)[0] == MADE["Peter"]
    assert bundle["metadata"]["leans_on"] == chat["message_ids"][1]


async def test_the_user_is_nobody_else(memory: AsyncClient) -> None:
    chat = await running(memory, "I met Maria today.", "And so Alice met Maria.")
    alone = await running(memory, "I signed it as Alice today.", "Nice.")

    bundle = await context(memory, DISHES.format("she"), **_in(chat))
    assert contents(bundle)[0] == MADE["Maria"]

    asked = "What dishes did she make for the shelter in winter?"
    bundle = await context(memory, asked, **_in(alone))
    assert bundle["metadata"]["leans_on"] is None


@pytest.mark.parametrize(
    ("pronoun", "name", "turn"),
    [
        ("she", "Maria", "I met my sister Maria and my brother Peter today."),
        ("she", "Maria", "I met my brother Peter and my sister Maria today."),
        ("he", "Peter", "I met my wife Maria and my older brother Peter today."),
        ("he", "Peter", "Maria is my sister. I met Maria and Peter today."),
        ("she", "Maria", "I met Peter and Maria today. Peter is my uncle."),
    ],
)
async def test_she_is_no_brother(memory: AsyncClient, pronoun: str, name: str, turn: str) -> None:
    chat = await running(memory, turn, "Nice.")

    bundle = await context(memory, DISHES.format(pronoun), **_in(chat))

    made = [each for each in contents(bundle) if each in MADE.values()]
    assert made[0] == MADE[name]
    assert bundle["metadata"]["leans_on"] == chat["message_ids"][0]


async def test_a_brother_stays_one(memory: AsyncClient) -> None:
    turns = ["My brother Peter is here.", "Nice.", "I met Maria.", "Lovely.", "I called Peter."]
    chat = await running(memory, *turns)

    bundle = await context(memory, DISHES.format("she"), **_in(chat))

    assert contents(bundle)[0] == MADE["Maria"]
    assert bundle["metadata"]["leans_on"] == chat["message_ids"][2]


async def test_a_name_typed_small_before_is_somebody(memory: AsyncClient) -> None:
    chat = await running(memory, "I met Maria today.", "Nice.")

    asked = "susan called. What dishes did she make on Sundays in winter?"
    bundle = await context(memory, asked, **_in(chat))

    assert bundle["metadata"]["leans_on"] is None


def _in(chat: dict[str, Any]) -> dict[str, Any]:
    return {"conversation_id": chat["id"]}

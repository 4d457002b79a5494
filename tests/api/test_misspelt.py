"""A question with slips of the keyboard finds what the same one without them does."""

import pytest
from httpx import AsyncClient

from tests.api.speaking import contents, context, said, store

ANSWER = "Maria made two desserts for the shelter: a lemon tart and brownies."
OTHERS = ["The bus was late again.", "Ann has two cats.", "We cleaned the kitchen."]


async def respelled(client: AsyncClient, query: str, **fields: object) -> dict[str, str]:
    answer = await context(client, query, **fields)
    found: dict[str, str] = answer["metadata"]["respelled"]
    return found


async def test_what_was_meant_is_found_and_said(client: AsyncClient) -> None:
    await store(client, ANSWER, *OTHERS, user_id="alice")

    bundle = await context(client, "What desesrts has Maria made?", user_id="alice")

    assert contents(bundle)[0] == ANSWER
    assert bundle["metadata"]["sufficient"]
    assert bundle["metadata"]["respelled"] == {"desesrts": "desserts"}
    assert bundle["query"] == "What desesrts has Maria made?"


async def test_a_search_says_it_too(client: AsyncClient) -> None:
    await store(client, ANSWER, *OTHERS, user_id="alice")

    body = {"query": "which desesrts were there", "user_id": "alice"}
    answer = (await client.post("/search", json=body)).json()

    assert answer["results"][0]["content"] == ANSWER
    assert answer["respelled"] == {"desesrts": "desserts"}


async def test_what_is_quoted_is_looked_for_as_it_is(client: AsyncClient) -> None:
    mine = "I always write desesrts like that."
    await store(client, mine, ANSWER, *OTHERS, user_id="alice")

    bundle = await context(client, 'where did i write "desesrts"?', user_id="alice")

    assert bundle["metadata"]["respelled"] == {}
    assert contents(bundle)[0] == mine


async def test_only_the_words_of_ones_own_memory_count(client: AsyncClient) -> None:
    """No list has "quibberling": that it is a word, only who said it can tell."""
    await store(client, "My quibberling is in the garden shed.", user_id="bob")
    await store(client, *OTHERS, user_id="alice")

    asked = "where is the quibbreling now?"

    assert await respelled(client, asked, user_id="bob") == {"quibbreling": "quibberling"}
    assert await respelled(client, asked, user_id="alice") == {}


async def test_a_word_that_was_erased_is_none_any_more(client: AsyncClient) -> None:
    await store(client, *OTHERS, user_id="bob")
    stored = await store(client, "My quibberling is in the garden shed.", user_id="bob")
    asked = "where is the quibbreling now?"
    assert await respelled(client, asked, user_id="bob")

    await client.delete(f"/conversations/{stored['id']}")

    assert await respelled(client, asked, user_id="bob") == {}


async def test_the_question_may_be_stored_already(client: AsyncClient) -> None:
    asked = "What desesrts has Maria made?"
    await store(client, ANSWER, *OTHERS, user_id="alice")
    running = await store(client, said(asked), user_id="alice")

    bundle = await context(client, asked, conversation_id=running["id"])

    assert contents(bundle)[0] == ANSWER


async def test_a_follow_up_is_respelled_before_it_is_followed(client: AsyncClient) -> None:
    await store(client, ANSWER, *OTHERS, user_id="alice")
    running = await store(
        client, said("I met Maria."), said("How is Maria?", "assistant"), user_id="alice"
    )

    asked = "What desesrts has she made?"
    bundle = await context(client, asked, conversation_id=running["id"])

    assert contents(bundle)[0] == ANSWER
    assert bundle["metadata"]["leans_on"] == running["message_ids"][1]


@pytest.mark.parametrize(
    ("stored", "asked", "told"),
    [
        ("Die Küche wird im März gestrichen.", "kueche", {"kueche": "küche"}),
        ("Die Kueche wird im Maerz gestrichen.", "Was ist mit der Küche?", {"kuche": "Kueche"}),
        ("Jonas Müller wohnt in Köln.", "Where does Mueller live?", {"mueller": "Müller"}),
    ],
)
async def test_an_umlaut_may_be_written_out(
    client: AsyncClient, stored: str, asked: str, told: dict[str, str]
) -> None:
    await store(client, stored, *OTHERS, user_id="alice")

    bundle = await context(client, asked, user_id="alice")

    assert contents(bundle)[0] == stored
    assert bundle["metadata"]["respelled"] == told
    assert await respelled(client, asked, user_id="bob") == {}


async def test_what_is_said_in_either_spelling_is_asked_as_it_is(client: AsyncClient) -> None:
    await store(client, "Die Küche ist neu.", "Die Kueche ist alt.", user_id="alice")

    assert await respelled(client, "kueche", user_id="alice") == {}
    assert await respelled(client, "Küche", user_id="alice") == {}

"""Two questions in one message are answered as two."""

from typing import Any

import pytest
from httpx import AsyncClient

from tests.api.speaking import contents, context, said, store

MOVED = "Ann carried all her boxes to Porto in the second week of March."
PAINTS = "Ben is at his easel every Sunday: this year he does lighthouses."
OTHERS = [f"The bus number {at} was late again on its way to the museum." for at in range(30)]
BOTH = "When did Ann move to Porto? And what does Ben paint on Sundays?"


@pytest.fixture
async def memory(client: AsyncClient) -> AsyncClient:
    await store(client, MOVED, *OTHERS[:15], user_id="alice", external_id="ann")
    await store(client, PAINTS, *OTHERS[15:], user_id="alice", external_id="ben")
    return client


async def test_each_has_its_answer_before_all_else(memory: AsyncClient) -> None:
    bundle = await context(memory, BOTH, user_id="alice")

    assert {*contents(bundle)[:2]} == {MOVED, PAINTS}
    assert bundle["query"] == BOTH
    scores = [each["score"] for each in bundle["retrieved_memories"]]
    assert scores == sorted(scores, reverse=True)


async def test_a_search_finds_both(memory: AsyncClient) -> None:
    answer = await memory.post("/search", json={"query": BOTH, "user_id": "alice", "max_items": 5})
    found = [each["content"] for each in answer.json()["results"]]
    assert {*found[:2]} == {MOVED, PAINTS}


async def test_what_is_told_twice_is_there_once(memory: AsyncClient) -> None:
    again = "When did Ann move to Porto? In which week did Ann carry her boxes to Porto?"

    bundle = await context(memory, again, user_id="alice", explain=True)

    ids = [each["id"] for each in bundle["retrieved_memories"]]
    dropped = [each["id"] for each in bundle["metadata"]["dropped"]]
    assert len({*ids, *dropped}) == len(ids) + len(dropped)
    assert contents(bundle)[0] == MOVED


async def test_of_a_running_conversation_both_are_asked(memory: AsyncClient) -> None:
    chat = await store(memory, said("Hi!"), said("Hello!", "assistant"), user_id="alice")

    bundle = await context(memory, BOTH, conversation_id=chat["id"], explain=True)

    assert {*contents(bundle)[:2]} == {MOVED, PAINTS}
    assert len(bundle["recent_history"]) == 2
    assert all("relevance" in each["signals"] for each in bundle["retrieved_memories"])


async def test_the_budget_is_of_both_together(memory: AsyncClient) -> None:
    bundle = await context(memory, BOTH, user_id="alice", budget_tokens=60)

    assert bundle["metadata"]["total_tokens"] <= 60
    assert {*contents(bundle)[:2]} == {MOVED, PAINTS}


async def test_a_bundle_of_both_is_told_again(memory: AsyncClient) -> None:
    bundle = await context(memory, BOTH, user_id="alice")

    replayed = (await memory.get(f"/bundles/{bundle['bundle_id']}")).json()

    assert ranks(replayed) == ranks(bundle)


def ranks(bundle: dict[str, Any]) -> list[tuple[str, float]]:
    return [(each["id"], each["score"]) for each in bundle["retrieved_memories"]]


async def test_what_was_asked_before_stands_aside(memory: AsyncClient) -> None:
    in_vain = said("I don't have any information about that.", "assistant")
    await store(memory, said(BOTH), in_vain, user_id="alice")

    bundle = await context(memory, BOTH, user_id="alice")

    assert {*contents(bundle)[:2]} == {MOVED, PAINTS}
    assert BOTH not in contents(bundle)
    assert in_vain["content"] not in contents(bundle)


async def test_what_two_messages_say_is_told_once(memory: AsyncClient) -> None:
    halves = "Ann moved to Porto in March", "Ben paints lighthouses on Sundays"
    await store(memory, f"{halves[0]}, and {halves[1]}.", user_id="bob")
    await store(memory, f"{halves[1]}, and {halves[0]}.", user_id="bob")

    bundle = await context(memory, BOTH, user_id="bob")

    messages = [each for each in bundle["retrieved_memories"] if each["type"] == "message"]
    assert len(messages) == 1
    assert bundle["metadata"]["deduplicated"] >= 1

"""What asks for nothing brings nothing: small talk, and a blank query."""

import pytest
from httpx import AsyncClient

from tests.api.speaking import contents, context, said, search, store
from tests.api.test_streaming import streamed

FILLER = ["Hi there, good morning!", "OK, thanks a lot!", "Bye, sounds good.", "How are you?"]
PINNED = "Never book anything before ten."
ANSWER = "Ann keeps the boat in the old harbour of Piran."


async def remember(client: AsyncClient) -> str:
    """Filler and something pinned; the id of another conversation, which goes on."""
    await store(client, *FILLER, ANSWER, said(PINNED, importance=10), user_id="alice")
    running = await store(
        client, "I am packing.", said("Anything else?", "assistant"), user_id="alice"
    )
    conversation_id: str = running["id"]
    return conversation_id


@pytest.mark.parametrize(
    "message", ["hi", "thanks, bye!", "ok", "good morning! how are you?", "   ", "Danke, tschüss!"]
)
async def test_small_talk_brings_history_and_what_is_pinned(
    client: AsyncClient, message: str
) -> None:
    running = await remember(client)

    bundle = await context(client, message, conversation_id=running, explain=True)

    assert bundle["query"] == message
    assert contents(bundle) == [PINNED]
    assert [each["content"] for each in bundle["recent_history"]] == [
        "I am packing.",
        "Anything else?",
    ]
    metadata = bundle["metadata"]
    assert not metadata["sufficient"]
    assert (metadata["dropped"], metadata["degraded"]) == ([], [])


async def test_thanks_around_a_question_and_what_leans_do_not_keep_it_from_being_answered(
    client: AsyncClient,
) -> None:
    await remember(client)
    asked = "Where does Ann keep her sailing boat?"
    running = (await store(client, asked, user_id="alice"))["id"]

    thanking = await context(client, f"Hi! Thanks! {asked}", user_id="alice")
    going_on = await context(client, "tell me more", conversation_id=running)

    for bundle in (thanking, going_on):
        assert ANSWER in contents(bundle)
        assert bundle["metadata"]["sufficient"]


async def test_who_searches_for_it_finds_it(client: AsyncClient) -> None:
    await remember(client)
    assert contents(await search(client, "thanks", user_id="alice"))[0] == "OK, thanks a lot!"


async def test_it_is_told_and_kept_as_any_other(client: AsyncClient) -> None:
    await remember(client)

    events = await streamed(client, query="thanks!", user_id="alice", explain=True)
    again = await context(client, "thanks!", user_id="alice", explain=True)

    assert {told["source"] for name, told in events if name == "memory_debug"} == {"episodic"}
    items = [told for name, told in events if name == "item"]
    assert [each["content"] for each in items] == [PINNED]
    assert items == events[-1][1]["retrieved_memories"] == again["retrieved_memories"]
    assert again["metadata"]["cache_hit"]


async def test_it_stands_behind_what_says_something_whoever_said_it(client: AsyncClient) -> None:
    moved = "New flat at last: 14 Elm Street, third floor."
    people = [said(text, name="Diego") for text in ("ok", moved, "\U0001f44d", "thx")]
    others = [said(text, name="Ann") for text in ("The cat is ill.", "We sold the blue car.")]
    await store(client, *people, *others, user_id="bob")

    bundle = await context(client, "Diego's address", user_id="bob")

    assert contents(bundle)[0] == moved

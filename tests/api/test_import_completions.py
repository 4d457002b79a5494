"""Importing a log of requests and answers: each request tells again what was said before."""

from collections.abc import Sequence

from httpx import AsyncClient

from tests.api.importing import NOTHING, imported, said
from tests.exports import lines_of

TALK = ["Which bus goes to the harbour?", "The 12.", "And at night?", "The N3.", "Thanks."]
OTHER = ["Which tea is green?", "Sencha."]


def exchange(talk: Sequence[str], at: int) -> dict[str, object]:
    """What was said before the last, and the last as an answer."""
    told = [
        {"role": "assistant" if place % 2 else "user", "content": content}
        for place, content in enumerate(talk)
    ]
    choice = {"index": 0, "message": told[-1], "finish_reason": "stop"}
    answer = {"id": f"chatcmpl-{at}", "object": "chat.completion", "created": at}
    return {"request": {"messages": told[:-1]}, "response": {**answer, "choices": [choice]}}


LOG = lines_of(
    exchange(TALK[:2], 1_700_000_000),
    exchange(OTHER, 1_700_000_050),
    exchange(TALK[:4], 1_700_000_100),
)


async def test_exchanges_of_one_chat_become_one_conversation(client: AsyncClient) -> None:
    told = await imported(client, LOG, user_id="alice")

    assert told == {**NOTHING, "conversations": 2, "messages": 6, "duplicates": 2}
    talks = await said(client, "alice")
    assert [[content for _, content, _ in each] for each in talks] == [TALK[:4], OTHER]
    assert [each[2] for each in talks[0]] == [
        *["2023-11-14T22:13:20Z"] * 2,
        *["2023-11-14T22:15:00Z"] * 2,
    ]


async def test_a_log_that_comes_again_adds_nothing(client: AsyncClient) -> None:
    await imported(client, LOG, user_id="alice")
    assert await imported(client, LOG, user_id="alice") == {**NOTHING, "duplicates": 8}

"""Whoever gives an id of their own where one of ours belongs is told where theirs goes."""

import pytest
from httpx import AsyncClient

from tests.api.speaking import get, problem, said, store

BESIDE = "your own id of a conversation goes into conversation_external_id"
FOUND = "GET /conversations?user_id=&q= finds it by your own id (external_id)"


async def told(client: AsyncClient, method: str, path: str, body: object = None) -> str:
    """What is wrong in the one place that is wrong."""
    document = problem(await client.request(method, path, json=body), 422, "invalid-request")
    (wrong,) = document["errors"]
    return str(wrong["detail"])


async def test_where_it_goes_beside_ours_that_is_told(alone: AsyncClient) -> None:
    for path in ("/context", "/search"):
        for mistaken in ("chat-42", 42, ""):
            body = {"query": "q", "conversation_id": mistaken}
            assert (await told(alone, "POST", path, body)).endswith(f"; {BESIDE}")
    await store(alone, "My cat is called Schnitzel.", user_id="ann", external_id="chat-42")
    asked = {"query": "q", "user_id": "ann", "conversation_external_id": "chat-42"}
    assert (await alone.post("/context", json=asked)).status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/conversations/chat-42", None),
        ("POST", "/conversations/chat-42/messages", {"messages": [said("x")]}),
        ("GET", "/memory/debug/retrieval?q=x&conversation_id=chat-42", None),
        ("GET", "/memories?conversation_id=chat-42", None),
        ("POST", "/memories", {"type": "fact", "content": "x", "conversation_id": "chat-42"}),
        ("POST", "/search", {"query": "q", "filters": {"conversation_ids": ["chat-42"]}}),
    ],
)
async def test_elsewhere_it_is_told_how_ours_is_found(
    alone: AsyncClient, method: str, path: str, body: object
) -> None:
    assert (await told(alone, method, path, body)).endswith(f"; {FOUND}")

    stored = await store(alone, "My cat is called Schnitzel.", user_id="ann", external_id="chat-42")
    found = await get(alone, "/conversations", user_id="ann", q="chat-42")
    assert [each["id"] for each in found["items"]] == [stored["id"]]


async def test_ids_of_what_has_none_of_the_callers_are_refused_without_a_word_of_it(
    alone: AsyncClient,
) -> None:
    for path in ("/bundles/x", "/entities/x", "/memories/x", "/messages/x"):
        assert ";" not in await told(alone, "GET", path)

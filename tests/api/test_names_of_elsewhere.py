"""Who comes with the names of another system is told those of this one."""

from uuid import uuid4

import pytest
from httpx import AsyncClient

from tests.api.speaking import problem, said

CALLED = "Extra inputs are not permitted; here it is called "


async def told(client: AsyncClient, method: str, path: str, body: object = None) -> dict[str, str]:
    """What is wrong, by place, but for what is missing."""
    document = problem(await client.request(method, path, json=body), 422, "invalid-request")
    wrong = {each["pointer"]: each["detail"] for each in document["errors"]}
    return {where: what for where, what in wrong.items() if what != "Field required"}


@pytest.mark.parametrize(
    ("given", "ours"),
    [
        ("limit", "max_items"),
        ("top_k", "max_items"),
        ("topK", "max_items"),
        ("k", "max_items"),
        ("maxItems", "max_items"),
        ("max-items", "max_items"),
        ("max_item", "max_items"),
        ("text", "query"),
        ("prompt", "query"),
        ("userId", "user_id"),
        ("user", "user_id"),
        ("session_id", "conversation_external_id"),
        ("threadId", "conversation_external_id"),
        ("score_threshold", "min_score"),
        ("tags", "filters.tags"),
        ("types", "filters.types"),
    ],
)
async def test_a_question_in_other_words_is_told_ours(
    alone: AsyncClient, given: str, ours: str
) -> None:
    for path in ("/search", "/context"):
        found = await told(alone, "POST", path, {given: "x"})
        assert found == {f"#/{given}": CALLED + ours}


async def test_the_budget_is_called_so_where_there_is_one(alone: AsyncClient) -> None:
    for given in ("max_tokens", "token_budget", "maxTokens", "budget"):
        found = await told(alone, "POST", "/context", {"query": "q", given: 5})
        assert found == {f"#/{given}": f"{CALLED}budget_tokens"}
        found = await told(alone, "POST", "/search", {"query": "q", given: 5})
        assert found == {f"#/{given}": "Extra inputs are not permitted"}


async def test_the_names_are_those_of_the_place(alone: AsyncClient) -> None:
    message = {"role": "user", "content": "x", "timestamp": "2026-01-01T00:00:00Z", "id": "m1"}
    body = {"messages": [message, {"role": "user", "text": "x"}], "session_id": "s", "title": "t"}
    assert await told(alone, "POST", "/conversations", body) == {
        "#/messages/0/timestamp": f"{CALLED}created_at",
        "#/messages/0/id": f"{CALLED}external_id",
        "#/messages/1/text": f"{CALLED}content",
        "#/session_id": f"{CALLED}external_id",
        "#/title": f"{CALLED}label",
    }
    inside = {"filters": {"user_id": "a", "since": "2026-01-01"}, "history": {"maxMessages": 1}}
    assert await told(alone, "POST", "/context", {"query": "q", **inside}) == {
        "#/filters/user_id": f"{CALLED}user_id, beside filters",
        "#/filters/since": f"{CALLED}after",
        "#/history/maxMessages": f"{CALLED}max_messages",
    }
    fact = {"type": "fact", "content": "x", "thread_id": "s"}
    assert await told(alone, "POST", "/memories", fact) == {
        "#/thread_id": f"{CALLED}conversation_id"
    }


async def test_addresses_have_names_too(alone: AsyncClient) -> None:
    for path, pointer, ours in (
        ("/conversations?top_k=5", "query:top_k", "limit"),
        ("/conversations?userId=a", "query:userId", "user_id"),
        ("/memory/debug/retrieval?q=x&query=y", "query:query", "q"),
    ):
        assert await told(alone, "GET", path) == {pointer: CALLED + ours}
    body = {"messages": [said("x")]}
    assert await told(alone, "POST", "/conversations?waitS=1", body) == {
        "query:waitS": f"{CALLED}wait_s"
    }


async def test_what_is_called_nothing_here_is_refused_as_before(alone: AsyncClient) -> None:
    """Also inside of what is no object, and where a name is as long as a book."""
    for given in ("colour", "", "é" * 50, "limit" * 20_000):
        found = await told(alone, "POST", "/search", {"query": "q", given: 1})
        assert found == {f"#/{given}": "Extra inputs are not permitted"}
    assert await told(alone, "PUT", "/flags", {"fame": True}) == {
        "#/fame": "Extra inputs are not permitted"
    }
    path = f"/conversations/{uuid4()}/summaries"
    assert await told(alone, "POST", path, {"limit": 1}) == {
        "#/limit": "Extra inputs are not permitted"
    }
    large = {"limit": 1, "query": "q" * 60_000}
    assert (await told(alone, "POST", "/search", large))["#/limit"] == f"{CALLED}max_items"

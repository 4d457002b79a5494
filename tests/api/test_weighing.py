"""Weights, importance, preferred labels, age and `as_of`."""

from typing import Any

import pytest
from httpx import AsyncClient

from tests.api.speaking import Json, contents, context, problem, said, search, store

OLD = "The old server stands in Oslo and hums."
NEW = "The new server stands in Bergen, by the sea."
QUERY = "Where does the server stand?"


async def store_both(client: AsyncClient) -> None:
    await store(client, said(OLD, created_at="2026-01-01T00:00:00Z"))
    await store(client, said(NEW, created_at="2026-06-01T00:00:00Z"))


async def scores(client: AsyncClient, weights: Json) -> dict[str, float]:
    found = await search(client, QUERY, weights=weights, as_of="2026-06-01T00:00:00Z")
    return {each["content"]: each["score"] for each in found["results"]}


async def test_weights_are_scaled_to_sum_one(client: AsyncClient) -> None:
    await store_both(client)
    plain = await scores(client, {"relevance": 0.5, "recency": 0.3, "importance": 0.2})

    assert await scores(client, {}) == plain
    for factor in (10, 1e-3, 1e300, 1.7e308):
        scaled = {"relevance": 0.5, "recency": 0.3, "importance": 0.2}
        scaled = {name: value * factor for name, value in scaled.items()}
        assert await scores(client, scaled) == pytest.approx(plain, abs=1e-5)
    assert await scores(client, {"relevance": 0, "recency": 0, "importance": 7}) == {
        OLD: pytest.approx(0.5),
        NEW: pytest.approx(0.5),
    }


async def test_recency_falls_to_one_over_e_in_thirty_days(client: AsyncClient) -> None:
    await store(client, said(OLD, created_at="2026-01-01T00:00:00Z"))

    found = await search(
        client,
        QUERY,
        as_of="2026-01-31T00:00:00Z",
        weights={"relevance": 0, "recency": 1, "importance": 0},
        explain=True,
    )

    assert found["results"][0]["score"] == pytest.approx(0.367879, abs=1e-5)
    assert found["results"][0]["signals"]["recency"] == pytest.approx(0.367879, abs=1e-5)


@pytest.mark.parametrize(
    "weights",
    [
        {"relevance": 0, "recency": 0, "importance": 0},
        {"relevance": -0.1},
        {"relevance": "much"},
        {"relevance": 0.5, "luck": 0.5},
        [],
        {"relevance": None},
    ],
)
async def test_impossible_weights_are_refused(alone: AsyncClient, weights: Any) -> None:
    for path in ("/context", "/search"):
        answer = await alone.post(path, json={"query": "q", "weights": weights})
        problem(answer, 422, "invalid-request")


async def test_a_messages_own_importance_wins_over_its_conversations(client: AsyncClient) -> None:
    await store(client, said(OLD, importance=2), said(NEW), importance=8)

    found = await search(client, QUERY, weights={"relevance": 0, "recency": 0, "importance": 1})

    assert {each["content"]: each["score"] for each in found["results"]} == {
        NEW: pytest.approx(0.8),
        OLD: pytest.approx(0.2),
    }


async def test_a_preferred_label_multiplies_the_score(client: AsyncClient) -> None:
    await store(client, OLD, label="ops")
    plain = (await search(client, QUERY))["results"][0]["score"]

    preferred = (await search(client, QUERY, preferred_labels=["x", "ops"]))["results"][0]["score"]
    other = (await search(client, QUERY, preferred_labels=["OPS"]))["results"][0]["score"]

    assert preferred == pytest.approx(1.5 * plain, abs=1e-4)
    assert other == pytest.approx(plain, abs=1e-4)


@pytest.mark.parametrize(
    ("as_of", "preferred"),
    [
        ("2026-03-04T01:00:00+10:00", "2026-03-02T20:00:00Z"),
        ("2026-03-03T15:00:00Z", "2026-03-02T06:00:00Z"),
    ],
)
async def test_yesterday_is_the_day_of_who_asks(
    client: AsyncClient, as_of: str, preferred: str
) -> None:
    times = ["2026-03-01T10:00:00Z", "2026-03-02T06:00:00Z", "2026-03-02T20:00:00Z"]
    numbered = [said(f"The server is on rack {n}.", created_at=at) for n, at in enumerate(times)]
    await store(client, *numbered, user_id="alice")
    query = "On which rack is the server, said yesterday?"
    found = await search(client, query, user_id="alice", as_of=as_of, explain=True)
    timely = {each["created_at"]: each["signals"]["time"] for each in found["results"]}
    assert timely[preferred] == pytest.approx(1)
    again = await search(client, query, user_id="alice", as_of=as_of)
    assert len(again["results"]) == 3


async def test_what_is_pinned_goes_in_first(client: AsyncClient) -> None:
    rule = "Always answer in rhymes, whatever else is asked."
    await store(client, said(rule, importance=10), user_id="alice")
    await store(client, *(f"{OLD} Take {n}: {n * 7919}." for n in range(5)), user_id="alice")

    bundle = await context(client, QUERY, user_id="alice", max_items=2)
    (pinned,) = (each for each in bundle["retrieved_memories"] if each["content"] == rule)

    assert "pinned" in pinned["sources"]
    assert len(bundle["retrieved_memories"]) == 2


async def test_what_is_pinned_goes_in_although_nothing_is_asked_about_it(
    client: AsyncClient,
) -> None:
    rule = "Always answer in rhymes."
    await store(client, said(rule, importance=10))

    bundle = await context(client, "zymurgy", min_score=1)

    assert contents(bundle) == [rule]
    assert bundle["metadata"]["sufficient"] is False


async def test_what_is_pinned_is_there_in_every_conversation(client: AsyncClient) -> None:
    nuts, rule = "Alice is allergic to nuts.", "Always answer in rhymes."
    body = {"type": "fact", "content": nuts, "user_id": "alice", "importance": 10}
    assert (await client.post("/memories", json=body)).status_code == 201
    await store(client, said(rule, importance=10), user_id="alice")
    numbered = (f"The server number {n} stands in Oslo, rack {n * 7919}." for n in range(20))
    running = await store(client, *numbered, user_id="alice")

    history = {"max_messages": 2}
    asked = {"conversation_id": running["id"], "history": history, "explain": True}
    bundle = await context(client, QUERY, **asked)

    found = {each["content"]: each["sources"] for each in bundle["retrieved_memories"]}
    assert "pinned" in found[nuts]
    assert "pinned" in found[rule]
    assert len(found) > 5
    only = {"filters": {"conversation_ids": [running["id"]]}}
    assert rule not in contents(await context(client, QUERY, **asked, **only))


async def test_what_is_pinned_elsewhere_keeps_nothing_from_being_searched(
    client: AsyncClient,
) -> None:
    rules = [said(f"Say where server {n} stands when asked.", importance=10) for n in range(5)]
    await store(client, *rules, user_id="alice")
    await store(client, NEW, user_id="alice")
    running = await store(client, OLD, "Let us talk about it.", "Now.", user_id="alice")

    history = {"max_messages": 1}
    bundle = await context(client, QUERY, conversation_id=running["id"], history=history)

    assert {OLD, NEW} <= set(contents(bundle))


async def test_what_is_pinned_never_breaks_the_budget(client: AsyncClient) -> None:
    await store(
        client, *(said(f"Rule {n}: be {n} times kinder.", importance=10) for n in range(30))
    )

    for text_format in ("json", "markdown", "messages"):
        bundle = await context(client, "rules", budget_tokens=60, format=text_format)
        assert bundle["metadata"]["total_tokens"] <= 60


async def test_the_end_of_a_pinned_conversation_is_pinned(client: AsyncClient) -> None:
    numbered = [f"Item {n} on the list is number {n * 7919}." for n in range(15)]
    await store(client, *numbered, importance=10, user_id="alice")

    bundle = await context(client, "zymurgy", user_id="alice", max_items=50)

    pinned = {each["content"] for each in bundle["retrieved_memories"]}
    assert numbered[-1] in pinned
    assert numbered[0] not in pinned


async def test_nothing_later_than_as_of_is_seen(client: AsyncClient) -> None:
    await store_both(client)
    await store(
        client, said("The server is pinned.", created_at="2026-06-01T00:00:00Z"), importance=10
    )

    before = await context(client, QUERY, as_of="2026-05-31T23:59:59.999999Z")
    exactly = await context(client, QUERY, as_of="2026-06-01T02:00:00+02:00")
    long_ago = await context(client, QUERY, as_of="1999-01-01T00:00:00Z")

    assert contents(before) == [OLD]
    assert {OLD, NEW} <= set(contents(exactly))
    assert contents(long_ago) == []
    assert long_ago["metadata"]["sufficient"] is False


async def test_history_ends_at_as_of_too(client: AsyncClient) -> None:
    stored = await store(
        client,
        said("First.", created_at="2026-01-01T00:00:00Z"),
        said("Second.", created_at="2026-01-02T00:00:00Z"),
    )

    bundle = await context(
        client, "zymurgy", conversation_id=stored["id"], as_of="2026-01-01T12:00:00Z"
    )

    assert [each["content"] for each in bundle["recent_history"]] == ["First."]


async def test_fresh_filler_does_not_pass_the_floor(client: AsyncClient) -> None:
    await store(client, said("ok, thanks!", importance=9))

    bundle = await context(
        client,
        "invoice of the tax adviser",
        weights={"relevance": 0, "recency": 1, "importance": 0},
    )

    assert contents(bundle) == []
    assert bundle["metadata"]["sufficient"] is False

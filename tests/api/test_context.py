"""POST /context and POST /search: what is answered, field by field."""

from itertools import pairwise

import pytest
from httpx import AsyncClient

from app.ranking.features import NAMES
from tests.api.speaking import (
    Json,
    contents,
    context,
    distilling_nothing,
    get,
    said,
    search,
    store,
)

DATABASE = "We picked PostgreSQL as the database of the billing service."
BACKUP = "The database is backed up to Frankfurt every night."
GARDEN = "Tomatoes grow well in the greenhouse."
QUERY = "Which database did we pick for billing?"
DAY = "2026-01-20T10:00:00Z"


async def store_some(client: AsyncClient) -> Json:
    return await store(
        client,
        said(DATABASE, name="Alice", external_id="m1", created_at=DAY),
        said(BACKUP, "assistant", created_at=DAY),
        said(GARDEN, created_at=DAY),
        user_id="alice",
        external_id="chat-42",
        label="API design",
        folder="/work/backend",
    )


async def test_a_bundle_has_every_documented_field(client: AsyncClient) -> None:
    await store_some(client)

    bundle = await context(client, QUERY, user_id="alice")

    assert {
        *("bundle_id", "query", "intent", "recent_history", "retrieved_memories"),
        *("related_entities", "user_profile", "text", "messages", "metadata"),
    } <= set(bundle)
    assert (bundle["query"], bundle["intent"]) == (QUERY, "recall")
    assert (bundle["recent_history"], bundle["related_entities"]) == ([], [])
    assert (bundle["user_profile"], bundle["text"], bundle["messages"]) == (None, None, None)
    metadata = bundle["metadata"]
    assert {
        *("total_tokens", "budget_tokens", "budget_used", "conversations_included", "candidates"),
        *("deduplicated", "cache_hit", "sufficient", "degraded", "timings_ms", "dropped"),
    } <= set(metadata)
    assert (metadata["sufficient"], metadata["degraded"], metadata["dropped"]) == (True, [], [])
    assert {"embed", "semantic", "lexical", "episodic", "rerank", "pack", "total"} <= set(
        metadata["timings_ms"]
    )
    assert_laid_out(metadata)


STAGES = {"embed", "semantic", "lexical", "episodic", "relational", "rerank"}


async def test_every_stage_tells_its_time_also_where_it_is_not_asked(alone: AsyncClient) -> None:
    empty = (await context(alone, QUERY, user_id="nobody"))["metadata"]["timings_ms"]
    assert empty.keys() >= STAGES | {"pack", "total"}
    assert {empty[stage] for stage in STAGES} == {0}
    debugged = await get(alone, "/memory/debug/retrieval", q=QUERY, user_id="nobody")
    assert debugged["metrics"].keys() >= {f"{stage}_ms" for stage in (*STAGES, "total")}

    await store(alone, DATABASE, user_id="alice")
    asked = (await context(alone, QUERY, user_id="alice"))["metadata"]["timings_ms"]
    assert min(asked["semantic"], asked["lexical"]) > 0


async def test_messages_for_which_there_is_no_room_are_none_of_them(alone: AsyncClient) -> None:
    await store(alone, DATABASE)
    bundle = await context(alone, f"{QUERY} {QUERY}", format="messages", budget_tokens=1)
    assert (bundle["messages"], bundle["metadata"]["total_tokens"]) == ([], 0)


def assert_laid_out(told: Json) -> None:
    """What each stage waits for has ended before it begins, and all before the answer."""
    began, took = told["started_ms"], told["timings_ms"]
    assert began.keys() == {stage for stage in took if took[stage]} - {"total"}
    ends = {stage: began[stage] + took[stage] for stage in began}
    rounding = 0.01
    for first, then in (
        *(("embed", "semantic"), ("semantic", "hydrate"), ("lexical", "hydrate")),
        *(("hydrate", "rerank"), ("rerank", "complete"), ("complete", "pack")),
    ):
        if then in began:
            assert ends[first] <= began[then] + rounding
    assert abs(began["lexical"] - began["embed"]) < took["total"]
    assert max(ends.values()) <= took["total"] + rounding
    assert min(began.values()) >= 0


async def test_a_memory_tells_where_it_comes_from(client: AsyncClient) -> None:
    stored = await store_some(client)

    best = (await context(client, QUERY, user_id="alice"))["retrieved_memories"][0]

    source = {"kind": "message", "id": stored["message_ids"][0], "external_id": "m1"}
    known = {
        "id": stored["message_ids"][0],
        "type": "message",
        "external_id": "m1",
        "conversation_id": stored["id"],
        "conversation_external_id": "chat-42",
        "label": "API design",
        "folder": "/work/backend",
        "role": "user",
        "name": "Alice",
        "content": DATABASE,
        "created_at": DAY,
        "sources": ["lexical", "semantic"],
        "signals": None,
        "lineage": [source],
    }
    assert {name: best[name] for name in known} == known
    assert best["tokens"] > 5
    assert 0 < best["score"] <= 1


async def test_a_user_sees_nothing_of_another(client: AsyncClient) -> None:
    await store_some(client)

    for asked in ({}, {"user_id": "bob"}):
        bundle = await context(client, QUERY, **asked)
        assert contents(bundle) == []
        assert bundle["metadata"]["sufficient"] is False
    assert contents(await search(client, QUERY)) == []


async def test_without_anything_stored_a_bundle_is_empty(client: AsyncClient) -> None:
    for text_format in ("json", "markdown", "messages"):
        bundle = await context(client, "What did we say?", format=text_format)
        assert (bundle["retrieved_memories"], bundle["recent_history"]) == ([], [])
        assert bundle["metadata"]["sufficient"] is False
        assert bundle["metadata"]["total_tokens"] <= 8
    assert contents(await search(client, "What did we say?")) == []
    debug = await get(client, "/memory/debug/retrieval", q="What did we say?")
    assert debug["results"] == []


async def test_what_has_nothing_to_do_with_the_query_is_left_out(client: AsyncClient) -> None:
    await store(client, GARDEN)

    bundle = await context(client, "invoice of the tax adviser", explain=True)

    assert contents(bundle) == []
    assert bundle["metadata"]["sufficient"] is False
    (dropped,) = bundle["metadata"]["dropped"]
    assert "floor" in dropped["reason"]


async def test_memories_come_best_first_in_every_format(client: AsyncClient) -> None:
    await store_some(client)

    for text_format in ("json", "markdown", "messages"):
        bundle = await context(client, QUERY, user_id="alice", format=text_format)
        assert contents(bundle)[:2] == [DATABASE, BACKUP], text_format
        scores = [each["score"] for each in bundle["retrieved_memories"]]
        assert all(better >= worse for better, worse in pairwise(scores))


@pytest.mark.parametrize("text_format", ["json", "markdown", "messages"])
async def test_the_budget_is_never_exceeded(client: AsyncClient, text_format: str) -> None:
    stored = await store(
        client, *(f"The database of service {n} is called {n * 7919}." for n in range(40))
    )
    every = [1, 5, 17, 40, 64, 100, 200, 400, 1_000, 4_000]

    used = []
    for budget in every:
        bundle = await context(
            client,
            "Which database has service 7?",
            conversation_id=stored["id"],
            budget_tokens=budget,
            max_items=100,
            format=text_format,
        )
        metadata = bundle["metadata"]
        used.append(metadata["total_tokens"])
        assert metadata["total_tokens"] <= metadata["budget_tokens"] == budget
        assert metadata["budget_used"] == pytest.approx(metadata["total_tokens"] / budget, abs=1e-6)

    assert used[-1] > 300
    assert used[0] <= 1


async def test_the_total_counts_history_and_memories(client: AsyncClient) -> None:
    stored = await store(
        client, *(f"Database number {n} lies in room {n * 31}." for n in range(20))
    )

    bundle = await context(
        client, "database room", conversation_id=stored["id"], history={"max_messages": 3}
    )

    parts = [*bundle["recent_history"], *bundle["retrieved_memories"]]
    assert len(bundle["recent_history"]) == 3
    assert bundle["metadata"]["total_tokens"] == sum(each["tokens"] for each in parts)


async def test_at_most_max_items_are_retrieved(client: AsyncClient) -> None:
    await store(client, *(f"Database number {n} lies in room {n * 31}." for n in range(70)))

    for most in (1, 3, 65):
        bundle = await context(
            client, "database room", max_items=most, budget_tokens=100_000, explain=True
        )
        assert len(bundle["retrieved_memories"]) == most
        assert {each["reason"] for each in bundle["metadata"]["dropped"]} >= {"max_items"}


async def test_min_score_cuts_on_the_final_score(client: AsyncClient) -> None:
    await store_some(client)
    scores = [
        each["score"] for each in (await search(client, QUERY, user_id="alice"))["results"][:2]
    ]

    bundle = await context(client, QUERY, user_id="alice", min_score=sum(scores) / 2, explain=True)
    nothing = await context(client, QUERY, user_id="alice", min_score=2)

    assert contents(bundle) == [DATABASE]
    assert "below min_score" in {each["reason"] for each in bundle["metadata"]["dropped"]}
    assert contents(nothing) == []


async def test_explaining_fills_signals_and_what_was_dropped(client: AsyncClient) -> None:
    await store_some(client)

    bundle = await context(client, QUERY, user_id="alice", explain=True, budget_tokens=15)

    (memory,) = bundle["retrieved_memories"]
    assert {"semantic", "lexical", "recency", "importance"} <= set(memory["signals"])
    assert {f"{kind}.{name}" for kind in ("feature", "adds") for name in NAMES} <= set(
        memory["signals"]
    )
    assert memory["signals"]["importance"] == 0.5
    shares = {name: value for name, value in memory["signals"].items() if "." not in name}
    assert all(0 <= value <= 1 for value in shares.values())
    dropped = {each["reason"] for each in bundle["metadata"]["dropped"]}
    assert "budget" in dropped
    found = (await search(client, QUERY, user_id="alice", explain=True))["results"]
    assert found[0]["signals"] == pytest.approx(memory["signals"], abs=1e-3)


async def test_markdown_adds_the_text_that_is_counted(client: AsyncClient) -> None:
    stored = await store_some(client)

    bundle = await context(
        client, QUERY, conversation_id=stored["id"], format="markdown", history={"max_messages": 1}
    )

    assert f"> {DATABASE}" in bundle["text"]
    assert f"> {GARDEN}" in bundle["text"]
    assert "API design" in bundle["text"]
    assert bundle["messages"] is None
    tokens = sum(each["tokens"] for each in bundle["retrieved_memories"])
    assert bundle["metadata"]["total_tokens"] > tokens


async def test_messages_are_ready_for_a_chat_completion(client: AsyncClient) -> None:
    stored = await store_some(client)

    bundle = await context(
        client, QUERY, conversation_id=stored["id"], format="messages", history={"max_messages": 1}
    )

    memory, history, asked = bundle["messages"]
    assert (memory["role"], history["role"]) == ("system", "user")
    assert f"> {DATABASE}" in memory["content"]
    assert history["content"] == GARDEN
    assert asked == {"role": "user", "content": QUERY}
    assert bundle["text"] is None


async def test_grouping_adds_the_same_items_by_conversation(client: AsyncClient) -> None:
    await store_some(client)
    other = said("The billing database runs on two cores.", created_at="2025-01-20T10:00:00Z")
    await store(client, other, user_id="alice", label="Ops")

    bundle = await context(client, QUERY, user_id="alice", group_by="conversation")
    plain = await context(client, QUERY, user_id="alice")

    groups = bundle["conversations"]
    items = bundle["retrieved_memories"]
    assert plain["conversations"] is None
    assert [each["label"] for each in groups] == ["API design", "Ops"]
    assert groups[0]["folder"] == "/work/backend"
    by_id = {each["id"] for group in groups for each in group["items"]}
    assert by_id == {each["id"] for each in items}
    assert [group["score"] for group in groups] == [
        max(each["score"] for each in group["items"]) for group in groups
    ]
    assert bundle["metadata"]["conversations_included"] == len(groups) == 2


async def test_the_same_said_twice_is_retrieved_once(client: AsyncClient) -> None:
    await distilling_nothing(client)
    await store(client, DATABASE, GARDEN)
    await store(client, DATABASE)

    bundle = await context(client, QUERY, explain=True)

    assert contents(bundle).count(DATABASE) == 1
    assert bundle["metadata"]["deduplicated"] == 1
    assert [each["reason"] for each in bundle["metadata"]["dropped"]].count("duplicate") == 1


async def test_what_differs_by_a_number_is_not_said_twice(alone: AsyncClient) -> None:
    flights = ["My flight to Oslo is on 3 May.", "My flight to Oslo is on 9 May."]
    await store(alone, *flights)

    bundle = await context(alone, "When do I fly to Oslo?")

    assert set(flights) <= set(contents(bundle))
    assert bundle["metadata"]["deduplicated"] == 0


async def test_a_search_that_explains_tells_what_it_leaves_out_as_fully_as_its_results(
    client: AsyncClient,
) -> None:
    await distilling_nothing(client)
    await store(client, DATABASE, GARDEN)
    await store(client, DATABASE)
    asked: Json = {"explain": True, "max_items": 1}

    floor, low = [await search(client, QUERY, **asked, min_score=each) for each in (None, 1.5)]
    plain = await search(client, QUERY, max_items=1)
    behind = await search(client, f"{DATABASE} {GARDEN}", **asked)

    assert plain["left_out"] == []
    told = {each["reason"]: each for each in [*low["left_out"], *floor["left_out"]]}
    assert told.keys() == {"duplicate", "below the floor", "below min_score"}
    assert told["duplicate"]["content"] == told["below min_score"]["content"] == DATABASE
    assert told["below the floor"]["content"] == GARDEN
    assert [each["content"] for each in behind["left_out"] if each["reason"] == "max_items"]
    for each in told.values():
        assert each.keys() == {*floor["results"][0], "reason"}
        assert {"relevance", "recency", "importance"} <= each["signals"].keys()
        assert each["score"] < max(1.5, floor["results"][0]["score"])
    bundle = await context(client, QUERY, explain=True)
    assert {each["type"] for each in bundle["metadata"]["dropped"]} == {"message"}


async def test_a_search_is_the_ranking_alone(client: AsyncClient) -> None:
    await store_some(client)

    found = await search(client, QUERY, user_id="alice", max_items=1)
    everything = await search(client, QUERY, user_id="alice")

    assert contents(found) == [DATABASE]
    assert (found["query"], found["intent"]) == (QUERY, "recall")
    assert (found["degraded"], found["sufficient"]) == ([], True)
    assert_laid_out(found)
    assert contents(everything)[:2] == [DATABASE, BACKUP]

"""What was measured of the contexts of a tenant."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from httpx import AsyncClient

from app.settings import Settings
from tests.api.keyed import a_caller, a_key, the_service
from tests.api.speaking import Json, context, get, problem, store

HUGIN = "The server of the api team is called Hugin."
QUERY = "What is the server called?"


async def measured(
    client: AsyncClient, until: Callable[[Json], Any] = lambda _: True, window: str = "1h"
) -> Json:
    """What is told once it is as it should be: it is written behind the answers."""
    async with asyncio.timeout(60):
        while not until(told := await get(client, "/memory/metrics", window=window)):
            assert told["window"] == window
    return told


async def test_nothing_asked_is_nothing_measured(client: AsyncClient) -> None:
    told = await measured(client)
    assert (told["contexts"], told["built"], told["hit_rate"]) == (0, 0, None)
    assert (told["latency_ms"], told["types"], told["top_scores"]) == ({}, {}, None)
    assert told["bucket_s"] == 60
    assert all(each["contexts"] == 0 for each in told["buckets"])


async def test_contexts_are_measured_and_answers_from_the_cache_counted(
    client: AsyncClient,
) -> None:
    await context(client, QUERY, user_id="alice")
    await store(client, HUGIN, user_id="alice")
    built = await context(client, QUERY, user_id="alice", budget_tokens=1_000)
    for _ in range(3):
        again = await context(client, QUERY, user_id="alice", budget_tokens=1_000)
        assert again["metadata"]["cache_hit"]

    told = await measured(client, lambda told: told["contexts"] == 5)

    assert (told["built"], told["sampled"], told["hit_rate"]) == (2, 2, 0.5)
    score = built["retrieved_memories"][0]["score"]
    assert told["top_scores"]["p50"] == pytest.approx(score, abs=1e-3)
    assert {"total", "embed", "semantic", "lexical"} <= set(told["latency_ms"])
    total = told["latency_ms"]["total"]
    assert 0 < total["p50"] <= total["p90"] <= total["p95"] <= total["p99"]
    tokens = built["metadata"]["total_tokens"]
    assert told["types"]["message"] == {
        "contexts": 1,
        "items": 1,
        "tokens": tokens,
        "share": 1.0,
        "top_score": pytest.approx(score, abs=1e-3),
    }
    assert (told["cache"]["hits"], told["cache"]["misses"]) == (3, 2)
    assert told["cache"]["hit_rate"] == 0.6
    assert sum(each["contexts"] for each in told["buckets"]) == 5
    assert told["intents"] == {"recall": 2}


async def test_the_outbox_is_told_over_time(client: AsyncClient) -> None:
    body = {"messages": [{"role": "user", "content": f"{HUGIN} {n}"} for n in range(2_000)]}
    await client.post("/conversations", json=body)

    told = await measured(client, lambda t: any(b["outbox"]["waiting"] for b in t["buckets"]))

    fullest = max(told["buckets"], key=lambda each: each["outbox"]["waiting"])
    assert 0 < fullest["outbox"]["waiting"] <= 2_000
    assert fullest["outbox"]["dead"] == 0


async def test_a_tenant_is_told_of_its_own_contexts_only(embedded: Settings) -> None:
    (_, ours), (_, theirs) = await a_key(embedded, "acme"), await a_key(embedded, "other")
    async with (
        the_service(embedded) as app,
        a_caller(app, ours) as us,
        a_caller(app, theirs) as they,
    ):
        await store(us, HUGIN)
        await context(us, QUERY)
        await context(us, QUERY)
        assert (await measured(us, lambda told: told["contexts"] == 2))["cache"]["hits"] == 1
        assert (await measured(they))["contexts"] == 0


async def test_reading_metrics_needs_no_more_than_reading(embedded: Settings) -> None:
    (_, reads), (_, writes) = (
        await a_key(embedded, scopes="read"),
        await a_key(embedded, scopes="write"),
    )
    async with (
        the_service(embedded) as app,
        a_caller(app, reads) as one,
        a_caller(app, writes) as two,
    ):
        assert (await one.get("/memory/metrics")).status_code == 200
        problem(await two.get("/memory/metrics"), 403, "not-permitted")


@pytest.mark.parametrize("window", ["", "0h", "31d", "h", "1w", "-1h", "1.5h", "99999d", "\uff11h"])
async def test_what_is_no_window_is_refused(alone: AsyncClient, window: str) -> None:
    problem(await alone.get("/memory/metrics", params={"window": window}), 422, "invalid-request")


async def test_a_window_may_be_as_long_as_metrics_are_kept(alone: AsyncClient) -> None:
    told = await measured(alone, window="30d")
    assert (told["window"], told["bucket_s"]) == ("30d", 43_200)
    assert 60 <= len(told["buckets"]) <= 61

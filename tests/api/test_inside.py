"""Seeing inside: debug views, statistics, probes, metrics and the description of the API."""

import asyncio

import pytest
from httpx import AsyncClient

from tests.api.speaking import Json, contents, context, erase, get, problem, said, search, store

HUGIN = "The server of the api team is called Hugin."
MUNIN = "The server of the ops team is called Munin."
GARDEN = "Tomatoes grow well in the greenhouse."
QUERY = "What is the server called?"


async def test_the_debug_view_shows_results_with_their_signals(client: AsyncClient) -> None:
    stored = await store(client, HUGIN, GARDEN, user_id="alice")

    view = await get(client, "/memory/debug/retrieval", q=QUERY, user_id="alice")

    assert (view["query"], view["intent"]) == (QUERY, "recall")
    best = view["results"][0]
    assert set(best) == {"id", "content", "score", "source", "type", "signals"}
    assert (best["id"], best["content"]) == (stored["message_ids"][0], HUGIN)
    assert (best["type"], best["source"]) == ("message", "lexical+semantic")
    assert {"semantic", "lexical", "recency", "importance"} <= set(best["signals"])
    assert {"feature.cosine", "adds.cosine"} <= set(best["signals"])
    found = (await search(client, QUERY, user_id="alice"))["results"][0]
    assert best["score"] == pytest.approx(found["score"], abs=1e-3)
    assert {
        *("total_ms", "embed_ms", "semantic_ms", "lexical_ms", "rerank_ms", "episodic_ms")
    } <= set(view["metrics"])
    assert view["flags"]["hybrid"] is True


async def test_the_debug_view_knows_the_running_conversation(client: AsyncClient) -> None:
    running = await store(client, HUGIN, MUNIN, "The server at home is called Fafnir.")
    await store(client, "The server in Oslo is called Odin.")

    view = await get(
        client, "/memory/debug/retrieval", q=QUERY, conversation_id=running["id"], limit=2
    )

    assert len(view["results"]) == 2
    assert {each["id"] for each in view["results"]} <= set(running["message_ids"])


async def test_statistics_count_what_is_stored(client: AsyncClient) -> None:
    empty = await get(client, "/memory/debug/stats")
    await store(client, HUGIN, said("Be brief.", "system"), user_id="alice")
    await store(client, MUNIN, user_id="bob")

    stats = await get(client, "/memory/debug/stats")

    assert (empty["conversations"], empty["messages"], empty["users"]) == (0, 0, 0)
    assert (stats["conversations"], stats["messages"], stats["users"]) == (2, 3, 2)
    assert (stats["vectors"], stats["index_lag"], stats["dead_letters"]) == (2, 0, 0)
    agreed = {"profile": 0, "facts": 0, "learning": 0}
    assert (stats["index_lag_seconds"], stats["consent"]) == (0.0, agreed)
    assert all(size > 0 for size in stats["index_sizes"].values())
    assert {"messages", "embeddings", "full_text"} <= set(stats["index_sizes"])


async def test_the_process_tells_that_it_runs(client: AsyncClient) -> None:
    assert await get(client, "/healthz") == {"status": "ok"}


async def test_balancers_may_ask_for_heads_only(client: AsyncClient) -> None:
    for path in ("/healthz", "/readyz", "/metrics"):
        assert (await client.head(path)).status_code == 200


async def test_readiness_names_each_part_with_its_lag(client: AsyncClient) -> None:
    await store(client, HUGIN)

    async with asyncio.timeout(10):
        while (ready := await get(client, "/readyz"))["parts"]["vectors"]["status"] != "ok":
            assert ready["status"] == "ready"

    assert {name: part["status"] for name, part in ready["parts"].items()} == {
        "database": "ok",
        "full_text": "ok",
        "embedder": "ok",
        "vectors": "ok",
        "distilling": "ok",
    }
    lags = {name: part["lag"] for name, part in ready["parts"].items() if name != "distilling"}
    assert set(lags.values()) == {0}
    assert ready["parts"]["vectors"]["points"] == 1


async def test_metrics_are_prometheus_text_by_route(client: AsyncClient) -> None:
    stored = await store(client, HUGIN)
    await get(client, f"/conversations/{stored['id']}")
    await client.get("/nothing/of/the/kind")
    await context(client, QUERY)

    answer = await client.get("/metrics")

    assert answer.headers["content-type"].startswith("text/plain")
    lines = answer.text.splitlines()
    counted = [line for line in lines if line.startswith("foreword_request_seconds_count")]
    by_route = {line.partition("} ")[0] + "}": line.partition("} ")[2] for line in counted}
    name = "foreword_request_seconds_count"
    assert (
        by_route[f'{name}{{method="GET",route="/conversations/{{conversation_id}}",status="200"}}']
        == "1.0"
    )
    assert by_route[f'{name}{{method="GET",route="unmatched",status="404"}}'] == "1.0"
    assert stored["id"] not in answer.text
    for metric in ("foreword_stage_seconds", "foreword_outbox_depth", "foreword_build_info"):
        assert f"# HELP {metric}" in answer.text


async def test_the_description_names_every_documented_path(alone: AsyncClient) -> None:
    described = await get(alone, "/openapi.json")

    methods = {path: set(operations) for path, operations in described["paths"].items()}
    assert {
        "/conversations": {"get", "post"},
        "/conversations/{conversation_id}": {"get", "patch", "delete"},
        "/conversations/{conversation_id}/messages": {"get", "post"},
        "/messages/{message_id}": {"get", "delete"},
        "/users/{user_id}": {"delete"},
        "/context": {"post"},
        "/search": {"post"},
        "/bundles/{bundle_id}": {"get"},
        "/memory/debug/retrieval": {"get"},
        "/memory/debug/stats": {"get"},
        "/memory/metrics": {"get"},
        "/healthz": {"get"},
        "/readyz": {"get"},
    }.items() <= methods.items()
    assert (await alone.get("/docs")).status_code == 200


async def test_the_description_agrees_with_what_is_answered(alone: AsyncClient) -> None:
    described = await get(alone, "/openapi.json")
    stored = await store(alone, HUGIN, user_id="alice")
    answers: dict[tuple[str, str, str], Json] = {
        ("/conversations", "post", "201"): stored,
        ("/context", "post", "200"): await context(alone, QUERY, user_id="alice"),
        ("/search", "post", "200"): await search(alone, QUERY, user_id="alice"),
        ("/conversations", "get", "200"): await get(alone, "/conversations"),
        ("/memory/debug/stats", "get", "200"): await get(alone, "/memory/debug/stats"),
        ("/users/{user_id}", "delete", "200"): await erase(alone, "/users/alice"),
    }
    for (path, method, status), answer in answers.items():
        responses = described["paths"][path][method]["responses"]
        reference = responses[status]["content"]["application/json"]["schema"]["$ref"]
        schema = described["components"]["schemas"][reference.rpartition("/")[2]]
        assert set(schema["properties"]) == set(answer), path
        assert set(schema["required"]) <= set(answer), path


async def test_the_description_names_nothing_that_its_readers_lack(alone: AsyncClient) -> None:
    described = (await alone.get("/openapi.json")).text
    assert ".md" not in described
    assert "app/" not in described


async def test_the_description_tells_what_the_times_of_a_list_are(alone: AsyncClient) -> None:
    listed = (await get(alone, "/openapi.json"))["paths"]["/conversations"]["get"]["parameters"]
    told = {each["name"]: each.get("description", "") for each in listed}
    assert "`created_at` of the conversation" in told["after"]
    assert "`created_at` of the conversation" in told["before"]


async def test_the_description_tells_errors_as_problem_documents(alone: AsyncClient) -> None:
    described = await get(alone, "/openapi.json")

    assert "HTTPValidationError" not in described["components"]["schemas"]
    for path, operations in described["paths"].items():
        for operation in operations.values():
            for several in ("4XX", "5XX"):
                told = operation["responses"][several]["content"]
                assert set(told) == {"application/problem+json"}, path


async def test_a_replay_of_a_debug_view_does_not_exist(client: AsyncClient) -> None:
    found = await search(client, QUERY)
    assert "bundle_id" not in found
    assert contents(found) == []
    problem(await client.get("/memory/debug/retrieval?q="), 422, "invalid-request")

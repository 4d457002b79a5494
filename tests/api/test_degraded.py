"""A source that is down or late is left out and named; the others answer."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from httpx import AsyncClient

from app.settings import (
    EmbedderSettings,
    IndexerSettings,
    QdrantSettings,
    ServerSettings,
    Settings,
)
from tests.api.speaking import (
    Json,
    contents,
    context,
    erase,
    get,
    said,
    search,
    settings_for,
    talking_to,
)
from tests.fakes_embedder import Answer, a_compiled_model, stub_server
from tests.stand_in_qdrant import StandInQdrant, refusing_port, stand_in_qdrant

HUGIN = "The server of the api team is called Hugin."
QUERY = "What is the server called?"
SOURCES = {"episodic", "semantic", "lexical", "relational", "pinned", "profile"}


@pytest.fixture(params=["no model", "no embedding server", "no vector server"])
async def crippled(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[AsyncClient]:
    """A service without meaning, for one reason or another."""
    a_compiled_model()
    with refusing_port() as url:
        settings = settings_for(tmp_path)
        change: dict[str, Any] = {
            "no model": {"embedder": EmbedderSettings(model="/nonexistent")},
            "no embedding server": {
                "embedder": EmbedderSettings(kind="ollama", base_url=url, attempts=1)
            },
            "no vector server": {"qdrant": QdrantSettings(url=url, timeout_s=0.2)},
        }
        async with talking_to(settings.model_copy(update=change[request.param])) as client:
            yield client


async def store_at_once(client: AsyncClient, content: str) -> Json:
    body = {"user_id": "alice", "messages": [said(content)]}
    answer = await client.post("/conversations", json=body)
    assert answer.status_code == 201
    stored: Json = answer.json()
    return stored


async def test_words_are_found_without_meaning(crippled: AsyncClient) -> None:
    await store_at_once(crippled, HUGIN)

    bundle = await context(crippled, QUERY, user_id="alice")
    found = await search(crippled, QUERY, user_id="alice")

    assert contents(bundle) == contents(found) == [HUGIN]
    for degraded in (bundle["metadata"]["degraded"], found["degraded"]):
        assert [each["source"] for each in degraded] == ["semantic"]
        assert degraded[0]["reason"]
    assert bundle["retrieved_memories"][0]["sources"] == ["lexical"]


async def test_degradation_is_counted_and_told_by_readiness(crippled: AsyncClient) -> None:
    await store_at_once(crippled, HUGIN)
    await context(crippled, QUERY, user_id="alice")

    ready = await crippled.get("/readyz")
    metrics = (await crippled.get("/metrics")).text
    stats = await get(crippled, "/memory/debug/stats")

    assert ready.status_code == 200
    parts = ready.json()["parts"]
    assert (parts["database"]["status"], parts["full_text"]["status"]) == ("ok", "ok")
    assert parts["vectors"]["status"] == "down"
    assert parts["vectors"]["reason"]
    assert (parts["vectors"]["lag"], parts["vectors"]["dead_letters"]) == (1, 0)
    assert re.search(r'foreword_source_missing_total\{.*source="semantic"\} 1\.0', metrics)
    assert (stats["vectors"], stats["index_lag"]) == (None, 1)


async def test_history_is_there_without_meaning(crippled: AsyncClient) -> None:
    stored = await store_at_once(crippled, HUGIN)

    bundle = await context(crippled, QUERY, conversation_id=stored["id"])

    assert [each["content"] for each in bundle["recent_history"]] == [HUGIN]


async def test_a_degraded_answer_is_built_anew_each_time(crippled: AsyncClient) -> None:
    await store_at_once(crippled, HUGIN)
    first = await context(crippled, QUERY, user_id="alice")
    second = await context(crippled, QUERY, user_id="alice")

    assert second["metadata"]["cache_hit"] is False
    assert second["bundle_id"] != first["bundle_id"]


async def test_what_cannot_be_erased_yet_is_told(crippled: AsyncClient) -> None:
    stored = await store_at_once(crippled, HUGIN)

    receipt = await erase(crippled, f"/conversations/{stored['id']}")

    assert (receipt["erased"]["messages"], receipt["erased"]["vectors"]) == (1, 0)
    assert contents(await context(crippled, QUERY, user_id="alice")) == []


async def test_a_deadline_names_the_sources_that_missed_it(client: AsyncClient) -> None:
    for n in range(40):
        await store_at_once(client, f"{HUGIN} Number {n * 7919}.")
    named: set[tuple[str, str]] = set()
    for attempt in range(30):
        bundle = await context(client, f"server {attempt} ?", user_id="alice", deadline_ms=1)
        named |= {(each["source"], each["reason"]) for each in bundle["metadata"]["degraded"]}

    assert named
    assert {source for source, _ in named} <= SOURCES
    assert {reason for _, reason in named} == {"deadline"}


async def test_an_embedding_server_that_answers_is_not_asked_at_each_look(tmp_path: Path) -> None:
    with stub_server() as stub:
        settings = settings_for(
            tmp_path,
            server=ServerSettings(look_s=0.0),
            embedder=EmbedderSettings(kind="ollama", base_url=stub.url, attempts=1),
        )
        async with talking_to(settings) as client:
            stub.script = [Answer(status=503)]
            looks = [(await get(client, "/readyz"))["parts"]["embedder"] for _ in range(4)]
    assert [each["status"] for each in looks] == ["down", "ok", "ok", "ok"]
    assert [each["input"] for each in stub.bodies].count(["ready?"]) == 2


@pytest.fixture
async def flaky(tmp_path: Path) -> AsyncIterator[tuple[AsyncClient, StandInQdrant]]:
    """A service whose vector server does as it is told."""
    a_compiled_model()
    with stand_in_qdrant() as stand_in:
        settings: Settings = settings_for(
            tmp_path,
            qdrant=QdrantSettings(url=stand_in.url, timeout_s=0.3),
            indexer=IndexerSettings(idle_s=0.05),
        )
        async with talking_to(settings) as client:
            yield client, stand_in


async def test_a_vector_server_that_recovers_catches_up(
    flaky: tuple[AsyncClient, StandInQdrant],
) -> None:
    client, stand_in = flaky
    stand_in.fail(503, times=1_000)
    await store_at_once(client, HUGIN)
    during = await context(client, QUERY, user_id="alice")

    stand_in._failures.clear()
    await client.post("/conversations?wait=indexed&wait_s=60", json={"user_id": "alice"})
    after = await context(client, QUERY, user_id="alice")

    assert [each["source"] for each in during["metadata"]["degraded"]] == ["semantic"]
    assert contents(during) == contents(after) == [HUGIN]
    assert after["metadata"]["degraded"] == []
    assert after["retrieved_memories"][0]["sources"] == ["lexical", "semantic"]


async def test_a_vector_server_that_stalls_costs_its_deadline_only(
    flaky: tuple[AsyncClient, StandInQdrant],
) -> None:
    client, stand_in = flaky
    await client.post(
        "/conversations?wait=indexed", json={"user_id": "alice", "messages": [said(HUGIN)]}
    )
    stand_in.stall(times=1_000)

    bundle = await context(client, QUERY, user_id="alice", deadline_ms=50)
    stand_in._stalls = 0

    assert contents(bundle) == [HUGIN]
    assert {"source": "semantic", "reason": "deadline"} in bundle["metadata"]["degraded"]

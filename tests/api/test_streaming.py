"""POST /context as events: what happens is told when it happens, then comes the usual bundle."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from fastapi import FastAPI, Request, Response
from httpx import AsyncClient, ReadTimeout, Timeout

from app.api.telling import Telling
from app.domain.context import ContextRequest
from app.domain.ids import LOCAL_TENANT
from app.services.answering.cached import Answered, CachedForge, Prepared
from app.settings import Settings
from tests.api.listening import listening_app, listening_to
from tests.api.speaking import Json, context, problem, store, talking_to

EVENTS = {"Accept": "text/event-stream"}
HUGIN = "The deployment server of the api team is called Hugin."
QUERY = "What is the deployment server called?"


def events_of(text: str) -> list[tuple[str, Any]]:
    found = []
    for block in text.removesuffix("\n\n").split("\n\n"):
        name, data = block.split("\n")
        assert name.startswith("event: ")
        found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


async def streamed(client: AsyncClient, **body: Any) -> list[tuple[str, Any]]:
    answer = await client.post("/context", json={"query": QUERY, **body}, headers=EVENTS)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.headers["cache-control"] == "no-store"
    return events_of(answer.text)


def without_figures(bundle: Json) -> Json:
    metadata = bundle["metadata"] | {"timings_ms": None, "started_ms": None, "cache_hit": None}
    return bundle | {"bundle_id": None, "metadata": metadata}


async def test_sources_come_first_then_items_then_the_bundle(client: AsyncClient) -> None:
    await store(client, HUGIN, "It runs in Frankfurt.", user_id="alice")
    events = await streamed(client, user_id="alice", explain=True)
    names = [name for name, _ in events]
    assert names == sorted(names, key=["memory_debug", "item", "bundle"].index)
    sources = {told["source"]: told for name, told in events if name == "memory_debug"}
    assert {"episodic", "semantic", "lexical"} <= set(sources)
    assert sources["semantic"]["found"] == 2
    assert all(told["took_ms"] > 0 for told in sources.values())
    name, bundle = events[-1]
    assert name == "bundle"
    assert [told for name, told in events if name == "item"] == bundle["retrieved_memories"]
    whole = await context(client, QUERY, user_id="alice", explain=True)
    assert without_figures(bundle) == without_figures(whole)


async def test_what_was_streamed_is_in_the_cache_and_the_other_way_round(
    alone: AsyncClient,
) -> None:
    await store(alone, HUGIN, user_id="alice")
    live = await streamed(alone, user_id="alice")
    _, first = live[-1]
    again = await context(alone, QUERY, user_id="alice")
    assert (again["bundle_id"], again["metadata"]["cache_hit"]) == (first["bundle_id"], True)
    *sources, item, last = await streamed(alone, user_id="alice")
    assert sources == [
        ("memory_debug", {**told, "took_ms": first["metadata"]["timings_ms"][told["source"]]})
        for told in sorted(
            ({**told, "cached": True} for name, told in live if name == "memory_debug"),
            key=lambda told: [*first["metadata"]["timings_ms"]].index(told["source"]),
        )
    ]
    assert item == ("item", first["retrieved_memories"][0])
    assert (last[1]["bundle_id"], last[1]["metadata"]["cache_hit"]) == (first["bundle_id"], True)


async def test_of_a_source_that_was_not_asked_nothing_is_told_from_the_cache(
    alone: AsyncClient,
) -> None:
    await store(alone, HUGIN, user_id="alice")
    assert (await alone.put("/flags", json={"graph": False})).status_code == 200
    live, cached = [await streamed(alone, user_id="alice") for _ in range(2)]
    asked, told = [
        {told["source"] for name, told in events if name == "memory_debug"}
        for events in (live, cached)
    ]
    assert cached[-1][1]["metadata"]["cache_hit"] is True
    assert asked == told == {"episodic", "semantic", "lexical"}


async def test_of_nothing_the_bundle_alone_is_told(alone: AsyncClient) -> None:
    ((name, bundle),) = await streamed(alone, user_id="nobody")
    assert (name, bundle["retrieved_memories"]) == ("bundle", [])


@pytest.mark.parametrize(
    ("body", "status", "slug"),
    [
        ({"query": ""}, 422, "invalid-request"),
        ({"conversation_external_id": "none"}, 404, "conversation-not-found"),
        ({"since": "01a201fa-4949-744c-ba5b-d32285a280de"}, 404, "bundle-not-found"),
    ],
)
async def test_what_is_wrong_from_the_start_is_an_ordinary_problem(
    alone: AsyncClient, body: Json, status: int, slug: str
) -> None:
    answer = await alone.post("/context", json={"query": QUERY, **body}, headers=EVENTS)
    problem(answer, status, slug)


async def test_a_source_that_stays_away_is_told(embedded: Settings) -> None:
    late = embedded.model_copy(
        update={"retrieval": embedded.retrieval.model_copy(update={"deadline_s": 1e-9})}
    )
    async with talking_to(late) as client:
        await store(client, HUGIN, user_id="alice")
        events = await streamed(client, user_id="alice")
        missing = {told.get("degraded") for name, told in events if name == "memory_debug"}
        assert "deadline" in missing


async def test_over_a_real_connection_events_do_not_wait_for_each_other(
    embedded: Settings,
) -> None:
    async with (
        listening_to(embedded) as listening,
        AsyncClient(base_url=listening.url, timeout=60, trust_env=False) as client,
    ):
        await store(client, HUGIN, user_id="alice")
        body = {"query": QUERY, "user_id": "alice"}
        async with client.stream("POST", "/context", json=body, headers=EVENTS) as answer:
            told = [block async for block in blocks(answer.aiter_text())]
        assert told[-1].startswith("event: bundle")
        with pytest.raises(ReadTimeout):
            await client.post("/context", json=body, headers=EVENTS, timeout=Timeout(60, read=1e-6))
        assert (await client.get("/healthz")).status_code == 200


@dataclass
class Endless:
    """A forge that begins, and does not end by itself."""

    began: asyncio.Event = field(default_factory=asyncio.Event)
    ended_by: BaseException | None = None

    async def answer_aloud(self, *_: object, **__: object) -> Answered:
        self.began.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError as error:
            self.ended_by = error
            raise
        raise AssertionError


@pytest.fixture
async def working() -> AsyncIterator[tuple[str, Endless]]:
    """A server that tells a context in the making, and the work that goes on behind it."""
    forge = Endless()
    asked = ContextRequest(query=QUERY, budget_tokens=100)
    prepared = Prepared(tenant=LOCAL_TENANT, request=asked, situation=None)

    async def tell(request: Request) -> Response:
        return Telling(request, cast("CachedForge", forge), prepared, fresh=False).answer()

    app = FastAPI()
    app.add_api_route("/context", tell, methods=["POST"], response_model=None)
    async with listening_app(app) as listening:
        yield listening.url, forge


async def test_the_work_for_a_reader_that_goes_away_is_cancelled(
    working: tuple[str, Endless],
) -> None:
    url, forge = working
    async with (
        AsyncClient(base_url=url, timeout=60, trust_env=False) as client,
        client.stream("POST", "/context", headers=EVENTS) as answer,
    ):
        assert answer.status_code == 200
        await forge.began.wait()
        assert forge.ended_by is None
    async with asyncio.timeout(60):
        while forge.ended_by is None:  # noqa: ASYNC110  (nobody tells)
            await asyncio.sleep(0.01)


async def blocks(texts: AsyncIterator[str]) -> AsyncIterator[str]:
    left = ""
    async for text in texts:
        left += text
        while "\n\n" in left:
            block, _, left = left.partition("\n\n")
            yield block


async def test_of_two_questions_each_source_answers_once(client: AsyncClient) -> None:
    await store(client, "Ann moved to Porto.", "Ben paints lighthouses.", user_id="alice")
    both = "When did Ann move to Porto? And what does Ben paint on Sundays?"

    events = await streamed(client, user_id="alice", query=both)

    sources = [told["source"] for name, told in events if name == "memory_debug"]
    assert len(sources) == len({*sources})
    assert {"semantic", "lexical"} <= {*sources}

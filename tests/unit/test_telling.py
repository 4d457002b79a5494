"""What is told while it happens, and what ends when nobody hears it any more."""

import asyncio
import json
from typing import Any

import pytest

from app.adapters.sql.store import SqlStore
from app.api.relaying import Relay, Speaking
from app.domain.context import ContextRequest
from app.ports.embedding import Embedding
from app.ports.store import Store
from tests.factories import ACME
from tests.fakes import Gate, Memory, TroubledEmbedder

REQUEST = ContextRequest(query="green tea?", user_id="alice")


class SlowQueries(TroubledEmbedder):
    def __init__(self) -> None:
        super().__init__()
        self.queries = Gate()

    async def read_query(self, text: str) -> Embedding:
        await self.queries.pass_through()
        return await super().read_query(text)


def slow_memory(store: Store) -> tuple[Memory, SlowQueries]:
    memory = Memory(store)
    embedder = SlowQueries()
    object.__setattr__(memory.recaller, "embedder", embedder)
    return memory, embedder


async def test_each_source_is_heard_of_before_the_slowest_has_answered(store: SqlStore) -> None:
    memory, embedder = slow_memory(store)
    await memory.say("green tea", "black coffee")
    await memory.index()
    embedder.queries.close()
    heard: asyncio.Queue[Any] = asyncio.Queue()
    prepared = await memory.cached.prepare(ACME, REQUEST)
    building = asyncio.create_task(memory.cached.answer_aloud(prepared, heard.put_nowait))
    assert {(await heard.get()).source, (await heard.get()).source} == {"episodic", "lexical"}
    building.cancel()
    with pytest.raises(asyncio.CancelledError):
        await building
    embedder.queries.opened.set()
    await asyncio.wait(asyncio.all_tasks() - {asyncio.current_task()})
    assert memory.telemetry.bundles == 0
    again = await memory.cached.answer(ACME, REQUEST)
    assert not again.cache_hit
    assert json.loads(again.body)["metadata"]["degraded"] == []


async def test_a_reader_that_goes_away_ends_what_is_told() -> None:
    ended = asyncio.Event()
    said: list[Any] = []

    async def speak(speaking: Speaking) -> None:
        await speaking.begin(200, [])
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        said.append(message["type"])

    await Relay(speak)({"type": "http"}, receive, send)
    assert ended.is_set()
    assert said == ["http.response.start"]

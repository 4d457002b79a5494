"""The index on a server: what goes over the wire, and what happens when nothing comes back."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime

import numpy as np
import pytest
import stamina

from app.adapters.vectors import open_server_index
from app.domain.conversation import Role
from app.domain.errors import VectorIndexUnavailable
from app.domain.ids import ConversationKey, ItemKey, ScopeKey, TenantId
from app.domain.memory import ItemType
from app.ports import RecallFilter, VectorIndex, VectorPoint
from tests.stand_in_qdrant import StandInQdrant, refusing_port, stand_in_qdrant

KEY = "a-secret-key"
QUERY = np.array([1, 0, 0, 0], dtype=np.float32)
HERE = RecallFilter(scopes=[ScopeKey(1)])
POINT = VectorPoint(
    key=ItemKey(4),
    vector=QUERY,
    tenant=TenantId("acme"),
    scope=ScopeKey(1),
    conversation=ConversationKey(2),
    role=Role.USER,
    type=ItemType.MESSAGE,
    created_at=datetime(2026, 3, 1, 12, 30, 0, 5, tzinfo=UTC),
)


@pytest.fixture(autouse=True)
def no_waiting_between_attempts() -> Iterator[None]:
    with stamina.set_testing(True, attempts=3, cap=True):
        yield


@pytest.fixture
def server() -> Iterator[StandInQdrant]:
    with stand_in_qdrant(api_key=KEY) as running:
        yield running


@pytest.fixture
async def index(server: StandInQdrant) -> AsyncIterator[VectorIndex]:
    async with open_server_index(server.url, collection="it", dimension=4, api_key=KEY) as opened:
        await opened.upsert([POINT])
        yield opened


async def test_every_request_brings_the_key(index: VectorIndex, server: StandInQdrant) -> None:
    await index.search(QUERY, within=HERE, limit=3)
    assert {request.headers["api-key"] for request in server.requests} == {KEY}
    assert server.requests[-1].headers["user-agent"].startswith("python-client/")


async def test_without_a_key_no_header_is_sent() -> None:
    with stand_in_qdrant() as server:
        async with open_server_index(server.url, collection="it", dimension=4):
            assert not any("api-key" in request.headers for request in server.requests)


@pytest.mark.parametrize("wrong", ["not-the-key", None])
async def test_a_wrong_key_is_an_error_at_once(server: StandInQdrant, wrong: str | None) -> None:
    with pytest.raises(VectorIndexUnavailable, match=r"Qdrant at 127\.0\.0\.1 answered 401") as got:
        async with open_server_index(server.url, collection="it", dimension=4, api_key=wrong):
            pass
    assert len(server.requests) == 1
    assert wrong is None or wrong not in str(got.value)


async def test_the_collection_is_laid_out_for_many_tenants(
    index: VectorIndex, server: StandInQdrant
) -> None:
    collection = server.collections["it"]
    assert collection.settings["hnsw_config"] == {"m": 0, "payload_m": 16}
    assert collection.settings["vectors"] == {
        "size": 4,
        "distance": "Cosine",
        "datatype": "float16",
        "on_disk": True,
    }
    assert collection.indexes["scope"] == {"type": "keyword", "is_tenant": True}
    assert {field: schema["type"] for field, schema in collection.indexes.items()} == {
        "scope": "keyword",
        "tenant": "keyword",
        "conversation": "integer",
        "role": "keyword",
        "type": "keyword",
        "at": "datetime",
        "until": "datetime",
    }


async def test_a_point_travels_with_its_payload(index: VectorIndex, server: StandInQdrant) -> None:
    stored = server.requests[-1]
    assert (stored.method, stored.path, stored.query) == (
        "PUT",
        "/collections/it/points",
        "wait=true",
    )
    assert stored.body["points"] == [
        {
            "id": 4,
            "vector": [1.0, 0.0, 0.0, 0.0],
            "payload": {
                "scope": "1",
                "tenant": "acme",
                "conversation": 2,
                "role": "user",
                "type": "message",
                "at": "2026-03-01T12:30:00.000005+00:00",
            },
        }
    ]


async def test_removing_waits_until_it_is_done(index: VectorIndex, server: StandInQdrant) -> None:
    await index.remove([ItemKey(4)])
    assert server.requests[-1].query == "wait=true"


async def test_no_scope_is_answered_without_asking(
    index: VectorIndex, server: StandInQdrant
) -> None:
    before = len(server.requests)
    assert await index.search(QUERY, within=RecallFilter(scopes=[]), limit=3) == []
    assert len(server.requests) == before


async def test_opening_again_keeps_what_is_there(index: VectorIndex, server: StandInQdrant) -> None:
    before = len(server.requests)
    async with open_server_index(server.url, collection="it", dimension=4, api_key=KEY) as again:
        assert await again.count() == 1
    assert {request.method for request in server.requests[before:]} == {"GET", "POST"}


async def test_replicas_may_start_at_once(server: StandInQdrant) -> None:
    async def opened() -> int:
        async with open_server_index(
            server.url, collection="it", dimension=4, api_key=KEY
        ) as index:
            return await index.count()

    assert await asyncio.gather(*(opened() for _ in range(8))) == [0] * 8
    assert len(server.collections["it"].indexes) == 7


async def test_a_collection_of_another_dimension_is_left_alone(
    index: VectorIndex, server: StandInQdrant
) -> None:
    with pytest.raises(VectorIndexUnavailable, match="does not hold vectors of 5 dimensions"):
        async with open_server_index(server.url, collection="it", dimension=5, api_key=KEY):
            pass
    assert await index.count() == 1


@pytest.mark.parametrize("status", [429, 500, 502, 503])
async def test_what_may_pass_is_tried_again(
    index: VectorIndex, server: StandInQdrant, status: int
) -> None:
    server.fail(status, times=2)
    assert [key for key, _ in await index.search(QUERY, within=HERE, limit=3)] == [4]
    server.fail(status, times=1)
    await index.upsert([POINT])
    assert await index.count() == 1


async def test_a_server_that_says_when_to_come_back_is_asked_again(
    index: VectorIndex, server: StandInQdrant
) -> None:
    server.fail(429, times=1, headers={"Retry-After": "1"})
    assert await index.known([ItemKey(4), ItemKey(5)]) == {4}


async def test_after_three_attempts_it_gives_up(index: VectorIndex, server: StandInQdrant) -> None:
    before = len(server.requests)
    server.fail(500, times=3)
    with pytest.raises(VectorIndexUnavailable, match="answered 500: told to fail"):
        await index.count()
    assert len(server.requests) == before + 3
    assert await index.count() == 1


async def test_a_server_that_stays_overloaded_is_unavailable(
    index: VectorIndex, server: StandInQdrant
) -> None:
    server.fail(429, times=3, headers={"Retry-After": "1"})
    with pytest.raises(VectorIndexUnavailable, match="is overloaded"):
        await index.remove([ItemKey(4)])


async def test_a_request_that_is_wrong_is_not_repeated(
    index: VectorIndex, server: StandInQdrant
) -> None:
    before = len(server.requests)
    with pytest.raises(VectorIndexUnavailable, match="answered 400"):
        await index.search(np.ones(3, dtype=np.float32), within=HERE, limit=3)
    assert len(server.requests) == before + 1


async def test_a_server_that_is_late_is_asked_again(server: StandInQdrant) -> None:
    async with open_server_index(
        server.url, collection="it", dimension=4, api_key=KEY, timeout=0.3
    ) as index:
        await index.upsert([POINT])
        server.stall(times=1)
        assert [key for key, _ in await index.search(QUERY, within=HERE, limit=3)] == [4]
        server.stall(times=3)
        with pytest.raises(VectorIndexUnavailable, match="does not answer in time"):
            await index.count()


async def test_a_refused_connection_is_unavailable(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with (
        refusing_port() as url,
        pytest.raises(VectorIndexUnavailable, match=r"Qdrant at 127\.0\.0\.1 cannot be reached"),
    ):
        async with open_server_index(url, collection="it", dimension=4, api_key=KEY):
            pass
    assert KEY not in caplog.text


async def test_a_server_that_is_not_qdrant_is_unavailable() -> None:
    with (
        stand_in_qdrant() as server,
        pytest.raises(VectorIndexUnavailable, match="answered 404: Not Found"),
    ):
        async with open_server_index(f"{server.url}/other", collection="it", dimension=4):
            pass


async def test_walking_the_keys_asks_page_by_page(
    index: VectorIndex, server: StandInQdrant
) -> None:
    server.fail(503, times=1)
    walk = index.keys()
    assert [list(batch) async for batch in walk] == [[4]]


async def test_an_answer_without_a_result_is_unavailable(
    index: VectorIndex, server: StandInQdrant
) -> None:
    server.fail(200, times=1)
    with pytest.raises(VectorIndexUnavailable, match="does not understand"):
        await index.count()


async def test_a_closed_index_is_unavailable(server: StandInQdrant) -> None:
    async with open_server_index(server.url, collection="it", dimension=4, api_key=KEY) as index:
        pass
    with pytest.raises(VectorIndexUnavailable):
        await index.count()


async def test_a_collection_that_was_dropped_is_noticed(
    index: VectorIndex, server: StandInQdrant
) -> None:
    assert await index.intact()
    server.forget()
    assert not await index.intact()

"""The vector index on a Qdrant server or cluster. Importing this costs 0.7 s: see __init__.py."""

import math
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager

from qdrant_client import AsyncQdrantClient, models

from app.adapters.trust import trust
from app.adapters.vectors.nearest import Found, as_cosine, nearest
from app.adapters.vectors.payload import conditions, misplaced, payload_of
from app.adapters.vectors.server_ask import Ask
from app.adapters.vectors.server_collection import ensure_collection, ensure_indexes
from app.adapters.vectors.server_filter import server_filter
from app.domain.ids import ItemKey
from app.ports import RecallFilter, VectorPlace, VectorPoint
from app.ranking import Floats

IN_MEMORY = ":memory:"
"""Instead of a URL: the client's own toy index, for tests. It blocks the loop."""

_POINTS_PER_CALL = 32
"""About 0.25 MB of JSON at 384 dimensions, whose writing takes the loop 4 ms."""
_KEYS_PER_CALL = 1_000
_PLACES_PER_CALL = 200
"""About 60 kB of JSON, whose reading takes the loop 2 ms."""


class ServerVectorIndex:
    """An index in one collection, shared by any number of processes."""

    def __init__(self, client: AsyncQdrantClient, ask: Ask, *, collection: str) -> None:
        self._client = client
        self._ask = ask
        self._collection = collection

    async def upsert(self, points: Sequence[VectorPoint]) -> None:
        for start in range(0, len(points), _POINTS_PER_CALL):
            stored = [_stored(point) for point in points[start : start + _POINTS_PER_CALL]]
            await self._ask(self._client.upsert, self._collection, stored, wait=True)

    async def remove(self, keys: Sequence[ItemKey]) -> None:
        for start in range(0, len(keys), _KEYS_PER_CALL):
            gone = models.PointIdsList(points=[*keys[start : start + _KEYS_PER_CALL]])
            await self._ask(self._client.delete, self._collection, gone, wait=True)

    async def search(self, query: Floats, *, within: RecallFilter, limit: int) -> Found:
        wanted = conditions(within)
        if wanted is None:
            return []
        vector, narrowed = query.tolist(), server_filter(wanted)

        async def fetch(n: int) -> Found:
            answer = await self._ask(
                self._client.query_points,
                self._collection,
                query=vector,
                query_filter=narrowed,
                limit=n,
                with_payload=False,
            )
            return [(_key(point.id), as_cosine(point.score)) for point in answer.points]

        return await nearest(fetch, limit)

    async def known(self, keys: Sequence[ItemKey]) -> frozenset[ItemKey]:
        found: set[ItemKey] = set()
        for start in range(0, len(keys), _KEYS_PER_CALL):
            records = await self._ask(
                self._client.retrieve,
                self._collection,
                [*keys[start : start + _KEYS_PER_CALL]],
                with_payload=False,
            )
            found |= {_key(record.id) for record in records}
        return frozenset(found)

    async def misplaced(self, places: Sequence[VectorPlace]) -> frozenset[ItemKey]:
        found: set[ItemKey] = set()
        for start in range(0, len(places), _PLACES_PER_CALL):
            batch = places[start : start + _PLACES_PER_CALL]
            keys = [each.key for each in batch]
            records = await self._ask(
                self._client.retrieve, self._collection, [*keys], with_payload=True
            )
            found |= misplaced({_key(each.id): each.payload or {} for each in records}, batch)
        return frozenset(found)

    async def keys(self) -> AsyncIterator[Sequence[ItemKey]]:
        start: object = 0
        while start is not None:
            records, start = await self._ask(
                self._client.scroll,
                self._collection,
                offset=_key(start),
                limit=_KEYS_PER_CALL,
                with_payload=False,
            )
            if records:
                yield [_key(record.id) for record in records]

    async def count(self) -> int:
        return (await self._ask(self._client.count, self._collection, exact=True)).count

    async def flush(self) -> None:
        """Do nothing: the server answers a write once it is in its log."""

    async def intact(self) -> bool:
        return bool(await self._ask(self._client.collection_exists, self._collection))


class OtherCollections:
    """What is left of other models in collections of ours, all but `own`; looked up each time."""

    def __init__(self, client: AsyncQdrantClient, ask: Ask, *, prefix: str, own: str) -> None:
        self._client = client
        self._ask = ask
        self._prefix = prefix
        self._own = own

    async def remove(self, keys: Sequence[ItemKey]) -> None:
        for each in await self._indexes():
            await each.remove(keys)

    async def known(self, keys: Sequence[ItemKey]) -> frozenset[ItemKey]:
        found = [await each.known(keys) for each in await self._indexes()]
        return frozenset[ItemKey]().union(*found)

    async def _indexes(self) -> Sequence[ServerVectorIndex]:
        others = await _others(self._client, self._ask, prefix=self._prefix, but=[self._own])
        return [ServerVectorIndex(self._client, self._ask, collection=each) for each in others]


@asynccontextmanager
async def open_other_collections(
    url: str, *, prefix: str, own: str, api_key: str | None, attempt_seconds: float
) -> AsyncIterator[OtherCollections]:
    """See open_other_server_indexes."""
    client = _client(url, api_key, attempt_seconds)
    try:
        ask = Ask(url, timeout=attempt_seconds)
        yield OtherCollections(client, ask, prefix=prefix, own=own)
    finally:
        await client.close()


async def _others(
    client: AsyncQdrantClient, ask: Ask, *, prefix: str, but: Collection[str]
) -> Sequence[str]:
    """The collections that begin with `prefix`, except `but`."""
    held = [each.name for each in (await ask(client.get_collections)).collections]
    return sorted(each for each in held if each.startswith(prefix) and each not in but)


@asynccontextmanager
async def open_collection(
    url: str,
    *,
    collection: str,
    dimension: int,
    api_key: str | None,
    attempt_seconds: float,
    on_disk: bool,
) -> AsyncIterator[ServerVectorIndex]:
    """See open_server_index."""
    client = _client(url, api_key, attempt_seconds)
    ask = Ask(url, timeout=attempt_seconds)
    try:
        await ensure_collection(client, ask, collection, dimension=dimension, on_disk=on_disk)
        if url != IN_MEMORY:  # which has no indexes, and warns of it
            await ensure_indexes(client, ask, collection)
        yield ServerVectorIndex(client, ask, collection=collection)
    finally:
        await client.close()


async def forget_collections(
    url: str, *, prefix: str, but: Collection[str], api_key: str | None, attempt_seconds: float
) -> None:
    """See forget_server_indexes."""
    client = _client(url, api_key, attempt_seconds)
    ask = Ask(url, timeout=attempt_seconds)
    try:
        for each in await _others(client, ask, prefix=prefix, but=but):
            await ask(client.delete_collection, each)
    finally:
        await client.close()


def _client(url: str, api_key: str | None, timeout: float) -> AsyncQdrantClient:
    """A client that connects on first use.

    The key goes in as a header, since as `api_key` it would warn of every server inside a private
    network that speaks plain HTTP.
    """
    if url == IN_MEMORY:
        return AsyncQdrantClient(url)
    return AsyncQdrantClient(
        url=url,
        headers={"api-key": api_key} if api_key else {},
        timeout=math.ceil(timeout),
        prefer_grpc=False,
        check_compatibility=False,
        verify=trust(url),
    )


def _stored(point: VectorPoint) -> models.PointStruct:
    return models.PointStruct(id=point.key, vector=point.vector.tolist(), payload=payload_of(point))


def _key(point_id: object) -> ItemKey:
    return ItemKey(int(str(point_id)))

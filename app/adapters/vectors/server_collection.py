"""The collection of a server index, laid out for many tenants in one."""

from typing import assert_never

from qdrant_client import AsyncQdrantClient, models

from app.adapters.vectors.payload import INDEXES, FieldIndex
from app.adapters.vectors.server_ask import Ask
from app.domain.errors import VectorIndexUnavailable

_LINKS_PER_POINT = 16


async def ensure_collection(
    client: AsyncQdrantClient, ask: Ask, name: str, *, dimension: int, on_disk: bool
) -> None:
    """Create the collection unless it is there, perhaps since another replica was faster."""
    if not await ask(client.collection_exists, name):
        try:
            await _create(client, ask, name, dimension=dimension, on_disk=on_disk)
        except VectorIndexUnavailable:
            if not await ask(client.collection_exists, name):
                raise
    vectors = (await ask(client.get_collection, name)).config.params.vectors
    if not isinstance(vectors, models.VectorParams) or vectors.size != dimension:
        raise VectorIndexUnavailable(
            f"The collection {name} does not hold vectors of {dimension} dimensions."
        )


async def _create(
    client: AsyncQdrantClient, ask: Ask, name: str, *, dimension: int, on_disk: bool
) -> None:
    """One graph for each scope and none over all, since no search goes beyond its scopes.

    As Qdrant recommends for many tenants in one collection
    (https://qdrant.tech/documentation/manage-data/multitenancy/).
    """
    vectors = models.VectorParams(
        size=dimension,
        distance=models.Distance.COSINE,
        datatype=models.Datatype.FLOAT16,
        on_disk=on_disk,
    )
    graph = models.HnswConfigDiff(m=0, payload_m=_LINKS_PER_POINT)
    await ask(client.create_collection, name, vectors_config=vectors, hnsw_config=graph)


async def ensure_indexes(client: AsyncQdrantClient, ask: Ask, name: str) -> None:
    """Create the payload indexes that are missing; creating one twice is creating it once."""
    present = (await ask(client.get_collection, name)).payload_schema
    for field, index in INDEXES.items():
        if field not in present:
            await ask(
                client.create_payload_index, name, field, field_schema=_schema(index), wait=True
            )


def _schema(
    index: FieldIndex,
) -> models.KeywordIndexParams | models.IntegerIndexParams | models.DatetimeIndexParams:
    """Only scopes get graphs of their own: one for every role or type would span all scopes."""
    match index:
        case FieldIndex.TENANT:
            return models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True)
        case FieldIndex.KEYWORD:
            return models.KeywordIndexParams(
                type=models.KeywordIndexType.KEYWORD, enable_hnsw=False
            )
        case FieldIndex.LOOKUP:
            return models.IntegerIndexParams(
                type=models.IntegerIndexType.INTEGER, lookup=True, range=False, enable_hnsw=False
            )
        case FieldIndex.MOMENT:
            return models.DatetimeIndexParams(
                type=models.DatetimeIndexType.DATETIME, enable_hnsw=False
            )
        case _:
            assert_never(index)

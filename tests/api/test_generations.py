"""Changing the embedding model: the old one answers until the new one has everything."""

from contextlib import AsyncExitStack

import pytest
from qdrant_edge import CountRequest

from app.adapters.vectors import open_edge_index
from app.settings import Settings
from app.wiring.opening import index_name
from tests.api.speaking import context, distilling_nothing, erase, get, store, talking_to
from tests.fakes_embedder import a_compiled_model
from tests.stand_in_qdrant import StandInQdrant

HUGIN = "The name of the build machine is Hugin."
TOMATOES = "Tomatoes grow well in the greenhouse."
QUERY = "How is the build machine named?"


async def test_another_precision_is_another_model_that_takes_over(settings: Settings) -> None:
    exact = settings.embedder.model_copy(update={"precision": "fp32"})
    changed = settings.model_copy(update={"embedder": exact})
    old, new = a_compiled_model("int8").name, a_compiled_model("fp32").name
    async with talking_to(settings) as client:
        await distilling_nothing(client)
        await store(client, HUGIN, TOMATOES)
        assert (await get(client, "/readyz"))["parts"]["embedder"]["model"] == old

    async with talking_to(changed) as client:
        bundle = await context(client, QUERY)
        assert bundle["metadata"]["degraded"] == []
        assert bundle["retrieved_memories"][0]["sources"] == ["lexical", "semantic"]
        await store(client, "The name of the test machine is Munin.")
        while (await get(client, "/readyz"))["parts"]["embedder"]["model"] != new:
            pass
        vectors = (await get(client, "/readyz"))["parts"]["vectors"]
        assert (vectors["points"], "coming" in vectors) == (3, False)
        bundle = await context(client, QUERY)
        assert bundle["retrieved_memories"][0]["content"] == HUGIN
        assert bundle["metadata"]["degraded"] == []

    async with talking_to(changed) as client:
        assert (await get(client, "/readyz"))["parts"]["embedder"]["model"] == new


@pytest.mark.parametrize("restarted", [False, True])
async def test_of_the_model_before_nothing_that_is_erased_is_left(
    settings: Settings, request: pytest.FixtureRequest, *, restarted: bool
) -> None:
    """A server may be shared with who still serves from its vectors; a directory may not."""
    exact = settings.embedder.model_copy(update={"precision": "fp32"})
    changed = settings.model_copy(update={"embedder": exact})
    old, new = a_compiled_model("int8").name, a_compiled_model("fp32").name
    async with talking_to(settings) as client:
        await distilling_nothing(client)
        stored = await store(client, HUGIN, TOMATOES)
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(talking_to(changed))
        while (await get(client, "/readyz"))["parts"]["embedder"]["model"] != new:
            pass
        if restarted:
            await stack.aclose()
            client = await stack.enter_async_context(talking_to(changed))
        receipt = await erase(client, f"/messages/{stored['message_ids'][0]}")
        assert (receipt["erased"]["messages"], receipt["remaining"]) == (1, 0)

    assert await left(settings, old, request) == (0 if restarted and settings.embedded else 1)
    assert await left(settings, new, request) == 1


async def left(settings: Settings, model: str, request: pytest.FixtureRequest) -> int:
    """The points in the index of a model; 0 where there is no index."""
    if settings.qdrant.url is not None:
        server: StandInQdrant = request.getfixturevalue("stand_in")
        shard = server.collections[f"{settings.qdrant.collection}-{index_name(model)}"].shard
        return int(shard.count(CountRequest(exact=True)))
    directory = settings.data_dir / "vectors" / index_name(model)
    if not directory.exists():
        return 0
    async with open_edge_index(directory, dimension=a_compiled_model("int8").dimension) as index:
        return await index.count()

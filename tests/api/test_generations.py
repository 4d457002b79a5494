"""Changing the embedding model: the old one answers until the new one has everything."""

from app.settings import Settings
from tests.api.speaking import context, distilling_nothing, get, store, talking_to
from tests.fakes_embedder import a_compiled_model

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

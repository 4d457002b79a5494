"""Parts that are missing say so, and are used as soon as they can be opened."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import numpy as np
import pytest

from app.adapters.late import LateEmbedder, LateReranker, LateVectorIndex
from app.domain.errors import EmbedderUnavailable, RerankerUnavailable, VectorIndexUnavailable
from app.domain.ids import ItemKey
from app.ports import RecallFilter, VectorIndex
from app.ports.embedding import Embedder
from app.ports.language import Reranker
from app.ranking import Floats
from tests.fakes_embedder import FakeEmbedder
from tests.fakes_vectors import DEFAULT_SCOPE, FakeVectorIndex, point, towards

HERE = RecallFilter(scopes=[DEFAULT_SCOPE])


@dataclass
class Places:
    """Where parts are opened, and what has become of them."""

    there: bool = False
    intact: bool = True
    closes_well: bool = True
    opened: int = 0
    closed: int = 0

    @asynccontextmanager
    async def embedder(self) -> AsyncIterator[Embedder]:
        if not self.there:
            raise EmbedderUnavailable("no file")
        self.opened += 1
        yield FakeEmbedder()
        self.closed += 1

    @asynccontextmanager
    async def reranker(self) -> AsyncIterator[Reranker]:
        if not self.there:
            raise RerankerUnavailable("no file")
        self.opened += 1
        yield ByLength()
        self.closed += 1

    @asynccontextmanager
    async def vectors(self) -> AsyncIterator[VectorIndex]:
        if not self.there:
            raise VectorIndexUnavailable("no server")
        self.opened += 1
        self.intact = True
        yield LosableIndex(self)
        self.closed += 1
        if not self.closes_well:
            raise VectorIndexUnavailable("nothing left to close")


class ByLength:
    model = "by-length"

    async def score(self, query: str, texts: Sequence[str], *, seconds: float) -> Floats:
        assert (query, seconds) == ("tea", 1.0)
        return np.array([len(each) for each in texts], dtype=np.float32)


class LosableIndex(FakeVectorIndex):
    def __init__(self, places: Places) -> None:
        super().__init__(dimension=4)
        self._places = places

    async def intact(self) -> bool:
        return self._places.intact


async def test_an_embedder_is_used_once_it_is_there() -> None:
    places = Places()
    embedder = LateEmbedder(places.embedder)
    assert embedder.missing
    for ask in (embedder.embed(["tea"]), embedder.read_query("tea")):
        with pytest.raises(EmbedderUnavailable, match="not open yet"):
            await ask
    with pytest.raises(EmbedderUnavailable, match="no file"):
        await embedder.mend()
    with pytest.raises(EmbedderUnavailable, match="no file"):
        await embedder.embed(["tea"])

    places.there = True
    assert await embedder.mend()
    assert not await embedder.mend()

    assert (embedder.missing, places.opened) == (False, 1)
    assert (embedder.model, embedder.dimension) == (FakeEmbedder().model, FakeEmbedder().dimension)
    assert (await embedder.embed(["tea"])).shape == (1, embedder.dimension)
    assert (await embedder.read_query("tea")).vector.shape == (embedder.dimension,)
    await embedder.aclose()
    assert places.closed == 1


async def test_a_reranker_is_used_once_it_is_there() -> None:
    places = Places()
    reranker = LateReranker(places.reranker)
    with pytest.raises(RerankerUnavailable, match="not open yet"):
        await reranker.score("tea", ["milk"], seconds=1.0)
    with pytest.raises(RerankerUnavailable, match="no file"):
        await reranker.mend()
    assert reranker.model == "absent"

    places.there = True
    assert await reranker.mend()
    assert not await reranker.mend()

    assert (await reranker.score("tea", ["milk", "tea"], seconds=1.0)).tolist() == [4, 3]
    assert reranker.model == "by-length"
    await reranker.aclose()
    assert (places.opened, places.closed) == (1, 1)


async def test_an_index_is_used_once_it_is_there() -> None:
    places = Places()
    vectors = LateVectorIndex(places.vectors)
    with pytest.raises(VectorIndexUnavailable, match="not open yet"):
        await vectors.count()
    with pytest.raises(VectorIndexUnavailable, match="no server"):
        await vectors.mend()
    assert not await vectors.intact()

    places.there = True
    assert await vectors.mend()
    assert not await vectors.mend()

    await vectors.upsert([point(1), point(2)])
    await vectors.remove([ItemKey(2)])
    await vectors.flush()
    assert await vectors.intact()
    assert await vectors.count() == 1
    assert await vectors.known([ItemKey(1), ItemKey(2)]) == {1}
    walk = vectors.keys()
    assert [key async for batch in walk for key in batch] == [1]
    assert await vectors.search(towards(1, 0, 0, 0), within=HERE, limit=3) == [(1, 1.0)]
    await vectors.aclose()
    assert (places.opened, places.closed) == (1, 1)


@pytest.mark.parametrize("closes_well", [True, False])
async def test_an_index_that_is_lost_is_closed_and_opened_anew(*, closes_well: bool) -> None:
    places = Places(there=True, closes_well=closes_well)
    vectors = LateVectorIndex(places.vectors)
    await vectors.mend()
    await vectors.upsert([point(1)])

    places.intact = places.there = False
    with pytest.raises(VectorIndexUnavailable, match="no server"):
        await vectors.mend()
    assert places.closed == 1
    with pytest.raises(VectorIndexUnavailable, match="no server"):
        await vectors.count()

    places.there = places.closes_well = True
    assert await vectors.mend()
    assert (await vectors.count(), places.opened) == (0, 2)
    await vectors.aclose()

"""How long the start waits for a server of vectors."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from app.adapters.late import LateEmbedder
from app.domain.errors import VectorIndexUnavailable
from app.ports.embedding import Embedder
from app.settings import Settings
from app.settings.storing import QdrantSettings
from app.wiring.opening import PATIENCE, open_vectors
from tests.fakes_embedder import FakeEmbedder
from tests.stand_in_qdrant import stand_in_qdrant


@asynccontextmanager
async def fake_embedder() -> AsyncIterator[Embedder]:
    yield FakeEmbedder()


async def count(url: str, directory: Path, *, timeout_s: float) -> int:
    """Of the points of an index that is opened at the start."""
    chosen = QdrantSettings(url=url, timeout_s=timeout_s)
    settings = Settings(data_dir=directory, qdrant=chosen)
    embedder = LateEmbedder(fake_embedder)
    await embedder.mend()
    async with AsyncExitStack() as stack:
        vectors = await open_vectors(settings, embedder, stack, None)
        return await vectors.count()


async def test_it_may_take_as_long_as_an_attempt_may(tmp_path: Path) -> None:
    with stand_in_qdrant() as server:
        server.be_late(PATIENCE + 0.5)
        assert await count(server.url, tmp_path, timeout_s=60) == 0


async def test_one_that_never_answers_is_missing(tmp_path: Path) -> None:
    with stand_in_qdrant() as server:
        server.stall(times=100)
        with pytest.raises(VectorIndexUnavailable):
            await count(server.url, tmp_path, timeout_s=0.05)

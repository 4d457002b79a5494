import asyncio

import numpy as np
import pytest

from app.adapters.embedder.cache import QueryCache
from app.domain.errors import EmbedderUnavailable
from app.ports.embedding import Embedding


class Asked:
    """Embeds when it is told to, and counts."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.go = asyncio.Event()
        self.fails = False

    async def __call__(self, text: str) -> Embedding:
        self.texts.append(text)
        await self.go.wait()
        if self.fails:
            raise EmbedderUnavailable
        return Embedding(np.array([len(text)], dtype=np.float32), np.ones((1, 2), dtype=np.int8))


async def test_who_asks_at_the_same_time_shares_one_answer() -> None:
    cache, asked = QueryCache(4), Asked()
    waiting = [asyncio.create_task(cache.get("hello", asked)) for _ in range(3)]
    asked.go.set()

    assert [each.vector for each in await asyncio.gather(*waiting)] == [5, 5, 5]
    assert asked.texts == ["hello"]


async def test_the_latest_texts_are_remembered() -> None:
    cache, asked = QueryCache(2), Asked()
    asked.go.set()
    for text in ("a", "b", "a", "c", "a", "b"):
        await cache.get(text, asked)

    assert asked.texts == ["a", "b", "c", "b"]


async def test_a_cache_of_size_zero_remembers_nothing() -> None:
    cache, asked = QueryCache(0), Asked()
    asked.go.set()
    for _ in range(2):
        await cache.get("a", asked)

    assert asked.texts == ["a", "a"]


async def test_one_who_gives_up_leaves_the_others_their_answer() -> None:
    cache, asked = QueryCache(4), Asked()
    impatient, patient = (asyncio.create_task(cache.get("a", asked)) for _ in range(2))
    await asyncio.sleep(0)
    impatient.cancel()
    asked.go.set()

    assert (await patient).vector == [1]
    assert impatient.cancelled()


async def test_a_failure_is_told_to_all_and_forgotten() -> None:
    cache, asked = QueryCache(4), Asked()
    asked.fails = True
    asked.go.set()
    for answer in await asyncio.gather(
        *(cache.get("a", asked) for _ in range(2)), return_exceptions=True
    ):
        assert isinstance(answer, EmbedderUnavailable)

    asked.fails = False
    assert (await cache.get("a", asked)).vector == [1]


async def test_a_failure_nobody_waits_for_is_no_noise() -> None:
    cache, asked = QueryCache(4), Asked()
    asked.fails = True
    alone = asyncio.create_task(cache.get("a", asked))
    await asyncio.sleep(0)
    alone.cancel()
    asked.go.set()
    await asyncio.sleep(0.01)  # a task whose failure nobody saw would now be reported, and fail

    assert asked.texts == ["a"]


async def test_a_remembered_vector_cannot_be_changed() -> None:
    cache, asked = QueryCache(4), Asked()
    asked.go.set()
    remembered = await cache.get("a", asked)

    with pytest.raises(ValueError, match="read-only"):
        remembered.vector[0] = 2
    with pytest.raises(ValueError, match="read-only"):
        remembered.words[...] = 2

"""The vectors of recent queries."""

import asyncio
from collections.abc import Awaitable, Callable

from cachetools import LRUCache

from app.ports.embedding import Embedding

ReadOne = Callable[[str], Awaitable[Embedding]]


class QueryCache:
    """
    Remembers the vectors of the last `size` texts, and asks once where many ask at the same time.

    Vectors are shared, so they are made read-only. A failure is told to all who wait for it, and
    forgotten.
    """

    def __init__(self, size: int) -> None:
        """Remember nothing where `size` is 0; those who ask at the same time still share."""
        self._known: LRUCache[str, Embedding] = LRUCache(max(size, 1))
        self._asked: dict[str, asyncio.Task[Embedding]] = {}
        self._size = size

    async def get(self, text: str, read: ReadOne) -> Embedding:
        if (known := self._known.get(text)) is not None:
            return known
        # Shielded: one caller who gives up must not take the vector from the others.
        return await asyncio.shield(self._asked.get(text) or self._ask(text, read))

    def _ask(self, text: str, read: ReadOne) -> asyncio.Task[Embedding]:
        async def remember() -> Embedding:
            embedding = await read(text)
            for each in (embedding.vector, embedding.words):
                each.setflags(write=False)
            if self._size:
                self._known[text] = embedding
            return embedding

        task = self._asked[text] = asyncio.create_task(remember())
        task.add_done_callback(lambda done: self._settle(text, done))
        return task

    def _settle(self, text: str, task: asyncio.Task[Embedding]) -> None:
        self._asked.pop(text, None)
        if not task.cancelled():
            task.exception()  # marks it as seen, where everyone who waited has gone

"""What is looked at once for all who ask at about the same time."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(slots=True, kw_only=True)
class Shared(Generic[T]):
    """
    A look that costs something.

    Whoever asks while somebody is looking, or within so many `seconds` after, gets what was found.
    What could not be found is looked for again.
    """

    look: Callable[[], Awaitable[T]]
    seconds: float
    timer: Callable[[], float]
    """Monotonic, in seconds."""
    _looking: asyncio.Task[T] | None = None
    _until: float = float("-inf")

    async def __call__(self) -> T:
        looking = self._looking
        if looking is None or (looking.done() and self.timer() >= self._until):
            looking = self._looking = asyncio.create_task(self._look())
        return await asyncio.shield(looking)  # whoever goes away leaves it to the others

    async def _look(self) -> T:
        found = await self.look()
        self._until = self.timer() + self.seconds
        return found

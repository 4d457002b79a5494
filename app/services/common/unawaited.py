"""Work that goes on though nobody waits for it."""

import asyncio
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Unawaited:
    """
    Tasks, held until they end: the event loop alone does not hold on to them.

    Nobody hears of their errors.
    """

    _tasks: set[asyncio.Task[Any]] = field(default_factory=set)

    def __len__(self) -> int:
        return len(self._tasks)

    def hold(self, task: asyncio.Task[Any]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._forget)

    async def drain(self, patience: float) -> frozenset[asyncio.Task[Any]]:
        """Wait so many seconds for those that are held; the ones that have not ended by then."""
        if not self._tasks:
            return frozenset()
        _, pending = await asyncio.wait(self._tasks, timeout=patience)
        return frozenset(pending)

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()

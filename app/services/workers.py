"""What goes on behind the requests, from start to end."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from logging import getLogger

from app.domain.errors import ForewordError
from app.ports import Clock
from app.ports.store import Store
from app.services.healing import Healer
from app.services.indexing import Indexer
from app.services.rebuilding import Rebuilder
from app.services.receipts import Recorder

_log = getLogger(__name__)

_RECEIPTS_EVERY = 0.25
_HEALED_EVERY = 5.0
_OLD_FORGOTTEN_EVERY = 3_600.0
_BETWEEN_BATCHES = 0.02
_FAREWELL = 10.0
"""Seconds that a worker gets to finish what it is at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Janitor:
    """Forgets receipts and metrics past their time."""

    store: Store
    clock: Clock

    async def tick(self) -> None:
        try:
            async with self.store.project() as projections:
                await projections.forget_old(now=self.clock())
        except ForewordError as error:
            _log.warning("old receipts stay for now", extra={"reason": str(error)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Workers:
    """Runs the workers; ends them between two pieces of work, not inside of one."""

    indexer: Indexer
    healer: Healer
    rebuilder: Rebuilder
    recorder: Recorder
    janitor: Janitor
    _stopping: asyncio.Event = field(default_factory=asyncio.Event)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        await self.rebuilder.begin()
        await self.indexer.resume()
        tasks = [
            asyncio.create_task(self._rebuild()),
            asyncio.create_task(self._repeat(self.indexer.work, pause=0.0)),
            asyncio.create_task(self._repeat(self.healer.tick, pause=_HEALED_EVERY)),
            asyncio.create_task(self._repeat(self.recorder.tick, pause=_RECEIPTS_EVERY)),
            asyncio.create_task(self._repeat(self.janitor.tick, pause=_OLD_FORGOTTEN_EVERY)),
        ]
        try:
            yield
        finally:
            self._stopping.set()
            self.indexer.wake()
            _, late = await asyncio.wait(tasks, timeout=_FAREWELL)
            for task in late:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self.recorder.tick()

    async def _rebuild(self) -> None:
        """Batch by batch, with room for requests between."""
        while not (self.rebuilder.complete or self._stopping.is_set()):
            await self.rebuilder.tick()
            await self._rest(_BETWEEN_BATCHES)

    async def _repeat(self, work: Callable[[], Awaitable[None]], *, pause: float) -> None:
        while not self._stopping.is_set():
            try:
                await work()
            except Exception:  # noqa: BLE001  (a worker that is gone helps nobody)
                _log.exception("a worker stumbled and goes on")
                await self._rest(1.0)
            await self._rest(pause)

    async def _rest(self, seconds: float) -> None:
        if seconds > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._stopping.wait()

"""What goes on behind the requests, from start to end."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from logging import getLogger

from app.domain.errors import ForewordError
from app.ports import Clock, NewId
from app.ports.store import Store
from app.services.access.admit import Doorkeeper
from app.services.answering.pulse import Pulse
from app.services.answering.recording import Recorder
from app.services.distilling.consolidating import Consolidator
from app.services.erasing.forget import Forgetter
from app.services.erasing.pruning import Pruner
from app.services.erasing.scouring import Scourer
from app.services.indexing.indexer import Indexer
from app.services.indexing.labelling import LabelIndexer
from app.services.indexing.rebuilding import Rebuilder
from app.services.indexing.reviving import Reviver
from app.services.indexing.succession import Successor

_log = getLogger(__name__)

_RECEIPTS_EVERY = 1.0
"""Seconds. A transaction for each few answers would cost more than what it writes."""
_PULSE_EVERY = 2.0
_ERASED_EVERY = 15.0
_SCOURED_EVERY = 30.0
_OLD_FORGOTTEN_EVERY = 3_600.0
_EXPIRED_ERASED_EVERY = 60.0
"""What an expired item superseded holds again as late as that."""
_BETWEEN_BATCHES = 0.02
_LOOKED_AT_EVERY = 1.0
_ITEMS_AT_ONCE = 200
_ROWS_AT_ONCE = 1_000
_FAREWELL = 10.0
"""Seconds that a worker gets to finish what it is at."""


@dataclass(slots=True, kw_only=True)
class Janitor:
    """Forgets receipts and metrics past their time, once an hour, and items that have expired."""

    store: Store
    recorder: Recorder
    clock: Clock
    new_id: NewId
    _due_at: datetime | None = None
    """When what is old is looked for again."""

    async def tick(self) -> None:
        try:
            await self._forget_old()
            while await self._erase_expired() == _ITEMS_AT_ONCE:
                pass
        except ForewordError as error:
            _log.warning("what is old stays for now", extra={"reason": str(error)})

    async def _forget_old(self) -> None:
        now = self.clock()
        if self._due_at is not None and now < self._due_at:
            return
        self._due_at = now + timedelta(seconds=_OLD_FORGOTTEN_EVERY)
        await self.recorder.note_anew()
        while await self._forget_some():
            pass

    async def _forget_some(self) -> bool:
        """Some at a time, as below; whether there may be more."""
        async with self.store.project() as projections:
            return await projections.forget_old(now=self.clock(), limit=_ROWS_AT_ONCE)

    async def _erase_expired(self) -> int:
        """Some at a time, so that others can write in between."""
        async with self.store.project() as projections:
            return await projections.erase_expired(
                now=self.clock(), limit=_ITEMS_AT_ONCE, new_id=self.new_id
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Workers:
    """Runs the workers; ends them between two pieces of work, not inside of one."""

    indexer: Indexer
    consolidator: Consolidator
    revivers: Sequence[Reviver]
    rebuilder: Rebuilder
    labels: LabelIndexer
    recorder: Recorder
    pulse: Pulse
    forgetter: Forgetter
    successor: Successor
    janitor: Janitor
    scourer: Scourer
    pruner: Pruner
    doorkeeper: Doorkeeper
    uses_noted_every: float
    """Seconds between two notes of which keys were used."""
    _stopping: asyncio.Event = field(default_factory=asyncio.Event)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        await self.rebuilder.begin()
        await self.labels.tick()
        await self.indexer.resume()
        await self.consolidator.resume()
        tasks = [
            asyncio.create_task(self._repeat(self._rebuild, pause=0.0)),
            asyncio.create_task(self._repeat(self.indexer.work, pause=0.0)),
            asyncio.create_task(self._repeat(self.consolidator.work, pause=0.0)),
            *(
                asyncio.create_task(self._repeat(partial(self._revive, each), pause=0.0))
                for each in self.revivers
            ),
            asyncio.create_task(self._repeat(self.recorder.tick, pause=_RECEIPTS_EVERY)),
            asyncio.create_task(self._repeat(self.pulse.tick, pause=_PULSE_EVERY)),
            asyncio.create_task(self._succeed()),
            asyncio.create_task(self._index_labels()),
            asyncio.create_task(self._repeat(self.forgetter.tick, pause=_ERASED_EVERY)),
            asyncio.create_task(self._repeat(self.janitor.tick, pause=_EXPIRED_ERASED_EVERY)),
            asyncio.create_task(self._scour()),
            asyncio.create_task(self._repeat(self.pruner.tick, pause=_OLD_FORGOTTEN_EVERY)),
            asyncio.create_task(self._repeat(self.doorkeeper.tick, pause=self.uses_noted_every)),
        ]
        try:
            yield
        finally:
            self._stopping.set()
            self.indexer.wake()
            self.consolidator.wake()
            _, late = await asyncio.wait(tasks, timeout=_FAREWELL)
            for task in late:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._leave()

    async def _leave(self) -> None:
        """Write what waits in memory; leave to others what was begun."""
        await self.recorder.tick()
        await self.pulse.tick()
        await self.doorkeeper.tick()
        try:
            await self.indexer.give_back()
            await self.consolidator.give_back()
        except ForewordError as error:
            _log.warning("what was begun waits for its lease", extra={"reason": str(error)})

    async def _rebuild(self) -> None:
        """Batch by batch, with room for requests between; then only a look now and then."""
        await self.rebuilder.tick()
        await self._rest(_LOOKED_AT_EVERY if self.rebuilder.complete else _BETWEEN_BATCHES)

    async def _revive(self, reviver: Reviver) -> None:
        await reviver.tick()
        await self._rest(reviver.pause)

    async def _succeed(self) -> None:
        """Build the vectors of another model, if there is one to come, and no longer."""
        while self.successor.building is not None and not self._stopping.is_set():
            await self._guarded(self.successor.tick)
            await self._rest(_BETWEEN_BATCHES)

    async def _index_labels(self) -> None:
        """Those that the start has not come to, and no longer: what is written is indexed."""
        while not self.labels.complete and not self._stopping.is_set():
            await self._rest(_BETWEEN_BATCHES)
            await self._guarded(self.labels.tick)

    async def _scour(self) -> None:
        """Not while everything begins; once more at the end, for what was erased last."""
        while not self._stopping.is_set():
            await self._rest(_SCOURED_EVERY)
            await self._guarded(self.scourer.go_round)

    async def _guarded(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except Exception:  # noqa: BLE001  (a worker that is gone helps nobody)
            _log.exception("a worker stumbled and goes on")
            await self._rest(1.0)

    async def _repeat(self, work: Callable[[], Awaitable[None]], *, pause: float) -> None:
        while not self._stopping.is_set():
            await self._guarded(work)
            await self._rest(pause)

    async def _rest(self, seconds: float) -> None:
        if seconds > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._stopping.wait()

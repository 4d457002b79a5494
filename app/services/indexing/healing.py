"""Finding, at start and while serving, what the vector index lacks or should not have."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from logging import getLogger

from app.domain.ids import ItemKey
from app.ports import Clock, VectorIndex
from app.ports.embedding import Embedder
from app.ports.store import Store
from app.services.indexing.indexer import Indexer, remove_strangers

_log = getLogger(__name__)

_BATCH = 5_000


@dataclass(slots=True, kw_only=True)
class Healer:
    """Compares the vector index with SQL, key by key; the indexer does what is to be done."""

    store: Store
    embedder: Embedder
    vectors: VectorIndex
    indexer: Indexer
    clock: Clock
    may: Callable[[], bool] = lambda: True
    """Whether the index should hold everything: one that is being filled is not ill."""
    healthy: bool = field(default=False, init=False)
    """Whether a comparison has been completed since there was reason to doubt."""
    complete: bool = field(default=True, init=False)
    """Whether the index holds all that it once held; while it is built anew, it does not."""
    _lost_until: datetime | None = field(default=None, init=False)

    def doubt(self) -> None:
        """The index may differ from SQL: it was opened anew, or was away for a while."""
        self.healthy = False

    async def look(self) -> None:
        """
        Compare, unless there is no reason to; see whether what was lost is back.

        Raises:
            ForewordError: A part does not answer.
        """
        if not self.may():
            return
        if not self.healthy:
            await self.heal()
        elif not self.complete:
            await self._see_whether_complete()

    async def heal(self) -> tuple[int, int]:
        """
        Remove what does not belong, note what is missing; how many of each.

        Vectors are kept in SQL, so what is noted here is not embedded again.
        """
        removed = await remove_strangers(self.store, self.vectors)
        missing, lost = await self._note_missing()
        self.healthy = True
        if lost:
            self.complete, self._lost_until = False, self.clock()
        if removed or missing:
            told = {"removed": removed, "missing": missing, "lost": lost}
            _log.info("vector index healed", extra=told)
        return removed, missing

    async def _see_whether_complete(self) -> None:
        async with self.store.observe() as observations:
            state = await observations.state(now=(now := self.clock()))
        if self._lost_until is None or not state.depth:
            self.complete = True
        else:
            self.complete = state.oldest_age < (now - self._lost_until).total_seconds()
        if self.complete:
            _log.info("the vector index is complete")

    async def _note_missing(self) -> tuple[int, int]:
        """How many are missing, and how many of these the index once held."""
        missing, lost, last = 0, 0, ItemKey(0)
        while True:
            async with self.store.observe() as observations:
                keys = await observations.recallable(after=last, limit=_BATCH)
            known = await self.vectors.known(keys)
            lacking = [key for key in keys if key not in known]
            if lacking:
                lost += await self._note(lacking)
            missing += len(lacking)
            if len(keys) < _BATCH:  # what is written from now on has its own note
                return missing, lost
            last = keys[-1]

    async def _note(self, lacking: Sequence[ItemKey]) -> int:
        async with self.store.observe() as observations:
            lost = await observations.embedded(lacking, model=self.embedder.model)
        self.complete = self.complete and not lost
        async with self.store.project() as projections:
            await projections.enqueue(lacking, now=self.clock())
        self.indexer.wake()
        return lost

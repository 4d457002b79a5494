"""Finding, at start and while serving, what the vector index lacks or should not have."""

from dataclasses import dataclass, field
from logging import getLogger

from app.domain.errors import ForewordError
from app.domain.ids import ItemKey
from app.ports import Clock, VectorIndex
from app.ports.store import Store
from app.services.indexing import Indexer

_log = getLogger(__name__)

_BATCH = 5_000


@dataclass(slots=True, kw_only=True)
class Healer:
    """Compares the vector index with SQL, key by key; the indexer does what is to be done."""

    store: Store
    vectors: VectorIndex
    indexer: Indexer
    clock: Clock
    healthy: bool = field(default=False, init=False)
    """Whether a comparison has been completed."""

    async def heal(self) -> tuple[int, int]:
        """
        Remove what does not belong, note what is missing; how many of each.

        Vectors are kept in SQL, so what is noted here is not embedded again.
        """
        removed = await self._remove_strangers()
        missing = await self._note_missing()
        self.healthy = True
        if removed or missing:
            _log.info("vector index healed", extra={"removed": removed, "missing": missing})
        return removed, missing

    async def tick(self) -> None:
        """Heal, unless that has succeeded before."""
        if self.healthy:
            return
        try:
            await self.heal()
        except ForewordError as error:
            _log.warning("healing is put off", extra={"reason": str(error)})

    async def _remove_strangers(self) -> int:
        removed = 0
        async for keys in self.vectors.keys():
            async with self.store.observe() as observations:
                belonging = await observations.belonging(keys)
            strangers = [key for key in keys if key not in belonging]
            await self.vectors.remove(strangers)
            removed += len(strangers)
        return removed

    async def _note_missing(self) -> int:
        missing, last = 0, ItemKey(0)
        while True:
            async with self.store.observe() as observations:
                keys = await observations.recallable(after=last, limit=_BATCH)
            known = await self.vectors.known(keys)
            lacking = [key for key in keys if key not in known]
            if lacking:
                async with self.store.project() as projections:
                    await projections.enqueue(lacking, now=self.clock())
                self.indexer.wake()
            missing += len(lacking)
            if len(keys) < _BATCH:  # what is written from now on has its own note
                return missing
            last = keys[-1]

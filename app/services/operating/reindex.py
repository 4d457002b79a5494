"""Making projections anew from the truth, on demand, while everything is served."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from app.domain.audit import Action
from app.domain.ids import ConversationKey, ItemKey, TenantId
from app.domain.projections import INDEXES, Projection
from app.ports import Clock
from app.ports.inspecting import Clinic
from app.ports.store import Store
from app.services.common.jobs import Progress
from app.services.common.logbook import Logbook
from app.services.distilling.consolidating import Consolidator
from app.services.indexing.healing import Healer
from app.services.indexing.indexer import Indexer
from app.services.indexing.labelling import LabelIndexer
from app.services.indexing.rebuilding import Rebuilder
from app.services.operating.relinking import Relinker

_AT_ONCE = 500
_LOOK_AGAIN = 0.25
_BETWEEN_BATCHES = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Reindexer:
    """
    Builds full text (with labels), vectors or the entity graph anew, or all that is distilled.

    Broken off, full text is gone on with at the next start, and the others are what they were.
    """

    store: Store
    clinic: Clinic
    indexer: Indexer
    healer: Healer
    rebuilder: Rebuilder
    labels: LabelIndexer
    relinker: Relinker
    consolidator: Consolidator
    logbook: Logbook
    clock: Clock

    async def reindex(self, what: Projection | None, progress: Progress) -> Mapping[str, Any]:
        """Make `what`, or every index, anew; how many items it was made of."""
        if what is not None:
            return await self._one(what, progress)
        items = 0
        for each in INDEXES:
            items += (await self._one(each, progress))["items"]
            progress.tell(0, 0)
        progress.tell(items, items)
        return {"items": items}

    async def _one(self, what: Projection, progress: Progress) -> Mapping[str, Any]:
        async with self._noting(what.value, progress):
            match what:
                case Projection.FULL_TEXT:
                    await self.full_text(progress)
                    await self.label_terms()
                case Projection.VECTORS:
                    await self.vectors(progress)
                case Projection.GRAPH:
                    await self.relinker.relink(progress)
                case Projection.DISTILLED:
                    await self.distilled(progress)
        return {"items": progress.done}

    async def reembed(self, progress: Progress) -> Mapping[str, Any]:
        """Embed everything anew with the model that serves; how many items that were."""
        async with self._noting("embeddings", progress):
            await self.vectors(progress, anew=True)
        return {"items": progress.done}

    @asynccontextmanager
    async def _noting(self, what: str, progress: Progress) -> AsyncIterator[None]:
        async with self.logbook.noting(Action.INDEX_REBUILT) as facts:
            facts["index"] = what
            try:
                yield
            finally:
                facts["items"] = progress.done

    async def full_text(self, progress: Progress) -> None:
        """Empty full text and build it from the messages; until then it says what it lacks."""
        async with self.clinic.repair() as repairs:
            await repairs.empty_full_text(self.rebuilder.version)
        before = self.rebuilder.built
        self.rebuilder.complete = False
        while not self.rebuilder.complete:
            await self.rebuilder.tick()
            built = self.rebuilder.built - before
            progress.tell(built, built + self.rebuilder.left)
            await asyncio.sleep(_BETWEEN_BATCHES)

    async def label_terms(self) -> None:
        """Index the labels anew; each is found as before until it is its turn."""
        async with self.clinic.repair() as repairs:
            await repairs.begin_labels()
        self.labels.complete = False
        while not self.labels.complete:
            await self.labels.tick()
            await asyncio.sleep(_BETWEEN_BATCHES)

    async def vectors(self, progress: Progress, *, anew: bool = False) -> None:
        """Write every vector again, batch by batch, and take out what does not belong."""
        last: ItemKey | None = ItemKey(0)
        while last is not None:
            async with self.store.observe() as observations:
                keys = await observations.recallable(after=last, limit=_AT_ONCE)
            if anew:
                async with self.clinic.repair() as repairs:
                    await repairs.drop_embeddings(keys)
            async with self.store.project() as projections:
                await projections.enqueue(keys, now=self.clock())
            await self._indexed(keys)
            last = keys[-1] if len(keys) == _AT_ONCE else None
            progress.tell(progress.done + len(keys), progress.done + len(keys))
        await self.healer.heal()

    async def distilled(self, progress: Progress) -> None:
        """Distil every conversation anew, some at a time, then the periods; how many of them."""
        last = ConversationKey(0)
        while keys := await self.consolidator.anew(last):
            last = keys[-1]
            await self._distilled(keys)
            progress.tell(progress.done + len(keys), progress.done + len(keys))
        while await self.consolidator.periods_due():
            await self.consolidator.progress(at_most=_LOOK_AGAIN)

    async def revive(
        self, progress: Progress, *, tenant: TenantId | None = None
    ) -> Mapping[str, Any]:
        """Give what was given up, of one tenant or of all, another try; how many items."""
        async with self.logbook.noting(Action.DEAD_LETTERS_RETRIED, tenant=tenant) as facts:
            async with self.clinic.repair() as repairs:
                revived = await repairs.revive(now=self.clock(), tenant=tenant)
            facts["items"] = revived
        self.indexer.wake()
        progress.tell(revived, revived)
        return {"items": revived}

    async def drained(self) -> None:
        """Wait until full text is built, and the outbox has only what is put off or given up."""
        while not self.rebuilder.complete:
            await self.rebuilder.tick()
            await asyncio.sleep(_BETWEEN_BATCHES)
        self.indexer.wake()
        while True:
            async with self.clinic.inspect() as inspection:
                if not await inspection.due(now=self.clock()):
                    return
            await self.indexer.progress(at_most=_LOOK_AGAIN)

    async def _distilled(self, keys: Sequence[ConversationKey]) -> None:
        """Wait until these are distilled, here or elsewhere, or have failed once."""
        while True:
            async with self.clinic.inspect() as inspection:
                if not await inspection.undistilled_of(keys):
                    return
            await self.consolidator.progress(at_most=_LOOK_AGAIN)

    async def _indexed(self, keys: Sequence[ItemKey]) -> None:
        """Wait until the indexer, here or elsewhere, has seen to these."""
        self.indexer.wake()
        while keys:
            async with self.clinic.inspect() as inspection:
                if not await inspection.untried(keys):
                    return
            await self.indexer.progress(at_most=_LOOK_AGAIN)

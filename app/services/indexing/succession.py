"""Building the vectors of another model while the old one serves, then changing places."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from logging import getLogger

from app.domain.errors import ForewordError
from app.domain.ids import ItemKey
from app.ports import Clock
from app.ports.store import Store
from app.services.indexing.embedding import newly_embedded
from app.services.indexing.generations import Generation, Generations
from app.services.indexing.indexer import point_of, remove_strangers

_log = getLogger(__name__)

_BATCH = 128
_KEYS = 5_000

Retire = Callable[[Sequence[str]], Awaitable[None]]
"""Removes the indexes of all models but these, where they lie."""


@dataclass(slots=True, kw_only=True)
class Successor:
    """
    Fills the coming generation, batch by batch, until a whole pass finds nothing to do.

    What was embedded is kept in SQL, so a restart goes on where it was. What is written meanwhile
    is brought by `follow`, or by the next pass where that fails. Then the place of the old one is
    taken in one step; its vectors are kept, those of models before it are not.
    """

    store: Store
    generations: Generations
    clock: Clock
    retire: Retire
    rest: float = 1.0
    """Seconds between a failure and another try."""
    done: int = field(default=0, init=False)
    total: int = field(default=0, init=False)
    _last: ItemKey = field(default=ItemKey(0), init=False)
    _changed: int = field(default=0, init=False)

    @property
    def building(self) -> Generation | None:
        """The generation that is being filled."""
        if self.generations.coming is not None:
            return self.generations.coming
        return None if self.generations.whole else self.generations.serving

    async def tick(self) -> None:
        """Do a batch. What fails is tried again with the next."""
        generation = self.building
        if generation is None:
            return
        try:
            await self._step(generation)
        except ForewordError as error:
            _log.warning("the next model's vectors are put off", extra={"reason": str(error)})
            await self._mend(generation)
            await asyncio.sleep(self.rest)

    async def _mend(self, generation: Generation) -> None:
        """Open the coming index if it is missing or lost; the one that serves has its own watch."""
        if generation is self.generations.coming:
            with suppress(ForewordError):
                self._changed += await generation.vectors.mend()

    async def follow(self, keys: Sequence[ItemKey]) -> None:
        """
        Bring what was just indexed into the coming generation too; it may fail, and be late.

        Or into the one that took over while it was indexed into the one before.
        """
        ahead = self.generations.ahead
        if ahead is None:
            return
        try:
            await self._fill(ahead, keys)
        except ForewordError as error:
            self._changed += 1
            _log.warning("the next model lags behind", extra={"reason": str(error)})

    async def _step(self, generation: Generation) -> None:
        async with self.store.observe() as observations:
            keys = await observations.recallable(after=self._last, limit=_BATCH)
            if self._last == 0:
                self.done, self._changed = 0, 0
                self.total = await observations.count_recallable()
        self._changed += await self._fill(generation, keys)
        self.done += len(keys)
        self._last = keys[-1] if len(keys) == _BATCH else ItemKey(0)
        if self._last == 0:
            await self._end_of_pass(generation)

    async def _end_of_pass(self, generation: Generation) -> None:
        self._changed += await remove_strangers(self.store, generation.vectors)
        if not self._changed:
            await self._take_over(generation)

    async def _fill(self, generation: Generation, keys: Sequence[ItemKey]) -> int:
        """Make the index of `generation` agree with SQL about `keys`; how many it lacked."""
        embedder, vectors = generation.embedder, generation.vectors
        async with self.store.observe() as observations:
            items = await observations.to_index(keys, model=embedder.model)
        known = await vectors.known(keys)
        wanted = [item for item in items if not item.is_embedded or item.key not in known]
        await vectors.remove(sorted(known - {item.key for item in items}))
        if not wanted:
            return 0
        fresh = await newly_embedded(wanted, embedder)
        dimension = embedder.dimension
        await vectors.upsert([point_of(each, fresh.indexed(each), dimension) for each in wanted])
        async with self.store.project() as projections:
            await projections.keep_vectors(
                fresh.embedded,
                in_context=fresh.in_context,
                model=embedder.model,
                dimension=dimension,
                now=self.clock(),
            )
        async with self.store.observe() as observations:
            belonging = await observations.belonging([each.key for each in wanted])
        await vectors.remove([each.key for each in wanted if each.key not in belonging])
        # One that has a vector may lack that in context for good: models refuse some texts.
        return sum(each.vector is None or each.key not in known for each in wanted)

    async def _take_over(self, generation: Generation) -> None:
        """SQL says who serves, so a crash on either side of the step is no harm."""
        model = generation.embedder.model
        async with self.store.project() as projections:
            before = await projections.serve_model(model)
        if self.generations.coming is generation:
            self.generations.switch()
        self.generations.whole = True
        _log.info("another model serves", extra={"model": model, "before": before})
        kept = [model, *([before] if before else [])]
        await self._forget_others(kept)
        await self.retire(kept)

    async def _forget_others(self, kept: Sequence[str]) -> None:
        """Drop the embeddings of older models, some at a time."""
        more = True
        while more:
            async with self.store.project() as projections:
                more = await projections.forget_models(but=kept, limit=_KEYS)
            await asyncio.sleep(0)

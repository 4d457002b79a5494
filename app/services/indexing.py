"""
Keeping the vector index true to SQL.

An outbox row says "the projections of this item may differ from the truth". The indexer makes them
agree: it embeds and upserts what may be recalled and removes what may not. Doing so twice, late or
out of order ends in the same state, so a crash anywhere is healed by doing it again.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from logging import getLogger

from app.domain.errors import ForewordError
from app.domain.ids import ItemKey
from app.ports import Clock, Embedder, Telemetry, VectorIndex, VectorPoint
from app.ports.projecting import OutboxRow, VectorItem
from app.ports.store import Store
from app.ranking.pool import pack_vector, unpack_vectors

_log = getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexerLimits:
    """Rows per batch, seconds between looks at an idle outbox, tries before a dead letter."""

    batch: int = 64
    idle: float = 0.5
    lease: float = 120.0
    attempts: int = 8
    first_delay: float = 0.5
    longest_delay: float = 60.0
    outage_delay: float = 2.0


@dataclass(slots=True, kw_only=True)
class Indexer:
    """Works off the outbox, in batches, until it is stopped."""

    store: Store
    embedder: Embedder
    vectors: VectorIndex
    telemetry: Telemetry
    clock: Clock
    limits: IndexerLimits = field(default_factory=IndexerLimits)
    _wake: asyncio.Event = field(default_factory=asyncio.Event)
    _progress: asyncio.Condition = field(default_factory=asyncio.Condition)

    def wake(self) -> None:
        """There is work: do not wait for the next look."""
        self._wake.set()

    async def resume(self) -> None:
        """Let nothing wait for a process that was killed, where no other can be at it."""
        async with self.store.project() as projections:
            await projections.release(now=self.clock())

    async def work(self) -> None:
        """Do a batch, or rest until there is something to do. No failure of a part raises."""
        self._wake.clear()
        try:
            worked = await self.work_once()
        except ForewordError as error:
            _log.warning("the outbox cannot be worked off", extra={"reason": str(error)})
            worked = False
        if not worked:
            await self._rest()

    async def _rest(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(self.limits.idle):
                await self._wake.wait()

    async def work_once(self) -> bool:
        """One batch; whether there was anything to do."""
        async with self.store.project() as projections:
            rows = await projections.claim(
                now=self.clock(), limit=self.limits.batch, lease=self.limits.lease
            )
        if not rows:
            return False
        await self._settle(rows)
        async with self._progress:
            self._progress.notify_all()
        return True

    async def progress(self, *, at_most: float) -> None:
        """Wait until a batch is done, or `at_most` seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(at_most), self._progress:
                await self._progress.wait()

    async def _settle(self, rows: Sequence[OutboxRow]) -> None:
        """
        Do the rows together; if that fails, each alone, so that one cannot stop the others.

        A row is given up only when it fails while everything it needs works for others.
        """
        try:
            await self._project(rows)
        except ForewordError as error:
            alive = await self._alive()
            if alive and len(rows) > 1:
                for row in rows:
                    await self._settle([row])
            else:
                await self._put_off(rows, error, outage=not alive)

    async def _alive(self) -> bool:
        try:
            await self.embedder.embed(["alive?"])
            await self.vectors.count()
            async with self.store.observe() as observations:
                await observations.state(now=self.clock())
        except ForewordError:
            return False
        return True

    async def _project(self, rows: Sequence[OutboxRow]) -> None:
        """
        Vectors first, then one transaction that keeps them in SQL and drops the rows.

        A crash in between leaves the rows: the same is done again, with the same end.
        """
        keys = sorted({row.item_key for row in rows})
        async with self.store.observe() as observations:
            items = await observations.to_index(keys, model=self.embedder.model)
        fresh = await self._embed([item for item in items if item.vector is None])
        points = [_point(item, item.vector or fresh[item.key], self.embedder) for item in items]
        await self.vectors.remove(sorted(set(keys) - {point.key for point in points}))
        await self.vectors.upsert(points)
        async with self.store.project() as projections:
            if fresh:
                await projections.keep_vectors(
                    fresh,
                    model=self.embedder.model,
                    dimension=self.embedder.dimension,
                    now=self.clock(),
                )
            gone = await projections.finish(rows)
        # What was deleted while this was under way must not stay behind.
        await self.vectors.remove(sorted(gone))
        self.telemetry.indexed(len(rows))

    async def _embed(self, items: Sequence[VectorItem]) -> dict[ItemKey, bytes]:
        """Packed vectors of items that have none yet."""
        if not items:
            return {}
        vectors = await self.embedder.embed([item.text for item in items])
        return {item.key: pack_vector(row) for item, row in zip(items, vectors, strict=True)}

    async def _put_off(
        self, rows: Sequence[OutboxRow], error: ForewordError, *, outage: bool
    ) -> None:
        tried = max(row.attempts for row in rows)
        delay = min(self.limits.first_delay * 2 ** min(tried, 16), self.limits.longest_delay)
        if outage:
            delay = max(delay, self.limits.outage_delay)
        dead = not outage and tried + 1 >= self.limits.attempts
        _log.warning(
            "indexing failed",
            extra={"reason": str(error), "items": len(rows), "attempt": tried + 1, "dead": dead},
        )
        async with self.store.project() as projections:
            await projections.retry(
                rows,
                due_at=self.clock() + timedelta(seconds=delay),
                error=str(error)[:500],
                tried=not outage,
                dead=dead,
            )


def _point(item: VectorItem, packed: bytes, embedder: Embedder) -> VectorPoint:
    return VectorPoint(
        key=item.key,
        vector=unpack_vectors([packed], embedder.dimension)[0],
        tenant=item.tenant,
        scope=item.scope,
        conversation=item.conversation,
        role=item.role,
        type=item.type,
        created_at=item.created_at,
    )

"""
Keeping the vector index true to SQL.

An outbox row says "the projections of this item may differ from the truth". The indexer makes them
agree: it embeds and upserts what may be recalled and removes what may not. Doing so twice, late or
out of order ends in the same state, so a crash anywhere is healed by doing it again.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import timedelta
from logging import getLogger

from app.domain.errors import ForewordError
from app.domain.ids import ItemKey
from app.ports import Clock, Telemetry, VectorIndex, VectorPoint
from app.ports.embedding import Embedder
from app.ports.projecting import OutboxRow, VectorItem
from app.ports.store import Store
from app.ranking.pool import unpack_vectors
from app.services.common.pacing import Pace, Traffic, backoff
from app.services.indexing.embedding import newly_embedded

_log = getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexerLimits:
    """Rows per batch, seconds between looks at an idle outbox, tries before a dead letter."""

    batch: int = 64
    characters: int = 16_000
    """Of a batch while more waits than it holds; a model reads so many in seconds."""
    idle: float = 0.5
    lease: float = 120.0
    attempts: int = 8
    first_delay: float = 0.5
    longest_delay: float = 60.0
    outage_delay: float = 2.0
    flush: int = 4_000
    """Changes of the vector index after which it is flushed: a killed process replays the rest."""


@dataclass(slots=True, kw_only=True)
class _Lane:
    """From which end of the outbox a batch is taken, and how many rows."""

    latest: bool
    rows: int | None = None
    """None while nothing is known of what waits at this end."""

    def fit(self, items: Sequence[VectorItem], limits: IndexerLimits) -> None:
        """Take as many the next time as can be read in good time, if they are alike."""
        length = sum(len(each.text) for each in items if each.vector is None)
        fitting = limits.characters * len(items) // max(length, 1)
        self.rows = max(1, min(fitting, limits.batch)) if items else None


@dataclass(slots=True, kw_only=True)
class Indexer:
    """
    Works off the outbox, in batches, until it is stopped.

    While more waits than a batch holds, every other batch has what came last: a message of
    megabytes has thousands of pieces, behind which nobody else is to wait. The others have what
    waits longest, so that everything has its turn.
    """

    store: Store
    embedder: Embedder
    vectors: VectorIndex
    telemetry: Telemetry
    clock: Clock
    limits: IndexerLimits = field(default_factory=IndexerLimits)
    hold: Callable[[], AbstractContextManager[None]] = nullcontext
    """Keeps model and index together through a batch."""
    follow: Callable[[Sequence[ItemKey]], Awaitable[None]] | None = None
    """Told of what was indexed: another index may want it too."""
    then: Callable[[], None] = lambda: None
    """Called after a batch: what was indexed may be distilled."""
    traffic: Traffic = field(default_factory=Traffic)
    """Told while more waits than a batch holds: what is stored is to be found first."""
    _pace: Pace = field(default_factory=Pace)
    _lane: _Lane = field(default_factory=lambda: _Lane(latest=False))
    _next_lane: _Lane = field(default_factory=lambda: _Lane(latest=True))
    _leased: Sequence[OutboxRow] = ()
    _unflushed: int = 0
    _outage: bool = False

    def wake(self) -> None:
        """There is work: do not wait for the next look."""
        self._pace.call()

    async def resume(self) -> None:
        """Let nothing wait for a process that was killed, where no other can be at it."""
        async with self.store.project() as projections:
            await projections.release(now=self.clock())

    async def work(self) -> None:
        """Do a batch, or rest until there is something to do. No failure of a part raises."""
        self._outage = False
        self._pace.clear()
        try:
            worked = await self.work_once()
        except ForewordError as error:
            _log.warning("the outbox cannot be worked off", extra={"reason": str(error)})
            worked = False
        if self._outage or not worked:
            await self._pace.rest(at_most=self.limits.idle)

    async def work_once(self) -> bool:
        """One batch; whether there was anything to do."""
        await self.give_back()
        if not await self._is_due():
            return False
        most = self._lane.rows or self._next_lane.rows or self.limits.batch
        async with self.store.project() as projections:
            rows = await projections.claim(
                now=self.clock(),
                limit=most,
                lease=self.limits.lease,
                latest=self._lane.latest,
            )
        if not rows:
            return False
        self._leased = rows
        if more_waits := len(rows) == most:
            self.traffic.seen()
        with self.hold():
            await self._settle(rows)
        self._turn(more_waits=more_waits)
        self._leased = ()
        await self._flush()
        self.then()
        await self._pace.tell()
        return True

    def _turn(self, *, more_waits: bool) -> None:
        """To the other end of what waits; where nothing does, what comes may be of any length."""
        if more_waits or self._lane.latest:
            self._lane, self._next_lane = self._next_lane, self._lane
        if not more_waits:
            self._lane.rows = self._next_lane.rows = None

    async def _is_due(self) -> bool:
        """Asked before anything is claimed: a look takes no lock, and most find nothing."""
        async with self.store.observe() as observations:
            return await observations.items_due(now=self.clock())

    async def give_back(self) -> None:
        """Let nobody wait for the lease of rows that were claimed, but not settled."""
        if self._leased:
            async with self.store.project() as projections:
                await projections.give_back(self._leased, now=self.clock())
            self._leased = ()

    async def progress(self, *, at_most: float) -> None:
        """Wait until a batch is done, or `at_most` seconds."""
        await self._pace.wait(at_most=at_most)

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
        self._lane.fit(items, self.limits)
        fresh = await newly_embedded(items, self.embedder)
        dimension = self.embedder.dimension
        points = [point_of(item, fresh.indexed(item), dimension) for item in items]
        await self.vectors.remove(sorted(set(keys) - {point.key for point in points}))
        await self.vectors.upsert(points)
        async with self.store.project() as projections:
            gone = await projections.finish(rows)
            if fresh.embedded:
                await projections.keep_vectors(
                    fresh.embedded,
                    in_context=fresh.in_context,
                    model=self.embedder.model,
                    dimension=self.embedder.dimension,
                    now=self.clock(),
                )
        # What was deleted while this was under way must not stay behind.
        await self.vectors.remove(sorted(gone))
        if self.follow is not None:
            await self.follow(keys)
        self._unflushed += len(rows)
        self.telemetry.indexed(len(rows))

    async def _flush(self) -> None:
        """Now and then; what is not flushed is not lost, only done again."""
        if self._unflushed < self.limits.flush:
            return
        self._unflushed = 0
        try:
            await self.vectors.flush()
        except ForewordError as error:
            _log.warning("the vector index cannot be flushed", extra={"reason": str(error)})

    async def _put_off(
        self, rows: Sequence[OutboxRow], error: ForewordError, *, outage: bool
    ) -> None:
        self._outage = self._outage or outage
        tried = max(row.attempts for row in rows)
        delay = backoff(tried, first=self.limits.first_delay, longest=self.limits.longest_delay)
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


async def remove_strangers(store: Store, vectors: VectorIndex) -> int:
    """Remove from an index what SQL does not have, or not for recall; how many that was."""
    removed = 0
    async for keys in vectors.keys():
        async with store.observe() as observations:
            belonging = await observations.belonging(keys)
        strangers = [key for key in keys if key not in belonging]
        await vectors.remove(strangers)
        removed += len(strangers)
    return removed


def point_of(item: VectorItem, packed: bytes, dimension: int) -> VectorPoint:
    """An item with its packed vector, as an index takes it."""
    return VectorPoint(
        key=item.key,
        vector=unpack_vectors([packed], dimension)[0],
        tenant=item.tenant,
        scope=item.scope,
        conversation=item.conversation,
        role=item.role,
        type=item.type,
        created_at=item.created_at,
        until=item.until,
    )

"""What works at this moment, part by part."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from app.domain.errors import ForewordError, RerankerBusy
from app.domain.ids import TenantId
from app.ports import Clock, Embedder, Reranker, Telemetry, VectorIndex
from app.ports.projecting import OutboxState
from app.ports.store import Store
from app.services.consolidating import Consolidator
from app.services.healing import Healer
from app.services.rebuilding import Rebuilder
from app.services.sharing import Shared
from app.services.succession import Successor

_PATIENCE = 2.0
"""Seconds that a part may take to answer."""

_REMEMBERED = 15.0
"""Seconds for which a write that was refused is told: what cannot be written may still be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part: `ok`, `healing` or `down`; `facts` such as its lag."""

    status: str
    facts: Mapping[str, object]


Look = Callable[[], Awaitable[Part]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """What waits to be indexed, distilled and summed up, and items that indexing gave up."""

    items: int
    conversations: int
    periods: int
    dead_items: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Readiness:
    store: Store
    embedder: Embedder
    reranker: Reranker | None
    """None where there shall be none."""
    vectors: VectorIndex
    healer: Healer
    rebuilder: Rebuilder
    successor: Successor
    consolidator: Consolidator
    telemetry: Telemetry
    clock: Clock
    damage: Callable[[], ForewordError | None] = lambda: None
    """What a check of the database has found since the start."""
    refusal: Callable[[float], ForewordError | None] = lambda _: None
    """Why the last write was refused, if that was so many seconds ago at most."""
    look_s: float = 0.0
    """Seconds for which a model that answered counts as one that does."""
    _looks: dict[str, Shared[Part]] = field(default_factory=dict)

    async def parts(self) -> Mapping[str, Part]:
        """Every part by name, told to the metrics too. `database` is what requests need."""
        checks = {
            "database": self._database,
            "full_text": self._full_text,
            "embedder": self._shared("embedder", self._embedder),
            "vectors": self._vectors,
            "distilling": self._distilling,
        }
        if self.reranker:
            look = partial(self._reranker, self.reranker)
            checks["reranker"] = self._shared("reranker", look)
        parts = await asyncio.gather(*(_checked(check) for check in checks.values()))
        seen = dict(zip(checks, parts, strict=True))
        self.telemetry.parts_seen({name: part.status for name, part in seen.items()})
        return seen

    def _shared(self, name: str, look: Look) -> Look:
        """Asking a model costs something: done once for all who look at about the same time."""
        if name not in self._looks:
            self._looks[name] = Shared(look=look, seconds=self.look_s, timer=time.monotonic)
        return self._looks[name]

    async def outbox(self, tenant: TenantId | None = None) -> OutboxState:
        """What waits to be indexed or was given up, of one tenant; of all, the metrics hear it."""
        async with self.store.observe() as observations:
            if tenant is not None:
                waiting = await observations.waiting(now=self.clock())
                return waiting.get(tenant, OutboxState(depth=0, oldest_age=0.0, dead=0))
            state = await observations.state(now=self.clock())
        self.telemetry.outbox_seen(depth=state.depth, oldest_age=state.oldest_age, dead=state.dead)
        return state

    async def sizes(self) -> Mapping[str, int]:
        """Bytes in the database by part. To tell them, SQLite goes through its whole file."""
        async with self.store.observe() as observations:
            return await observations.sizes()

    async def backlog(self, tenant: TenantId | None) -> Backlog:
        """What workers have still to do for one tenant, or for all; what of it they gave up."""
        now, outbox = self.clock(), await self.outbox(tenant)
        async with self.store.observe() as observations:
            conversations = await observations.distilling(now=now, tenant=tenant)
            periods = await observations.periods(now=now, tenant=tenant)
        return Backlog(
            items=outbox.depth,
            conversations=conversations.waiting,
            periods=periods.waiting,
            dead_items=outbox.dead,
        )

    async def vector_count(self) -> int | None:
        try:
            return await self.vectors.count()
        except ForewordError:
            return None

    async def _database(self) -> Part:
        if (found := self.damage()) is not None:
            raise found
        state = await self.outbox()
        facts: dict[str, object] = {"lag": 0, "dead_letters": state.dead}
        if (refusal := self.refusal(_REMEMBERED)) is not None:
            return Part(status="healing", facts={**facts, "writes": refusal.title})
        return Part(status="ok", facts=facts)

    async def _full_text(self) -> Part:
        """Full text is written with the messages: it lags only while it is built anew."""
        async with self.store.observe() as observations:
            sound = await observations.full_text_sound()
        status = "ok" if sound and self.rebuilder.complete else "healing"
        return Part(status=status, facts={"lag": self.rebuilder.left})

    async def _embedder(self) -> Part:
        await self.embedder.embed(["ready?"])
        return Part(status="ok", facts={"lag": 0, "model": self.embedder.model})

    async def _reranker(self, reranker: Reranker) -> Part:
        with suppress(RerankerBusy):
            await reranker.score("ready?", ["ready."], seconds=_PATIENCE)
        return Part(status="ok", facts={"lag": 0, "model": reranker.model})

    async def _distilling(self) -> Part:
        state = await self.consolidator.state()
        lag = {"lag": state.waiting + state.periods, "lag_seconds": round(state.oldest_age, 3)}
        return Part(status="ok", facts={**lag, "dead_letters": state.dead})

    async def _vectors(self) -> Part:
        state = await self.outbox()
        facts: dict[str, object] = {
            "lag": state.depth,
            "lag_seconds": round(state.oldest_age, 3),
            "dead_letters": state.dead,
            "points": await self.vectors.count(),
        }
        if (coming := self.successor.building) is not None:
            facts["coming"] = {
                "model": coming.embedder.model,
                "done": self.successor.done,
                "total": self.successor.total,
            }
        well = self.healer.healthy and self.healer.complete
        return Part(status="ok" if well else "healing", facts=facts)


async def _checked(check: Callable[[], Awaitable[Part]]) -> Part:
    try:
        async with asyncio.timeout(_PATIENCE):
            return await check()
    except TimeoutError:
        return Part(status="down", facts={"reason": "no answer in time"})
    except ForewordError as error:
        return Part(status="down", facts={"reason": error.title})

"""What works at this moment, part by part."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from app.domain.errors import ForewordError, RerankerBusy
from app.domain.ids import TenantId
from app.ports import Clock, Telemetry, VectorIndex
from app.ports.embedding import Embedder
from app.ports.language import Reranker
from app.ports.projecting import OutboxState
from app.ports.store import Store
from app.services.distilling.consolidating import Consolidator
from app.services.indexing.healing import Healer
from app.services.indexing.rebuilding import Rebuilder
from app.services.indexing.succession import Successor
from app.services.operating.sharing import Shared

PATIENCE = 2.0
"""Seconds that a part may take to answer."""

_REMEMBERED = 15.0
"""Seconds for which a write that was refused is told: what cannot be written may still be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part: `ok`, `healing` or `down`; `facts` such as its lag, None if it is not known."""

    status: str
    facts: Mapping[str, object]


Facts = dict[str, object]

Check = Callable[[Facts], Awaitable[str]]
"""Puts what it learns into the facts, as it learns it, and answers with a status."""

Look = Callable[[], Awaitable[None]]
"""Asks a part that costs something to ask; what does not answer raises its error."""


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
    """Seconds for which a reranker that answered counts as one that does."""
    embedder_look_s: float = 0.0
    """The same of the embedder: one behind HTTP may want money for each answer."""
    semantic_missed_at: Callable[[], float | None] = lambda: None
    """When a search went without vectors last, by the monotonic clock: a reason to look anew."""
    _looks: dict[str, Shared[None]] = field(default_factory=dict)
    _looked_at: dict[str, float] = field(default_factory=dict)

    async def parts(self) -> Mapping[str, Part]:
        """Every part by name, told to the metrics too. `database` is what requests need."""
        checks: dict[str, Check] = {
            "database": self._database,
            "full_text": self._full_text,
            "embedder": self._embedder,
            "vectors": self._vectors,
            "distilling": self._distilling,
        }
        if self.reranker:
            checks["reranker"] = partial(self._reranker, self.reranker)
        parts = await asyncio.gather(*(_checked(check) for check in checks.values()))
        seen = dict(zip(checks, parts, strict=True))
        self.telemetry.parts_seen({name: part.status for name, part in seen.items()})
        return seen

    def _shared(self, name: str, look: Look, seconds: float) -> Look:
        """Asking a model costs something: done once for all who look at about the same time."""
        if name not in self._looks:
            self._looks[name] = Shared(look=look, seconds=seconds, timer=time.monotonic)
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

    async def _database(self, facts: Facts) -> str:
        facts["lag"] = 0
        if (found := self.damage()) is not None:
            raise found
        facts["dead_letters"] = (await self.outbox()).dead
        if (refusal := self.refusal(_REMEMBERED)) is not None:
            facts["writes"] = refusal.title
            return "healing"
        return "ok"

    async def _full_text(self, facts: Facts) -> str:
        """Full text is written with the messages: it lags only while it is built anew."""
        facts["lag"] = self.rebuilder.left
        async with self.store.observe() as observations:
            sound = await observations.full_text_sound()
        return "ok" if sound and self.rebuilder.complete else "healing"

    async def _embedder(self, facts: Facts) -> str:
        facts.update(lag=0, model=self.embedder.model)
        missed_at = self.semantic_missed_at()
        if missed_at is not None and missed_at > self._looked_at.get("embedder", missed_at):
            self._looks.pop("embedder", None)
        await self._shared("embedder", self._embed, self.embedder_look_s)()
        return "ok"

    async def _embed(self) -> None:
        self._looked_at["embedder"] = time.monotonic()
        await self.embedder.embed(["ready?"])

    async def _reranker(self, reranker: Reranker, facts: Facts) -> str:
        facts.update(lag=0, model=reranker.model)
        await self._shared("reranker", partial(_score, reranker), self.look_s)()
        return "ok"

    async def _distilling(self, facts: Facts) -> str:
        state = await self.consolidator.state()
        facts.update(
            lag=state.waiting + state.periods,
            lag_seconds=round(state.oldest_age, 3),
            dead_letters=state.dead,
        )
        return "ok"

    async def _vectors(self, facts: Facts) -> str:
        """What waits for the index lies in the database: told too while the index is down."""
        state = await self.outbox()
        facts.update(
            lag=state.depth, lag_seconds=round(state.oldest_age, 3), dead_letters=state.dead
        )
        if (coming := self.successor.building) is not None:
            facts["coming"] = {
                "model": coming.embedder.model,
                "done": self.successor.done,
                "total": self.successor.total,
            }
        facts["points"] = await self.vectors.count()
        return "ok" if self.healer.healthy and self.healer.complete else "healing"


async def _score(reranker: Reranker) -> None:
    with suppress(RerankerBusy):
        await reranker.score("ready?", ["ready."], seconds=PATIENCE)


async def _checked(check: Check) -> Part:
    """What a part that is down still lets us know stays told, beside the reason."""
    facts: Facts = {"lag": None}
    try:
        async with asyncio.timeout(PATIENCE):
            return Part(status=await check(facts), facts=facts)
    except TimeoutError:
        return Part(status="down", facts={**facts, "reason": "no answer in time"})
    except ForewordError as error:
        return Part(status="down", facts={**facts, "reason": error.title})

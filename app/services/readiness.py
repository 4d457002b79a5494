"""What works at this moment, part by part."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from app.domain.errors import ForewordError
from app.ports import Clock, Embedder, Telemetry, VectorIndex
from app.ports.projecting import OutboxState
from app.ports.store import Store
from app.services.healing import Healer
from app.services.rebuilding import Rebuilder

_PATIENCE = 2.0
"""Seconds that a part may take to answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part: `ok`, `healing` or `down`; `facts` such as its lag."""

    status: str
    facts: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Readiness:
    store: Store
    embedder: Embedder
    vectors: VectorIndex
    healer: Healer
    rebuilder: Rebuilder
    telemetry: Telemetry
    clock: Clock

    async def parts(self) -> Mapping[str, Part]:
        """Every part by name. Requests can be served while `database` is ok."""
        checks = {
            "database": self._database,
            "full_text": self._full_text,
            "embedder": self._embedder,
            "vectors": self._vectors,
        }
        parts = await asyncio.gather(*(_checked(check) for check in checks.values()))
        return dict(zip(checks, parts, strict=True))

    async def outbox(self) -> OutboxState:
        """The state of the outbox, told to the metrics too."""
        async with self.store.observe() as projections:
            state = await projections.state(now=self.clock())
        self.telemetry.outbox_seen(depth=state.depth, oldest_age=state.oldest_age, dead=state.dead)
        return state

    async def vector_count(self) -> int | None:
        try:
            return await self.vectors.count()
        except ForewordError:
            return None

    async def _database(self) -> Part:
        state = await self.outbox()
        return Part(status="ok", facts={"lag": 0, "dead_letters": state.dead})

    async def _full_text(self) -> Part:
        """Full text is written with the messages: it lags only while it is built anew."""
        async with self.store.observe() as projections:
            await projections.full_text_answers()
        status = "ok" if self.rebuilder.complete else "healing"
        return Part(status=status, facts={"lag": self.rebuilder.left})

    async def _embedder(self) -> Part:
        await self.embedder.embed(["ready?"])
        return Part(status="ok", facts={"lag": 0, "model": self.embedder.model})

    async def _vectors(self) -> Part:
        state = await self.outbox()
        facts = {
            "lag": state.depth,
            "lag_seconds": round(state.oldest_age, 3),
            "dead_letters": state.dead,
            "points": await self.vectors.count(),
        }
        return Part(status="ok" if self.healer.healthy else "healing", facts=facts)


async def _checked(check: Callable[[], Awaitable[Part]]) -> Part:
    try:
        async with asyncio.timeout(_PATIENCE):
            return await check()
    except TimeoutError:
        return Part(status="down", facts={"reason": "no answer in time"})
    except ForewordError as error:
        return Part(status="down", facts={"reason": error.title})

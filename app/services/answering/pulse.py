"""The pulse: by minute and tenant, what the cache answered and the most that waited."""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from logging import getLogger

from app.domain.errors import ForewordError
from app.domain.ids import TenantId
from app.ports import Clock
from app.ports.measuring import Beat
from app.ports.projecting import OutboxState
from app.ports.store import Store

_log = getLogger(__name__)

_NOTHING = OutboxState(depth=0, oldest_age=0.0, dead=0)


@dataclass(slots=True)
class _Served:
    answers: int = 0
    ms: float = 0.0


@dataclass(slots=True, kw_only=True)
class Pulse:
    """Counts in memory and writes now and then: an answer from the cache waits for no write."""

    store: Store
    clock: Clock
    _served: defaultdict[TenantId, _Served] = field(default_factory=lambda: defaultdict(_Served))
    _told: dict[TenantId, tuple[datetime, int, int]] = field(default_factory=dict)
    """By tenant: the minute that was written last, and what waited and was dead in it."""

    def served(self, tenant: TenantId, seconds: float) -> None:
        """Count an answer from the cache."""
        served = self._served[tenant]
        served.answers += 1
        served.ms += seconds * 1_000

    async def tick(self) -> None:
        """Write what came since the last time; if that fails it waits on."""
        try:
            await self._write()
        except ForewordError as error:
            _log.warning("the pulse waits", extra={"reason": str(error)})

    async def _write(self) -> None:
        now = self.clock()
        async with self.store.observe() as observations:
            waiting = await observations.waiting(now=now)
        minute = now.replace(second=0, microsecond=0)
        served = dict(self._served)
        states = {each: waiting.get(each, _NOTHING) for each in waiting.keys() | served.keys()}
        beats = [
            _beat(tenant, minute, served.get(tenant, _Served()), states[tenant])
            for tenant in sorted(states)
            if tenant in served or self._is_news(tenant, minute, states[tenant])
        ]
        if not beats:
            return
        told = {each.tenant: _Served(each.cached, each.cached_ms) for each in beats}
        async with self.store.project() as projections:
            await projections.keep_beats(beats)
        self._told |= {each.tenant: (minute, each.waiting, each.dead) for each in beats}
        self._forget(told)

    def _is_news(self, tenant: TenantId, minute: datetime, state: OutboxState) -> bool:
        """Whether more waits than is written of this minute: nothing is written again and again."""
        at, waiting, dead = self._told.get(tenant, (None, 0, 0))
        return at != minute or state.depth > waiting or state.dead > dead

    def _forget(self, told: dict[TenantId, _Served]) -> None:
        """Take off what is written; answers that came meanwhile stay."""
        for tenant, written in told.items():
            if (served := self._served.get(tenant)) is None:
                continue
            served.answers -= written.answers
            served.ms -= written.ms
            if served.answers == 0:
                del self._served[tenant]


def _beat(tenant: TenantId, minute: datetime, served: _Served, state: OutboxState) -> Beat:
    return Beat(
        tenant=tenant,
        at=minute,
        cached=served.answers,
        cached_ms=served.ms,
        waiting=state.depth,
        oldest_s=state.oldest_age,
        dead=state.dead,
    )

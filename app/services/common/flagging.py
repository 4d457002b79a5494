"""The flags of tenants, as they are needed with every request."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field

from app.domain.audit import Action, Deed
from app.domain.flags import Flags, FlagState
from app.domain.ids import TenantId
from app.ports import Clock
from app.ports.store import Snapshot, Store

_FRESH = 1.0
"""Seconds for which a copy serves those who read no version along the way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Copy:
    state: FlagState
    read_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagBoard:
    """
    A copy of each tenant's flags in this process.

    Every scope that is read brings the version of its tenant's flags along: a change that was
    committed anywhere is seen by the next context here, at the cost of no statement.
    """

    store: Store
    clock: Clock
    unavailable: Mapping[str, str] = field(default_factory=dict)
    """Flags that change nothing here, and why."""
    timer: Callable[[], float] = time.monotonic
    _copies: dict[TenantId, _Copy] = field(default_factory=dict)

    async def at(self, version: int, tenant: TenantId, snapshot: Snapshot) -> Flags:
        """The flags at `version`, or later ones; read only where the copy is another one."""
        if version == 0:
            return Flags()
        known = self._copies.get(tenant)
        if known is not None and known.state.version == version:
            return known.state.flags
        return self._keep(tenant, await snapshot.flags.get())

    async def current(self, tenant: TenantId) -> Flags:
        """The flags of at most a second ago; those that were changed in this process, at once."""
        known = self._copies.get(tenant)
        if known is not None and self.timer() - known.read_at < _FRESH:
            return known.state.flags
        async with self.store.read(tenant) as snapshot:
            return self._keep(tenant, await snapshot.flags.get())

    async def in_force(self, tenant: TenantId) -> Mapping[str, bool | int]:
        """What holds by name, where a part that is not there is off."""
        flags = asdict(await self.current(tenant))
        return flags | dict.fromkeys(self.unavailable, False)

    async def change(
        self, tenant: TenantId, given: Mapping[str, bool | int], *, reset: Sequence[str]
    ) -> Flags:
        """Set what is given; for `reset` the defaults hold again."""
        if not (given or reset):
            return await self.current(tenant)
        async with self.store.write(tenant) as transaction:
            now = self.clock()
            state = await transaction.flags.change(given, reset=reset, now=now)
            facts = {**given, **dict.fromkeys(reset)}
            deed = Deed(action=Action.FLAGS_CHANGED, subject=f"tenant:{tenant}", facts=facts)
            await transaction.audit.note(deed, now=now)
        return self._keep(tenant, state)

    def _keep(self, tenant: TenantId, state: FlagState) -> Flags:
        known = self._copies.get(tenant)
        if known is None or known.state.version <= state.version:
            self._copies[tenant] = _Copy(state=state, read_at=self.timer())
        return state.flags

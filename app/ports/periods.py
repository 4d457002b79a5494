"""What summing up days, weeks, months and years needs of the store."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol
from uuid import UUID

from app.domain.conversation import Message
from app.domain.ids import ScopeKey, TenantId
from app.domain.memories import Memory
from app.domain.periods import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class DuePeriod:
    """
    A note that the summary of a period is to be looked at; `revision` when it was read.

    `leased_until`: so long nobody else takes it.
    """

    tenant: TenantId
    scope: ScopeKey
    span: Span
    revision: int
    attempts: int
    leased_until: datetime | None = field(default=None, compare=False)

    def is_over(self, now: datetime) -> bool:
        """Whether others may have taken it meanwhile."""
        return self.leased_until is not None and self.leased_until <= now


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodMaterial:
    """
    What the summary of a period is made of, and the one that there is.

    `below` are summaries of smaller periods inside, of which none lies in another, and `cited` what
    these were made of; `said` is what was said beside them, or the most important of much. `tokens`
    are of what users and assistants said in the period, of much of some of it.
    """

    user_id: str | None
    tokens: int
    before: Memory | None
    below: Sequence[Memory] = ()
    cited: Sequence[Message] = ()
    said: Sequence[Message] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodsState:
    """
    Periods that are over and wait, also for another try; seconds that the oldest of them waits; and
    those that were given up.
    """

    waiting: int
    oldest_age: float
    dead: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenUpPeriod:
    """A period of a user that is not summed up any more, and why."""

    id: UUID
    user_id: str | None
    span: Span
    noted_at: datetime
    attempts: int
    error: str


class PeriodObservations(Protocol):
    async def period_material(
        self, due: DuePeriod, *, least: int, messages: int, tokens: int, now: datetime
    ) -> PeriodMaterial:
        """
        What was said in a period, of conversations that are not archived.

        Where that is less than `least` tokens, nothing of it is read; of more, beside what lies
        below, at most so many messages and tokens.
        """
        ...

    async def periods_due(self, *, now: datetime) -> int:
        """How many periods a worker would take now, or is at."""
        ...

    async def periods(self, *, now: datetime, tenant: TenantId | None = None) -> PeriodsState:
        """How far it is with the periods of one tenant, or of all."""
        ...


class PeriodProjections(Protocol):
    async def claim_periods(
        self, *, now: datetime, limit: int, lease: float
    ) -> Sequence[DuePeriod]:
        """
        Take due periods for `lease` seconds; of tenants that want no summaries, none.

        A period is taken only once none inside of it waits; one that was given up keeps none
        waiting.
        """
        ...

    async def release_periods(self) -> None:
        """Let go what is claimed, if this is the only process of the database."""
        ...

    async def leave_periods(
        self,
        several: Sequence[DuePeriod],
        *,
        due_at: datetime,
        error: str | None = None,
        dead: bool = False,
    ) -> None:
        """
        Let others take these from `due_at` on; an `error` counts as an attempt of theirs.

        What was claimed again since, or is done, stays as it is.
        """
        ...


class PeriodReader(Protocol):
    async def given_up(self) -> Sequence[GivenUpPeriod]:
        """The tenant's periods that were given up, newest first, at most 100."""
        ...


class PeriodWriter(Protocol):
    async def note(self, scope: ScopeKey, spans: Sequence[Span], *, now: datetime) -> None:
        """Note that the summaries of these are to be looked at once they are over."""
        ...

    async def settle(self, due: DuePeriod) -> None:
        """
        Note that the summary of a period is as it should be.

        Raises:
            Overtaken: Something of it changed since it was read.
        """
        ...

    async def revive(self, note: UUID, *, now: datetime) -> GivenUpPeriod:
        """
        Give what was given up another try.

        Raises:
            JobNotFound: Nothing was given up under this id in this tenant.
        """
        ...

"""
Summing up days, weeks, months and years behind the answers, once they are over.

A note says "of this period something was said, or unsaid, that its summary may not tell". Periods
come behind the conversations, small ones before those that they lie in; one that keeps failing is
given up, and keeps no larger one waiting. What is made takes the place of what was there; the same
twice changes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from logging import getLogger
from typing import ClassVar

from app.domain.errors import Overtaken
from app.domain.periods import Span, spans_of
from app.ports import Clock
from app.ports.periods import DuePeriod
from app.ports.store import Store, Transaction
from app.services.common.pacing import Traffic, backoff
from app.services.distilling.periods import PeriodSummariser
from app.services.distilling.step import OUTAGES, Portion, Write, reason_told

_log = getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PeriodStep:
    """Notes in which periods the messages of a portion were said; it takes no lock but that."""

    by_message: ClassVar[bool] = True

    async def distil(self, portion: Portion) -> Write | None:
        spans = _spans(portion)
        if not spans:
            return None

        async def write(transaction: Transaction) -> None:
            await transaction.periods.note(portion.conversation.scope, spans, now=portion.now)

        return write


def _spans(portion: Portion) -> Sequence[Span]:
    return list({span for each in portion.messages for span in spans_of(each.created_at)})


@dataclass(frozen=True, slots=True, kw_only=True)
class CascadeLimits:
    """
    Periods claimed at once, tries before one is given up; times in seconds. The delay after a
    failure doubles each time.
    """

    batch: int = 8
    attempts: int = 5
    lease: float = 300.0
    first_delay: float = 1.0
    longest_delay: float = 3_600.0
    outage_delay: float = 2.0


@dataclass(slots=True, kw_only=True)
class Cascade:
    """Works off the notes, some at a time."""

    store: Store
    summariser: PeriodSummariser
    clock: Clock
    traffic: Traffic = field(default_factory=Traffic)
    """To which it gives way."""
    limits: CascadeLimits = field(default_factory=CascadeLimits)
    _leased: list[DuePeriod] = field(default_factory=list)

    async def resume(self) -> None:
        """Let nothing wait for a process that was killed, where no other can be at it."""
        async with self.store.project() as projections:
            await projections.release_periods()

    async def work_once(self) -> bool:
        """Some periods that are over; whether there were any."""
        await self.give_back()
        async with self.store.project() as projections:
            due = await projections.claim_periods(
                now=self.clock(), limit=self.limits.batch, lease=self.limits.lease
            )
        self._leased = list(due)
        for each in due:
            async with self.traffic.giving_way():
                if not each.is_over(self.clock()):  # else others may be at it
                    await self._settle(each)
                self._leased.remove(each)
        return bool(due)

    async def give_back(self) -> None:
        """Let nobody wait for the lease of periods that were claimed, but not settled."""
        if self._leased:
            await self._put_off(self._leased)
            self._leased = []

    async def _settle(self, due: DuePeriod) -> None:
        """Sum one period up; what fails there stops no other."""
        try:
            gist = await self.summariser.gist(due)
            async with self.store.write(due.tenant) as transaction:
                await self.summariser.keep(transaction, gist)
        except Overtaken:
            await self._put_off([due])
        except OUTAGES as error:
            _log.warning("summing up is put off", extra={"reason": str(error)})
            await self._put_off([due], delay=self.limits.outage_delay)
        except Exception as error:  # noqa: BLE001  (told with the period; the others go on)
            _log.warning("summing up failed", exc_info=error, extra={"attempt": due.attempts + 1})
            await self._fail(due, error)

    async def _fail(self, due: DuePeriod, error: Exception) -> None:
        limits = self.limits
        await self._put_off(
            [due],
            delay=backoff(due.attempts, first=limits.first_delay, longest=limits.longest_delay),
            error=reason_told(error),
            dead=due.attempts + 1 >= limits.attempts,
        )

    async def _put_off(
        self,
        several: Sequence[DuePeriod],
        *,
        delay: float = 0.0,
        error: str | None = None,
        dead: bool = False,
    ) -> None:
        async with self.store.project() as projections:
            due_at = self.clock() + timedelta(seconds=delay)
            await projections.leave_periods(several, due_at=due_at, error=error, dead=dead)

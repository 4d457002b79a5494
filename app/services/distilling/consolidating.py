"""
Distilling conversations behind the answers.

A note says "something was said, or unsaid, in this conversation". The consolidator reads the
messages behind the mark up to which it is distilled, a portion at a time, lets every step find what
there is to find, and writes that together with the new mark. A crash anywhere leaves the note: the
same is done again, with the same end.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from logging import getLogger
from time import perf_counter
from uuid import UUID

from app.domain.audit import Action, Deed, subject, user_subject
from app.domain.errors import ConversationNotFound, ForewordError, JobNotFound, Overtaken
from app.domain.ids import ConversationKey, TenantId
from app.ports import Clock, Telemetry
from app.ports.distilling import DistillingState, DueConversation, GivenUp, Undistilled
from app.ports.periods import GivenUpPeriod
from app.ports.store import Store, Transaction
from app.services.common.flagging import FlagBoard
from app.services.common.pacing import Pace, Traffic, backoff
from app.services.distilling.cascading import Cascade
from app.services.distilling.sparing import Care
from app.services.distilling.step import OUTAGES, Portion, Step, reason_told, writes_of
from app.services.distilling.turns import write_in_turns

_log = getLogger(__name__)

_ANEW_AT_ONCE = 100

Letter = GivenUp | GivenUpPeriod
"""What was given up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsolidatorLimits:
    """
    Conversations claimed at once, batches of them between two turns of periods, messages and tokens
    of a portion, tries of it until what fails is left out; times in seconds.
    """

    batch: int = 16
    between_periods: int = 8
    messages: int = 200
    tokens: int = 40_000
    idle: float = 2.0
    lease: float = 300.0
    attempts: int = 5
    first_delay: float = 1.0
    longest_delay: float = 300.0
    outage_delay: float = 2.0


@dataclass(slots=True, kw_only=True)
class Consolidator:
    """Works off the notes, conversation by conversation, until it is stopped."""

    store: Store
    flags: FlagBoard
    telemetry: Telemetry
    clock: Clock
    steps: Sequence[Step] = ()
    limits: ConsolidatorLimits = field(default_factory=ConsolidatorLimits)
    cascade: Cascade | None = None
    """Sums up what lies beyond one conversation."""
    then: Callable[[], None] = lambda: None
    """Called after a batch: what was distilled is to be indexed."""
    traffic: Traffic = field(default_factory=Traffic)
    """To which it gives way."""
    _pace: Pace = field(default_factory=Pace)
    _leased: list[DueConversation] = field(default_factory=list)
    _passed_over: int = 0
    """Batches of conversations since periods had their turn."""

    def wake(self) -> None:
        """There is work: do not wait for the next look."""
        self._pace.call()

    async def resume(self) -> None:
        """Let nothing wait for a process that was killed, where no other can be at it."""
        async with self.store.project() as projections:
            await projections.release_conversations()
        if self.cascade is not None:
            await self.cascade.resume()

    async def work(self) -> None:
        """Do a batch, or rest until there is something to do. No failure of a part raises."""
        self._pace.clear()
        try:
            worked = await self.work_once()
        except ForewordError as error:
            _log.warning("nothing can be distilled", extra={"reason": str(error)})
            worked = False
        if not worked:
            await self._pace.rest(at_most=self.limits.idle)

    async def work_once(self) -> bool:
        """
        A portion of each conversation of a batch; where none waits, or many batches came before
        them, some periods. Whether there was anything to do.
        """
        await self.give_back()
        if not await self._is_due():
            return False
        async with self.store.project() as projections:
            due = await projections.claim_conversations(
                now=self.clock(), limit=self.limits.batch, lease=self.limits.lease
            )
        self._leased = list(due)
        for each in due:
            async with self.traffic.giving_way():
                if not each.is_over(self.clock()):  # else others may be at it
                    await self._settle(each)
                self._leased.remove(each)
        worked = bool(due)
        self._passed_over += 1
        if not due or self._passed_over >= self.limits.between_periods:
            self._passed_over = 0
            worked = await self._sum_up_periods() or worked
        if worked:
            self.then()
        await self._pace.tell()
        return worked

    async def _is_due(self) -> bool:
        """Asked before anything is claimed: a look takes no lock, and most find nothing."""
        async with self.store.observe() as observations:
            return await observations.notes_due(now=self.clock())

    async def _sum_up_periods(self) -> bool:
        """
        Behind the conversations, since each of them may change what a period comes down to; but not
        for ever, or where they keep coming no period would be summed up.
        """
        return self.cascade is not None and await self.cascade.work_once()

    async def give_back(self) -> None:
        """Let nobody wait for the lease of conversations that were claimed, but not settled."""
        if self._leased:
            async with self.store.project() as projections:
                await projections.leave_conversations(self._leased, due_at=self.clock())
            self._leased = []
        if self.cascade is not None:
            await self.cascade.give_back()

    async def progress(self, *, at_most: float) -> None:
        """Wait until a batch is done, or `at_most` seconds."""
        await self._pace.wait(at_most=at_most)

    async def state(self) -> DistillingState:
        """How far it is, told to the metrics too."""
        async with self.store.observe() as observations:
            state = await observations.distilling(now=self.clock())
            periods = await observations.periods(now=self.clock())
        state = replace(
            state,
            periods=periods.waiting,
            oldest_age=max(state.oldest_age, periods.oldest_age),
            dead=state.dead + periods.dead,
        )
        self.telemetry.distilling_seen(
            waiting=state.waiting,
            periods=state.periods,
            oldest_age=state.oldest_age,
            dead=state.dead,
        )
        return state

    async def periods_due(self) -> int:
        """How many periods are to be summed up now: not those that wait for another try."""
        async with self.store.observe() as observations:
            return await observations.periods_due(now=self.clock())

    async def anew(self, after: ConversationKey) -> Sequence[ConversationKey]:
        """Have some conversations behind `after` distilled once more; which."""
        async with self.store.project() as projections:
            keys = await projections.distil_anew(after=after, limit=_ANEW_AT_ONCE, now=self.clock())
        self.wake()
        return keys

    async def given_up(self, tenant: TenantId) -> Sequence[Letter]:
        """Conversations and periods, the newest of each first."""
        async with self.store.read(tenant) as snapshot:
            return [*await snapshot.distilling.given_up(), *await snapshot.periods.given_up()]

    async def revive(self, tenant: TenantId, note: UUID) -> Letter:
        """
        Give a conversation or a period that was given up another try.

        Raises:
            JobNotFound: None was given up under this id.
        """
        async with self.store.write(tenant) as transaction:
            revived = await self._revive(transaction, note)
            deed = Deed(
                action=Action.DEAD_LETTERS_RETRIED,
                subject=_subject(tenant, revived),
                facts={"items": 1},
            )
            await transaction.audit.note(deed, now=self.clock())
        self.wake()
        return revived

    async def _revive(self, transaction: Transaction, note: UUID) -> Letter:
        try:
            return await transaction.distilling.revive(note, now=self.clock())
        except JobNotFound:
            return await transaction.periods.revive(note, now=self.clock())

    async def _settle(self, due: DueConversation) -> None:
        """Distil a portion of one conversation; what fails there stops no other."""
        try:
            await self._distil(due)
        except Overtaken:
            await self._put_off(due, delay=0.0)
        except ConversationNotFound:
            _log.info("a conversation was deleted while it was distilled")
        except OUTAGES as error:
            _log.warning("distilling is put off", extra={"reason": str(error)})
            await self._put_off(due, delay=self.limits.outage_delay)
        except Exception as error:  # noqa: BLE001  (told with the conversation; the others go on)
            _log.warning("distilling failed", exc_info=error, extra={"attempt": due.attempts + 1})
            await self._fail(due, error)

    async def _distil(self, due: DueConversation) -> None:
        began = perf_counter()
        async with self.store.observe() as observations:
            found = await observations.undistilled(
                due, messages=self.limits.messages, tokens=self.limits.tokens
            )
        if found is None:
            async with self.store.write(due.tenant) as transaction:
                await transaction.distilling.rest(due)
            return
        portion = await self._portion(due, found)
        if due.attempts + 1 < self.limits.attempts:
            await self._at_once(due, found, portion)
        else:
            await self._with_care(due, found, portion)
        self.telemetry.distilled(len(found.messages), perf_counter() - began)

    async def _at_once(self, due: DueConversation, found: Undistilled, portion: Portion) -> None:
        """All of it, and the mark with the last of it."""
        writes = writes_of([await step.distil(portion) for step in self.steps])

        async def end(transaction: Transaction) -> None:
            await transaction.distilling.leave_out(due, found, {})
            await transaction.distilling.advance(due, found, now=self.clock())

        await write_in_turns(self.store, due, found, [*writes, end])

    async def _with_care(self, due: DueConversation, found: Undistilled, portion: Portion) -> None:
        """The last try: what fails is left out until it is asked for, or something is said."""
        care = Care(store=self.store, due=due, found=found)
        error = await care.distil(self.steps, portion)
        tried = replace(due, attempts=min(due.attempts + 1, self.limits.attempts))
        async with self.store.write(due.tenant) as transaction:
            await transaction.distilling.hold(due, found)
            await transaction.distilling.advance(tried, found, now=self.clock(), error=error)

    async def _portion(self, due: DueConversation, found: Undistilled) -> Portion:
        return Portion(
            tenant=due.tenant,
            conversation=found.conversation,
            messages=found.messages,
            last=not found.more,
            flags=await self.flags.current(due.tenant),
            now=self.clock() if due.anew_at is None else max(self.clock(), due.anew_at),
            anew_at=due.anew_at,
        )

    async def _fail(self, due: DueConversation, error: Exception) -> None:
        limits = self.limits
        await self._put_off(
            due,
            delay=backoff(due.attempts, first=limits.first_delay, longest=limits.longest_delay),
            error=reason_told(error),
            dead=due.attempts + 1 >= limits.attempts,
        )

    async def _put_off(
        self, due: DueConversation, *, delay: float, error: str | None = None, dead: bool = False
    ) -> None:
        async with self.store.project() as projections:
            await projections.leave_conversations(
                [due], due_at=self.clock() + timedelta(seconds=delay), error=error, dead=dead
            )


def _subject(tenant: TenantId, letter: Letter) -> str:
    """As the audit log names what was given up."""
    if isinstance(letter, GivenUp):
        return subject("conversation", letter.conversation_id)
    return user_subject(tenant, letter.user_id)

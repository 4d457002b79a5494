"""Memory for a request that passes through the proxy: in time, or not at all."""

import asyncio
from dataclasses import dataclass, field, replace
from logging import getLogger
from uuid import UUID

from app.domain.chat import Outcome, Party, Question, Recollection
from app.domain.context import DEFAULT_BUDGET, ContextBundle, ContextRequest, Format
from app.domain.errors import ConversationNotFound, ForewordError
from app.domain.ids import ConversationId, TenantId
from app.ports import Telemetry
from app.ports.store import Store
from app.services.answering.cached import CachedForge
from app.services.common.unawaited import Unawaited

_log = getLogger(__name__)

_READ_OF_QUERY = 4_000
"""Characters of the beginning, and of the end, of what a user said: it asks there."""

MOST_LATE = 100
"""
Recollections that came too late and have not ended yet; while there are so many no further one is
begun, which would be late as well, and make those that are on their way later still.
"""

_FAREWELL = 5.0
"""Seconds that what came too late gets at the end."""

_OF_DEADLINE = 0.8
"""What a source may take of the time there is: what the others found is still of use then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompter:
    """Recalls what belongs in front of a request, whatever happens to memory meanwhile."""

    store: Store
    forge: CachedForge
    telemetry: Telemetry
    deadline: float
    """Seconds until a request goes on without."""
    _late: Unawaited = field(default_factory=Unawaited)

    async def drain(self) -> None:
        """Wait for what came too late: what it reads from must not be closed under it."""
        await self._late.drain(_FAREWELL)

    async def recollect(self, tenant: TenantId, question: Question) -> Recollection:
        """
        What is to be put in front.

        What comes too late is left to end by itself: nobody waits for it any more. Where MOST_LATE
        have not ended yet, this one is late at once.

        Raises:
            ConversationNotFound: The conversation is another user's.
        """
        found = await self._in_time(tenant, question)
        self.telemetry.passed_through(found.outcome)
        return found

    async def _in_time(self, tenant: TenantId, question: Question) -> Recollection:
        if question.budget_tokens == 0:
            return Recollection(outcome=Outcome.OFF)
        if not question.query:
            return Recollection(outcome=Outcome.EMPTY)
        if len(self._late) >= MOST_LATE:
            return Recollection(outcome=Outcome.LATE)
        task = asyncio.create_task(self._bundle(tenant, question))
        if not await self._ends_in_time(task):
            return Recollection(outcome=Outcome.LATE)
        try:
            return _recollection(task.result())
        except ConversationNotFound:
            raise
        except ForewordError as error:
            _log.warning("passed on without memory", extra={"reason": error.title})
        except Exception:  # noqa: BLE001  (memory must not cost anybody their answer)
            _log.exception("passed on without memory")
        return Recollection(outcome=Outcome.FAILED)

    async def _ends_in_time(self, task: asyncio.Task[ContextBundle]) -> bool:
        """Whether it does; what does not is held until it ends, also where the caller goes."""
        try:
            await asyncio.wait({task}, timeout=self.deadline)
        finally:
            if not task.done():
                self._late.hold(task)
        return task.done()

    async def _bundle(self, tenant: TenantId, question: Question) -> ContextBundle:
        party = await known_party(self.store, tenant, question.party)
        return await self.forge.bundle(tenant, self._request(replace(question, party=party)))

    def _request(self, question: Question) -> ContextRequest:
        budget, query, party = question.budget_tokens, question.query, question.party
        if len(query) > 2 * _READ_OF_QUERY:
            query = f"{query[:_READ_OF_QUERY]}\n{query[-_READ_OF_QUERY:]}"
        return ContextRequest(
            query=query,
            user_id=party.user_id,
            conversation_id=party.conversation_id,
            conversation_external_id=None if party.conversation_id else party.conversation,
            may_begin=True,
            budget_tokens=DEFAULT_BUDGET if budget is None else budget,
            budget_named=budget is not None,
            deadline=self.deadline * _OF_DEADLINE,
            format=Format.MARKDOWN,
            shown=question.shown,
        )


async def known_party(store: Store, tenant: TenantId, party: Party) -> Party:
    """
    `party`, with the conversation of which it gave the id, if there is one under it.

    Raises:
        ConversationNotFound: That is another user's.
        StoreUnavailable: The database does not answer.
    """
    wanted = _as_id(party.conversation)
    if wanted is None:
        return party
    async with store.read(tenant) as snapshot:
        try:
            found = await snapshot.conversations.get(wanted)
        except ConversationNotFound:  # a name that looks like an id
            return party
    if party.user_id not in {None, found.user_id}:
        raise ConversationNotFound(conversation_id=str(wanted))
    return replace(party, user_id=found.user_id, conversation_id=found.id)


def _as_id(name: str | None) -> ConversationId | None:
    try:
        return None if name is None else ConversationId(UUID(name))
    except ValueError:
        return None


def _recollection(bundle: ContextBundle) -> Recollection:
    text = bundle.text or ""
    return Recollection(
        outcome=Outcome.USED if text else Outcome.EMPTY,
        text=text,
        tokens=bundle.total_tokens,
        items=len(bundle.retrieved) + len(bundle.recent_history),
        bundle_id=bundle.id,
        degraded=sorted({each.source.value for each in bundle.degraded}),
    )

"""Summing a conversation up because somebody asked for it, or erased what a summary told."""

from dataclasses import dataclass, replace
from uuid import UUID

from app.domain.audit import Action
from app.domain.errors import (
    ForewordError,
    MemoryNotFound,
    NothingToSummarise,
    Overtaken,
    SummariesOff,
)
from app.domain.ids import ConversationId, ConversationKey, ItemId, TenantId
from app.domain.memories import Memory
from app.ports.store import Store, Transaction
from app.ports.stored import About
from app.services.common.flagging import FlagBoard
from app.services.common.once import IdempotencyKey, answered, keep_answer
from app.services.distilling.summarising import Summariser
from app.services.memories.placing import memory_deed

_TRIES = 3
_AT_ONCE = 20_000
"""Tokens that are summed up while an erasure waits; more is left to the worker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummedUp:
    """A summary that somebody asked for; once the outbox has passed it, every index holds it."""

    memory: Memory
    outbox_key: int
    replayed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryDesk:
    store: Store
    flags: FlagBoard
    summariser: Summariser

    async def sum_up(
        self,
        tenant: TenantId,
        conversation_id: ConversationId,
        once: IdempotencyKey | None = None,
    ) -> SummedUp:
        """
        Sum up all that was said by now.

        Raises:
            ConversationNotFound: There is none under this id.
            NothingToSummarise: Nothing was said that could be told.
            SummariesOff: The tenant wants none.
            Overtaken: Others summed it up again and again meanwhile.
            EmbedderUnavailable: The model does not answer.
            IdempotencyConflict: The idempotency key was used with another body.
        """
        if not (await self.flags.current(tenant)).summaries:
            raise SummariesOff
        for left in reversed(range(_TRIES)):
            try:
                return await self._once(tenant, conversation_id, once)
            except Overtaken:
                if not left:
                    raise
        raise AssertionError("unreachable")

    async def _once(
        self, tenant: TenantId, conversation_id: ConversationId, once: IdempotencyKey | None
    ) -> SummedUp:
        async with self.store.write(tenant) as transaction:
            if before := await _answered(transaction, once):
                return before
            conversation = await transaction.conversations.get(conversation_id)
        tail = await self.summariser.tail(tenant, conversation)
        draft = None
        if tail.messages or tail.wanted or tail.before is None:
            draft = await self.summariser.draft(tenant, conversation, tail)
        if draft is None and tail.before is None:
            raise NothingToSummarise(conversation_id=str(conversation_id))
        async with self.store.write(tenant) as transaction:
            await transaction.conversations.lock(conversation.key)
            if meanwhile := await _answered(transaction, once):
                return meanwhile
            now = self.summariser.keeper.clock()
            memory = await self.summariser.keep(transaction, draft) if draft else tail.before
            assert memory is not None  # noqa: S101  (told above)
            if draft:
                deed = memory_deed(Action.MEMORY_STORED, memory.id, type=memory.type.value)
                await transaction.audit.note(deed, now=now)
            outbox_key = await transaction.last_outbox_key()
            await keep_answer(
                transaction,
                once,
                {"id": str(memory.id), "outbox_key": outbox_key},
                about=About(scope=conversation.scope, conversation=conversation.key),
                now=now,
            )
        return SummedUp(memory=memory, outbox_key=outbox_key)

    async def rebuild(self, tenant: TenantId, key: ConversationKey) -> bool:
        """
        Make anew a summary of which something was erased; whether there is one again.

        It is made by rules, since the erasure waits; where there is a writer, the worker makes it
        once more. False: there is nothing to tell, or it is left to the worker.
        """
        if not (await self.flags.current(tenant)).summaries:
            return False
        try:
            return await self._anew(tenant, key)
        except Overtaken:
            return True
        except ForewordError:
            return False

    async def _anew(self, tenant: TenantId, key: ConversationKey) -> bool:
        async with self.store.observe() as observations:
            conversation = await observations.conversation(tenant, key)
        if conversation is None:
            return False
        by_rules = replace(self.summariser, writer=None)
        tail = await by_rules.tail(tenant, conversation)
        if tail.tokens > _AT_ONCE:
            return False
        draft = await by_rules.draft(tenant, conversation, tail)
        if draft is None:
            return tail.before is not None
        async with self.store.write(tenant) as transaction:
            await transaction.conversations.lock(key)
            await by_rules.keep(transaction, draft, for_now=self.summariser.writer is not None)
        return True


async def _answered(transaction: Transaction, once: IdempotencyKey | None) -> SummedUp | None:
    """What was answered before; asked twice, since the same may be summed up twice at once."""
    before = await answered(transaction, once)
    if before is None or once is None:
        return None
    try:
        memory = await transaction.memories.get(ItemId(UUID(str(before["id"]))), now=None)
    except MemoryNotFound:  # erased, or made anew without something that was
        await transaction.answers.forget(once.path, once.key)
        return None
    return SummedUp(memory=memory, outbox_key=int(str(before["outbox_key"])), replayed=True)

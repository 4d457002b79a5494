"""Making the entity graph anew from what was said, while everything is served."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from app.domain.errors import ConversationNotFound, Overtaken
from app.domain.ids import ConversationKey, EntityKey, MessageKey, ScopeKey, TenantId
from app.ports import Clock
from app.ports.distilling import DueConversation
from app.ports.inspecting import Clinic, Unlinked
from app.ports.store import Store
from app.services.common.flagging import FlagBoard
from app.services.common.jobs import Progress
from app.services.distilling.linking import unlinked
from app.services.distilling.step import Portion, Step, writes_of

_CONVERSATIONS_AT_ONCE = 100
_MESSAGES_AT_ONCE = 200
_TOKENS_AT_ONCE = 40_000
_ENTITIES_AT_ONCE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Relinker:
    """
    Links once more what is distilled already, and nothing else of it: no fact is drawn, no language
    model asked. What is not distilled yet is linked when it is.
    """

    store: Store
    clinic: Clinic
    linker: Step
    flags: FlagBoard
    clock: Clock

    async def relink(self, progress: Progress) -> None:
        """Every conversation, one after the other; what then is left of nothing goes."""
        last = ConversationKey(0)
        while several := await self._some(last):
            for each in several:
                await self._conversation(each)
                progress.tell(progress.done + 1, progress.done + 1)
            last = several[-1].conversation
        await self.settle()

    async def lacking(self, found: Sequence[Unlinked]) -> Sequence[MessageKey]:
        """Those of these messages that linking would find something in, where it is switched on."""
        lacking: list[MessageKey] = []
        by_scope = sorted(found, key=_scope_of)
        for (tenant, scope), several in groupby(by_scope, key=_scope_of):
            if (await self.flags.current(tenant)).graph:
                keys = sorted(each.message for each in several)
                async with self.store.read(tenant) as snapshot:
                    messages = await snapshot.messages.get(keys)
                    lacking += await unlinked(snapshot, scope, messages)
        return lacking

    async def settle(self) -> None:
        """Count and weigh all entities and edges anew, some at a time."""
        last = EntityKey(0)
        while True:
            async with self.clinic.repair() as repairs:
                keys = await repairs.settle_graph(after=last, limit=_ENTITIES_AT_ONCE)
            if not keys:
                return
            last = keys[-1]

    async def _some(self, after: ConversationKey) -> Sequence[DueConversation]:
        async with self.store.observe() as observations:
            return await observations.distilled(after=after, limit=_CONVERSATIONS_AT_ONCE)

    async def _conversation(self, distilled: DueConversation) -> None:
        done = MessageKey(0)
        while portion := await self._portion(distilled, done):
            try:
                await self._link(portion)
            except Overtaken:  # messages are gone: what is left is read again
                continue
            except ConversationNotFound:
                return
            done = portion.messages[-1].key

    async def _portion(self, distilled: DueConversation, after: MessageKey) -> Portion | None:
        """The next messages, up to the mark."""
        tenant = distilled.tenant
        async with self.store.observe() as observations:
            conversation = await observations.conversation(tenant, distilled.conversation)
            if conversation is None:
                return None
            found = await observations.said_after(
                tenant, conversation, after, limit=_MESSAGES_AT_ONCE, tokens=_TOKENS_AT_ONCE
            )
        messages = [each for each in found if each.key <= distilled.until]
        if not messages:
            return None
        return Portion(
            tenant=tenant,
            conversation=conversation,
            messages=messages,
            last=messages[-1].key == distilled.until,
            flags=await self.flags.current(tenant),
            now=self.clock(),
        )

    async def _link(self, portion: Portion) -> None:
        writes = writes_of([await self.linker.distil(portion)])
        if not writes:
            return
        async with self.store.write(portion.tenant) as transaction:
            await transaction.distilling.take(portion.conversation.key, portion.messages)
            for write in writes:
                await write(transaction)


def _scope_of(found: Unlinked) -> tuple[TenantId, ScopeKey]:
    return found.tenant, found.scope

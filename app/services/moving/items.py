"""Bringing in memory items: each once, with what it is of and what says it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from app.domain.errors import ConversationNotFound, MessageNotFound
from app.domain.ids import ConversationId, ItemId, MessageId, ScopeKey
from app.domain.memories import NewMemory
from app.domain.memory import ItemType
from app.formats.found import Told
from app.ports import Clock, NewId
from app.ports.store import Transaction
from app.ports.stored import PreparedMemory
from app.services.memories.keep import MemoryKeeper
from app.services.memories.placing import KeptMemory
from app.services.writing.identities import conversation_here, item_here, made_of, messages_here


@dataclass(frozen=True, slots=True)
class Items:
    """Memory items on their way into one transaction."""

    transaction: Transaction
    keeper: MemoryKeeper
    new_id: NewId
    clock: Clock

    async def lock(self, several: Sequence[Told]) -> None:
        """Lock all that they are of at once: two that did so later could wait for each other."""
        derived: defaultdict[str | None, set[MessageId]] = defaultdict(set)
        for each in several:
            if said_by := {*each.memory.derived_from, *each.reworded}:
                derived[each.memory.user_id] |= said_by
        for user_id, messages in sorted(derived.items(), key=lambda each: each[0] or ""):
            scope = await self.transaction.scopes.ensure(user_id, now=self.clock())
            found = await messages_here(self.transaction, messages, scope.key)
            await self.transaction.memories.lock(scope.key, sorted(found.values()))

    async def place(self, found: Told, ready: PreparedMemory) -> bool:
        """
        Store an item; whether it was there already.

        Raises:
            MessageNotFound: Nothing of what it was derived from is here.
            ConversationNotFound: Its conversation is not here.
            NeverValid: It would end before it begins.
            MetadataTooLarge: With this a known one would have too much of it.
        """
        now, memory = self.clock(), found.memory
        shared = memory.type is ItemType.DOCUMENT
        scope = (
            await self.transaction.scopes.ensure(
                None if shared else memory.user_id, now=now, shared=shared
            )
        ).key
        own = ready.id
        if (brought := _brought(found, scope)) is not None:
            known, here = await item_here(self.transaction, brought, scope)
            if known:
                return True
            own = here or ItemId(self.new_id())
        lineage = await self._lineage(found, scope)
        inside = await self._inside(memory, scope)
        told = replace(
            ready.new,
            derived_from=list(lineage.values()),
            conversation_id=inside,
            subject=_renamed(ready.new.subject, {**lineage, memory.conversation_id: inside}),
        )
        placed = replace(ready, id=own, new=told)
        kept = await self._keep(placed, told_here=memory.id is None and not lineage, now=now)
        if reworded := await messages_here(self.transaction, found.reworded, scope):
            memories = self.transaction.memories
            key = (await memories.get(kept.id, now=None)).key
            await memories.derive(scope, key, list(reworded.values()), reworded=True)
        return kept.known

    async def _keep(self, placed: PreparedMemory, *, told_here: bool, now: datetime) -> KeptMemory:
        """What another store tells stays as it was there; what nobody filed yet is filed."""
        if told_here:
            return await self.keeper.tell_in(self.transaction, placed, now=now)
        (kept,) = await self.keeper.store_in(self.transaction, [placed], now=now)
        return kept

    async def _lineage(self, told: Told, scope: ScopeKey) -> Mapping[MessageId, MessageId]:
        """The messages that say it; that there are some is certain."""
        wanted = told.memory.derived_from
        found = await messages_here(self.transaction, wanted, scope)
        if wanted and not found:
            raise MessageNotFound("nothing of what it was derived from is here")
        return found

    async def _inside(self, memory: NewMemory, scope: ScopeKey) -> ConversationId | None:
        if memory.conversation_id is None:
            return None
        known, found = await conversation_here(self.transaction, memory.conversation_id, scope)
        if not known:
            raise ConversationNotFound("its conversation is not here")
        return found


def _brought(found: Told, scope: ScopeKey) -> ItemId | None:
    """
    The id by which an item is known when it is brought again; None: by its source.

    One made of what it says is of its scope alone: nobody learns whether others have it.
    """
    if found.memory.id is not None or found.says is None:
        return found.memory.id
    if found.memory.type is ItemType.DOCUMENT and found.memory.source:
        return None
    return ItemId(made_of(found.says, scope))


def _renamed(subject: str | None, ids: Mapping[Any, object]) -> str | None:
    """A subject that is told by ids, by those that are had here."""
    for theirs, ours in ids.items():
        if subject is not None and theirs is not None:
            subject = subject.replace(str(theirs), str(ours))
    return subject

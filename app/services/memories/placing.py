"""One memory item on its way into its scope, and between those about the same."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Self

from app.distil.facts.portrait import entry_told
from app.domain.audit import Action, Deed, subject
from app.domain.conversation import Conversation
from app.domain.errors import ConversationNotFound, MemoryNotFound, NeverValid
from app.domain.ids import ConversationId, ItemId, ItemKey, ScopeKey
from app.domain.memories import Memory, MemoryChanges, NewMemory
from app.domain.memory import ItemType
from app.ports.store import Transaction
from app.ports.stored import PlacedMemory, PreparedMemory
from app.services.writing.entering import owner


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptMemory:
    """What became of a new item; `known` tells that it was there already, under this id."""

    id: ItemId
    type: ItemType
    tokens: int
    parts: int
    superseded: Sequence[ItemId] = ()
    known: bool = False

    @classmethod
    def known_as(cls, item: Memory) -> Self:
        return cls(id=item.id, type=item.type, tokens=item.tokens, parts=item.parts, known=True)


@dataclass(frozen=True, slots=True)
class Placing:
    """One item on its way into its scope and between those about the same subject."""

    transaction: Transaction
    prepared: PreparedMemory
    now: datetime

    async def place(self) -> KeptMemory:
        new, memories = self.prepared.new, self.transaction.memories
        scope, conversation = await self._owner()
        await memories.lock(scope, new.derived_from)
        begins = new.valid_from or self.now
        if new.valid_to is not None and new.valid_to <= begins:
            raise NeverValid(valid_from=begins, valid_to=new.valid_to)
        before, after = await self._beside(scope, begins)
        if before and self._says_the_same(before, begins):
            found_at = self.now if new.derived else None
            await memories.derive(scope, before.key, new.derived_from, found_at=found_at)
            await self._live_longer(before)
            await self.transaction.scopes.touch(scope)
            return replace(_kept(before.id, self.prepared), known=True)
        old = await self._superseded(scope, before, begins)
        ends = [new.valid_to, after.valid_from if after else None]
        placed = PlacedMemory(
            prepared=self.prepared,
            scope=scope,
            conversation=conversation.key if conversation else None,
            archived=conversation is not None and conversation.archived,
            valid_from=begins,
            valid_to=min((each for each in ends if each is not None), default=None),
            superseded_by=after.key if after else None,
        )
        key = await memories.add(placed, now=self.now)
        await self._tell_of_user(placed, key, conversation)
        if not new.derived_from:
            deed = memory_deed(Action.MEMORY_STORED, self.prepared.id, type=new.type.value)
            await self.transaction.audit.note(deed, now=self.now)
        for each in old:
            await memories.supersede(each, by=key, now=self.now)
        return replace(_kept(self.prepared.id, self.prepared), superseded=[each.id for each in old])

    async def _tell_of_user(
        self, placed: PlacedMemory, fact: ItemKey, conversation: Conversation | None
    ) -> None:
        """What a fact says of the user stands in their profile, where they agreed to that."""
        new = placed.prepared.new
        if new.type is not ItemType.FACT:
            return
        user_id = new.user_id if conversation is None else conversation.user_id
        entry = entry_told(new.content, new.metadata, placed.valid_from, user_id=user_id)
        if entry is not None:
            await self.transaction.personal.derive(placed.scope, {fact: entry}, now=self.now)

    async def _live_longer(self, before: Memory) -> None:
        """What is told once more begins its life anew."""
        until = self.prepared.new.expires_at
        if until is None or before.expires_at is None or until <= before.expires_at:
            return
        longer = MemoryChanges(given=frozenset({"expires_at"}), expires_at=until)
        await self.transaction.memories.change(before, longer, None, now=self.now)
        if not self.prepared.new.derived_from:
            deed = memory_deed(Action.MEMORY_CHANGED, before.id, fields=sorted(longer.given))
            await self.transaction.audit.note(deed, now=self.now)

    async def _owner(self) -> tuple[ScopeKey, Conversation | None]:
        new, now = self.prepared.new, self.now
        if new.type is ItemType.DOCUMENT:
            return (await owner(self.transaction, None, now=now, shared=True)).key, None
        if new.conversation_id is None:
            return (await owner(self.transaction, new.user_id, now=now)).key, None
        found = await its_conversation(self.transaction, new, new.conversation_id)
        return found.scope, found

    async def _beside(
        self, scope: ScopeKey, begins: datetime
    ) -> tuple[Memory | None, Memory | None]:
        """What is known of the subject as of before, and the first of what is known of later."""
        new = self.prepared.new
        if new.subject is None:
            return None, None
        known = await self.transaction.memories.about(scope, new.type, new.subject)
        before = [each for each in known if each.valid_from <= begins]
        after = [each for each in known if each.valid_from > begins]
        return (before[-1] if before else None), (after[0] if after else None)

    def _says_the_same(self, before: Memory, begins: datetime) -> bool:
        same = before.content_hash == self.prepared.content_hash
        told_of_drawn = before.derived and not self.prepared.new.derived_from
        return same and not before.is_over(begins, now=self.now) and not told_of_drawn

    async def _superseded(
        self, scope: ScopeKey, before: Memory | None, begins: datetime
    ) -> Sequence[Memory]:
        old = {} if before is None else {before.id: before}
        for item_id in self.prepared.new.supersedes:
            found = await self.transaction.memories.get(item_id, now=self.now)
            if found.scope != scope:
                raise MemoryNotFound(memory_id=str(item_id))
            if found.valid_from > begins:
                raise NeverValid(memory_id=str(item_id), valid_from=found.valid_from)
            old[item_id] = found
        return list(old.values())


async def its_conversation(
    transaction: Transaction, new: NewMemory, conversation_id: ConversationId
) -> Conversation:
    """
    The conversation that an item belongs to, taken for this transaction.

    Raises:
        ConversationNotFound: It is not there, or is another user's.
    """
    found = await transaction.conversations.get(conversation_id)
    if new.user_id is not None and found.user_id != new.user_id:
        raise ConversationNotFound(conversation_id=str(conversation_id))
    await transaction.conversations.lock(found.key)  # before its scope, as everybody does
    return found


def memory_deed(action: Action, item_id: ItemId, **facts: object) -> Deed:
    return Deed(action=action, subject=subject("memory", item_id), facts=facts)


def _kept(item_id: ItemId, prepared: PreparedMemory) -> KeptMemory:
    return KeptMemory(
        id=item_id,
        type=prepared.new.type,
        tokens=prepared.tokens,
        parts=len(prepared.parts),
    )

"""Keeping memory items: told by callers or derived by workers, with what they supersede."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from uuid import UUID

from app.distil.portrait import entries_of, entry_told
from app.domain.audit import Action, Deed, subject
from app.domain.conversation import Conversation
from app.domain.errors import (
    ConversationNotFound,
    DocumentReadOnly,
    MemoryNotFound,
    NeverValid,
)
from app.domain.ids import ItemId, ItemKey, ScopeKey, TenantId
from app.domain.memories import Memory, MemoryChanges, NewMemory
from app.domain.memory import ItemType
from app.ports import Clock
from app.ports.store import Store, Transaction
from app.ports.stored import NOBODY, About, PlacedMemory, PreparedMemory
from app.services.once import IdempotencyKey, answered, keep_answer
from app.services.prepare_memories import MemoryPreparer


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptMemory:
    """What became of a new item; `known` tells that it was there already, under this id."""

    id: ItemId
    type: ItemType
    tokens: int
    parts: int
    superseded: Sequence[ItemId] = ()
    known: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptMemories:
    """What a write left behind, in the order of the request."""

    memories: Sequence[KeptMemory]
    outbox_key: int
    """Once the outbox has passed it, every index holds the items."""
    replayed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryKeeper:
    """
    Stores memory items, in one transaction with whatever else belongs to it.

    A worker calls `prepare`, which counts tokens, before its transaction, and `store` in it.
    """

    store: Store
    preparer: MemoryPreparer
    clock: Clock
    lifetimes: Mapping[ItemType, timedelta] = field(default_factory=dict)
    """After which items of a type expire that are told no end; of others: never."""

    async def keep(
        self, tenant: TenantId, new: Sequence[NewMemory], once: IdempotencyKey | None = None
    ) -> KeptMemories:
        """
        Store items in a transaction of their own.

        Raises:
            ConversationNotFound: An item's conversation is not there, or is another user's.
            MessageNotFound: What an item is derived from is not there, or is another user's.
            MemoryNotFound: The same of what it supersedes.
            NeverValid: An item would end before it begins.
            IdempotencyConflict: The idempotency key was used with other items.
        """
        prepared = await self.preparer.prepare(new)
        async with self.store.write(tenant) as transaction:
            if before := await answered(transaction, once):
                return _kept_before(before)
            now = self.clock()
            stored = await self.store_in(transaction, prepared, now=now)
            kept = KeptMemories(memories=stored, outbox_key=await transaction.last_outbox_key())
            about = NOBODY
            if once and stored:
                first = await transaction.memories.get(stored[0].id, now=None)
                about = About(scope=first.scope)
            await keep_answer(transaction, once, _answer(kept), about=about, now=now)
            return kept

    async def store_in(
        self, transaction: Transaction, prepared: Sequence[PreparedMemory], *, now: datetime
    ) -> list[KeptMemory]:
        """Store prepared items with what else the transaction stores; raises as `keep` does."""
        ending = [self._with_end(each, now) for each in prepared]
        return [await _Placing(transaction, each, now).place() for each in ending]

    def _with_end(self, prepared: PreparedMemory, now: datetime) -> PreparedMemory:
        new, lifetime = prepared.new, self.lifetimes.get(prepared.new.type)
        if lifetime is None or new.expires_at is not None:
            return prepared
        return replace(prepared, new=replace(new, expires_at=now + lifetime))

    async def change(self, tenant: TenantId, item_id: ItemId, changes: MemoryChanges) -> Memory:
        """
        Set what is given.

        Raises:
            MemoryNotFound: There is none under this id.
            DocumentReadOnly: It is a document.
            NeverValid: It would end before it begins.
        """
        fresh: PreparedMemory | None = None
        if "content" in changes.given:
            not_cut = NewMemory(type=ItemType.FACT, content=changes.content)
            (fresh,) = await self.preparer.prepare([not_cut])
        now = self.clock()
        async with self.store.write(tenant) as transaction:
            memories = transaction.memories
            await memories.lock((await memories.get(item_id, now=now)).scope, [])
            found = await memories.get(item_id, now=now)
            if found.type is ItemType.DOCUMENT:
                raise DocumentReadOnly(memory_id=str(item_id))
            own = replace(changes, given=changes.given | {"derived"})
            await memories.change(found, own, fresh, now=now)
            changed = await memories.get(item_id, now=None)
            await _retell_of_user(transaction, changed, changes.given, now)
            deed = _deed(Action.MEMORY_CHANGED, item_id, fields=sorted(changes.given))
            await transaction.audit.note(deed, now=now)
            return changed


@dataclass(frozen=True, slots=True)
class _Placing:
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
            await memories.derive(before.key, new.derived_from, found_at=found_at)
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
            deed = _deed(Action.MEMORY_STORED, self.prepared.id, type=new.type.value)
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
        if until is not None and before.expires_at is not None and before.expires_at < until:
            longer = MemoryChanges(given=frozenset({"expires_at"}), expires_at=until)
            await self.transaction.memories.change(before, longer, None, now=self.now)

    async def _owner(self) -> tuple[ScopeKey, Conversation | None]:
        new, scopes = self.prepared.new, self.transaction.scopes
        if new.type is ItemType.DOCUMENT:
            return (await scopes.ensure(None, now=self.now, shared=True)).key, None
        if new.conversation_id is None:
            return (await scopes.ensure(new.user_id, now=self.now)).key, None
        found = await self.transaction.conversations.get(new.conversation_id)
        if new.user_id is not None and found.user_id != new.user_id:
            raise ConversationNotFound(conversation_id=str(new.conversation_id))
        await self.transaction.conversations.lock(found.key)  # before its scope, as everybody does
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
        ended = before.valid_to is not None and before.valid_to <= begins
        expired = before.expires_at is not None and before.expires_at <= self.now
        same = before.content_hash == self.prepared.content_hash
        return same and not ended and not expired

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


async def _retell_of_user(
    transaction: Transaction, changed: Memory, given: AbstractSet[str], now: datetime
) -> None:
    """Have the profile say what a fact says now."""
    if changed.type is not ItemType.FACT or given.isdisjoint({"content", "metadata"}):
        return
    await transaction.personal.forget_derived(changed.key)
    await transaction.personal.derive(changed.scope, entries_of([changed]), now=now)


def _deed(action: Action, item_id: ItemId, **facts: object) -> Deed:
    return Deed(action=action, subject=subject("memory", item_id), facts=facts)


def _kept(item_id: ItemId, prepared: PreparedMemory) -> KeptMemory:
    return KeptMemory(
        id=item_id,
        type=prepared.new.type,
        tokens=prepared.tokens,
        parts=len(prepared.parts),
    )


def _answer(kept: KeptMemories) -> Mapping[str, object]:
    """Ids and counts: what a caller said is not kept twice."""
    memories = [
        {
            "id": str(each.id),
            "type": each.type.value,
            "tokens": each.tokens,
            "parts": each.parts,
            "superseded": [str(item_id) for item_id in each.superseded],
            "known": each.known,
        }
        for each in kept.memories
    ]
    return {"memories": memories, "outbox_key": kept.outbox_key}


def _kept_before(answer: Mapping[str, object]) -> KeptMemories:
    memories = answer["memories"]
    assert isinstance(memories, list)  # noqa: S101  (as `_answer` made it)
    return KeptMemories(
        memories=[
            KeptMemory(
                id=ItemId(UUID(each["id"])),
                type=ItemType(each["type"]),
                tokens=each["tokens"],
                parts=each["parts"],
                superseded=[ItemId(UUID(item_id)) for item_id in each["superseded"]],
                known=each["known"],
            )
            for each in memories
        ],
        outbox_key=int(str(answer["outbox_key"])),
        replayed=True,
    )

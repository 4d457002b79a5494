"""Keeping memory items: told by callers or derived by workers, with what they supersede."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from uuid import UUID

from app.distil.facts.portrait import entries_of
from app.domain.audit import Action
from app.domain.errors import DocumentReadOnly, StillSuperseded
from app.domain.ids import ItemId, TenantId
from app.domain.memories import Memory, MemoryChanges, NewMemory
from app.domain.memory import ItemType
from app.ports import Clock
from app.ports.memories import MemoryWriter
from app.ports.store import Store, Transaction
from app.ports.stored import NOBODY, About, PreparedMemory
from app.services.common.once import IdempotencyKey, answered, keep_answer
from app.services.memories.bearings import end_by
from app.services.memories.correcting import Corrected, corrected
from app.services.memories.placing import KeptMemory, Placing, memory_deed
from app.services.memories.prepare import MemoryPreparer
from app.services.memories.settling import settle
from app.services.memories.telling import among_facts


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
    metadata_bytes: int = 2**20
    """As JSON, that an item may have of all that was told of it."""

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
            MetadataTooLarge: A known one would have too much of it.
            IdempotencyConflict: The idempotency key was used with other items.
        """
        prepared = await self.preparer.prepare(new)
        async with self.store.write(tenant) as transaction:
            if before := await answered(transaction, once):
                return _kept_before(before)
            now = self.clock()
            stored = [await self.tell_in(transaction, each, now=now) for each in prepared]
            kept = KeptMemories(memories=stored, outbox_key=await transaction.last_outbox_key())
            about = NOBODY
            if once and stored:
                first = await transaction.memories.get(stored[0].id, now=None)
                about = About(scope=first.scope)
            await keep_answer(transaction, once, _answer(kept), about=about, now=now)
            return kept

    async def tell_in(
        self, transaction: Transaction, prepared: PreparedMemory, *, now: datetime
    ) -> KeptMemory:
        """Store a prepared item, a fact among those of its subject; raises as `keep` does."""
        most = self.metadata_bytes
        told = await among_facts(transaction, prepared, now=now, metadata_bytes=most)
        if told.known is not None:
            return KeptMemory.known_as(told.known)
        (kept,) = await self.store_in(transaction, [told.prepared], now=now)
        if told.heirs:
            await end_by(transaction.memories, kept.id, told.heirs, now=now)
        return kept

    async def store_in(
        self, transaction: Transaction, prepared: Sequence[PreparedMemory], *, now: datetime
    ) -> list[KeptMemory]:
        """Store prepared items with what else the transaction stores; raises as `keep` does."""
        ending = [self._with_end(each, now) for each in prepared]
        return [await Placing(transaction, each, now).place() for each in ending]

    def _with_end(self, prepared: PreparedMemory, now: datetime) -> PreparedMemory:
        new, lifetime = prepared.new, self.lifetimes.get(prepared.new.type)
        if lifetime is None or new.expires_at is not None:
            return prepared
        return replace(prepared, new=replace(new, expires_at=now + lifetime))

    async def change(self, tenant: TenantId, item_id: ItemId, changes: MemoryChanges) -> Memory:
        """
        Set what is given.

        A fact that says something else is filed under that, and what was drawn is not drawn again
        from the same messages. What begins at another time, or says something else, supersedes, and
        is superseded, as if it were told anew.

        Raises:
            MemoryNotFound: There is none under this id.
            DocumentReadOnly: It is a document.
            NeverValid: It would end before it begins.
            StillSuperseded: It is to hold longer than until what superseded it begins.
        """
        fresh: PreparedMemory | None = None
        if "content" in changes.given:
            not_cut = NewMemory(type=ItemType.FACT, content=changes.content)
            (fresh,) = await self.preparer.prepare([not_cut])
        now = self.clock()
        async with self.store.write(tenant) as transaction:
            memories = transaction.memories
            await memories.take(await memories.get(item_id, now=now))
            found = await memories.get(item_id, now=now)
            if found.type is ItemType.DOCUMENT:
                raise DocumentReadOnly(memory_id=str(item_id))
            own = corrected(found, replace(changes, given=changes.given | {"derived"}), fresh)
            _must_end(found, own)
            if not changes.alter(found):
                return found
            if own.elsewhere:
                await memories.refuse(found)
            changed = await _set(memories, found, own, fresh, now=now)
            await _retell_of_user(transaction, changed, changes.given, now)
            deed = memory_deed(Action.MEMORY_CHANGED, item_id, fields=sorted(changes.given))
            await transaction.audit.note(deed, now=now)
            return changed


async def _set(
    memories: MemoryWriter,
    found: Memory,
    own: Corrected,
    fresh: PreparedMemory | None,
    *,
    now: datetime,
) -> Memory:
    """Set it; what moves in time, or is about something else, leaves its place for another."""
    if not _moves(found, own):
        await memories.change(found, own.changes, fresh, now=now)
        return await memories.get(found.id, now=None)
    freed = await memories.release(found, now=now)
    free = await memories.get(found.id, now=None)
    await memories.change(free, own.changes, fresh, now=now)
    changed = await memories.get(found.id, now=None)
    await settle(memories, found, changed, freed, now=now)
    return await memories.get(found.id, now=None)


def _moves(found: Memory, own: Corrected) -> bool:
    begins = own.changes.valid_from or found.created_at
    return own.elsewhere or ("valid_from" in own.changes.given and begins != found.valid_from)


def _must_end(found: Memory, own: Corrected) -> None:
    """No change of its end has an item hold beside what superseded it."""
    ends, until = own.changes.valid_to, found.valid_to
    if found.superseded_by is None or "valid_to" not in own.changes.given or _moves(found, own):
        return
    by_itself = until is not None and found.ends_at == until
    if not by_itself and (ends is None or (until is not None and ends > until)):
        raise StillSuperseded(memory_id=str(found.id), superseded_by=str(found.superseded_by))


async def _retell_of_user(
    transaction: Transaction, changed: Memory, given: AbstractSet[str], now: datetime
) -> None:
    """Have the profile say what a fact says now."""
    if changed.type is not ItemType.FACT or given.isdisjoint({"content", "metadata"}):
        return
    await transaction.personal.forget_derived(changed.key)
    await transaction.personal.derive(changed.scope, entries_of([changed]), now=now)


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

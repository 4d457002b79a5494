"""A fact that a caller tells, among the facts that are known of the same subject."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from app.distil.facts.fact import Tense
from app.distil.facts.filing import subject_of, subject_of_words
from app.distil.facts.told import speakers_of, told_fact
from app.domain.audit import Action
from app.domain.errors import MetadataTooLarge
from app.domain.ids import ScopeKey
from app.domain.memories import Memory, MemoryChanges, NewMemory
from app.domain.memory import ItemType
from app.domain.storable import json_bytes
from app.ports.store import Transaction
from app.ports.stored import PreparedMemory
from app.services.memories.bearings import bearings_of, is_told_only
from app.services.memories.placing import its_conversation, memory_deed
from app.services.writing.entering import owner


@dataclass(frozen=True, slots=True)
class Told:
    """
    A told item with its subject and what it supersedes; `known` is the item that says it already,
    `heirs` are those that begin later and end it, the first first.
    """

    prepared: PreparedMemory
    known: Memory | None = None
    heirs: Sequence[Memory] = ()


async def among_facts(
    transaction: Transaction, prepared: PreparedMemory, *, now: datetime, metadata_bytes: int
) -> Told:
    """
    Where a told item belongs.

    What was drawn from messages is not added to, but superseded: it goes with its messages, and
    what was told does not.

    Raises:
        ConversationNotFound: Its conversation is not there, or is another user's.
        MetadataTooLarge: What is told more of a known item is more than its metadata may have.
    """
    new = prepared.new
    if new.type is not ItemType.FACT or new.subject is not None:
        return Told(prepared)
    scope, user_id = await _owner(transaction, new, now=now)
    speakers, begins = speakers_of(user_id), new.valid_from or now
    fact = told_fact(new.content, new.metadata, begins, speakers)
    if fact is None:
        return Told(_under(prepared, subject_of_words(prepared.content_hash)))
    if new.valid_to is not None and new.valid_to <= now:
        fact = replace(fact, tense=Tense.PAST)
    memories = transaction.memories
    found = await bearings_of(memories, scope, fact, begins=begins, speakers=speakers, now=now)
    told = [each for each in found.repeated if await is_told_only(memories, each)]
    if told:
        more = _told_more(told[-1], new)
        if json_bytes(dict(more.metadata)) > metadata_bytes:
            raise MetadataTooLarge(memory_id=str(told[-1].id), most=metadata_bytes)
        await _tell_more(transaction, told[-1], more, now=now)
        return Told(prepared, known=told[-1])
    ended = [*new.supersedes, *(each.id for each in (*found.ended, *found.repeated))]
    placed = _under(prepared, subject_of(fact))
    return Told(replace(placed, new=replace(placed.new, supersedes=ended)), heirs=found.heirs)


def _under(prepared: PreparedMemory, subject: str) -> PreparedMemory:
    return replace(prepared, new=replace(prepared.new, subject=subject))


async def _owner(
    transaction: Transaction, new: NewMemory, *, now: datetime
) -> tuple[ScopeKey, str | None]:
    """Whose fact it is; nobody else tells of them meanwhile."""
    if new.conversation_id is None:
        scope = await owner(transaction, new.user_id, now=now)
        await transaction.memories.lock(scope.key, [])
        return scope.key, new.user_id
    found = await its_conversation(transaction, new, new.conversation_id)
    await transaction.memories.lock(found.scope, [])
    return found.scope, found.user_id


def _told_more(known: Memory, new: NewMemory) -> MemoryChanges:
    """Told once more, an item has what both told: the later metadata, and the higher importance."""
    return MemoryChanges(
        given=frozenset({"metadata", "importance", "valid_to", "expires_at"}),
        metadata={**known.metadata, **new.metadata},
        importance=max(known.importance, new.importance),
        valid_to=new.valid_to or known.ends_at,
        expires_at=new.expires_at or known.expires_at,
    )


async def _tell_more(
    transaction: Transaction, known: Memory, changes: MemoryChanges, *, now: datetime
) -> None:
    before = {
        "metadata": known.metadata,
        "importance": known.importance,
        "valid_to": known.ends_at,
        "expires_at": known.expires_at,
    }
    fields = sorted(name for name, value in before.items() if getattr(changes, name) != value)
    if fields:
        await transaction.memories.change(known, changes, None, now=now)
        deed = memory_deed(Action.MEMORY_CHANGED, known.id, fields=fields)
        await transaction.audit.note(deed, now=now)

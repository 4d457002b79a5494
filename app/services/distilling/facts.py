"""Facts, drawn from what was said and kept as memory items that cite it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import ClassVar

from app.distil.facts.drawing import facts_of
from app.distil.facts.fact import Fact, has_last_word, is_farewell
from app.distil.facts.filing import kept_as, mark_of, subject_of
from app.distil.facts.retelling import as_it_holds, told_apart
from app.distil.facts.told import speakers_of
from app.distil.facts.values import normal
from app.domain.conversation import Message
from app.domain.memories import Memory, MemoryChanges, NewMemory
from app.domain.memory import ItemType
from app.domain.private import is_private
from app.ports.store import Transaction
from app.ports.stored import PreparedMemory
from app.services.distilling.rewording import FactReader
from app.services.distilling.step import Portion, Write, utterance_of
from app.services.memories.bearings import (
    Known,
    bearings_among,
    begins_beside,
    end_by,
    is_told_only,
    known_beside,
)
from app.services.memories.keep import MemoryKeeper

_IMPORTANCE = {"decision": 8, "rule": 8}
_USUAL_IMPORTANCE = 6


@dataclass(frozen=True, slots=True)
class Drawn:
    """A fact, the message that states it, and the item that it becomes if it is new."""

    fact: Fact
    message: Message
    prepared: PreparedMemory


@dataclass(frozen=True, slots=True, kw_only=True)
class FactStep:
    """Draws facts by rules: the last word holds; what is said once more adds to the lineage."""

    keeper: MemoryKeeper
    reader: FactReader | None = None
    """Finds more, where a language model is set."""
    by_message: ClassVar[bool] = True

    async def distil(self, portion: Portion) -> Sequence[Write] | None:
        if not portion.flags.facts or not portion.messages:
            return None
        found = await asyncio.to_thread(_found, portion)
        if self.reader is not None:
            found = _together(found, await self.reader.read(portion.messages))
        found = [each for each in _apart(found) if not _is_unwanted(*each)]
        new = [_new(portion, fact, message) for fact, message in found]
        prepared = await self.keeper.preparer.prepare(new)
        drawn = [
            Drawn(fact, message, each)
            for (fact, message), each in zip(found, prepared, strict=True)
        ]

        async def write(each: Drawn, transaction: Transaction) -> None:
            await _Keeping(self.keeper, transaction, portion, each).keep()

        return [partial(write, each) for each in drawn]


def _found(portion: Portion) -> Sequence[tuple[Fact, Message]]:
    return [(fact, each) for each in portion.messages for fact in facts_of(utterance_of(each))]


def _together(
    ruled: Sequence[tuple[Fact, Message]], read: Sequence[tuple[Fact, Message]]
) -> Sequence[tuple[Fact, Message]]:
    """What rules found, and what they did not, in the order of the messages."""
    known = {(message.key, *fact.key, normal(fact.value)) for fact, message in ruled}
    more = [
        (fact, message)
        for fact, message in read
        if (message.key, *fact.key, normal(fact.value)) not in known
    ]
    return sorted([*ruled, *more], key=lambda each: (each[1].key, each[0].start))


def _apart(found: Sequence[tuple[Fact, Message]]) -> Sequence[tuple[Fact, Message]]:
    """No two of one message in the same words, each by what holds."""
    by_message = groupby(found, key=lambda each: each[1].key)
    several = [list(group) for _, group in by_message]
    return [
        (as_it_holds(fact), message)
        for group in several
        for fact, (_, message) in zip(told_apart([fact for fact, _ in group]), group, strict=True)
    ]


def _is_unwanted(fact: Fact, message: Message) -> bool:
    """
    Whether it is private, of which who asks for it finds the message, or somebody deleted it, as it
    was drawn from this message or as they had changed it.
    """
    if is_private(fact.attribute, fact.value):
        return True
    subject = subject_of(fact)
    return not message.unwanted.isdisjoint({mark_of(subject, kept_as(fact)), mark_of(subject)})


def _new(portion: Portion, fact: Fact, message: Message) -> NewMemory:
    kind = fact.attribute.partition(" for ")[0]
    return NewMemory(
        type=ItemType.FACT,
        content=fact.text,
        conversation_id=portion.conversation.id,
        subject=subject_of(fact),
        importance=portion.importance_of(message, _IMPORTANCE.get(kind, _USUAL_IMPORTANCE)),
        metadata=kept_as(fact),
        derived_from=[message.id],
        derived=True,
    )


@dataclass(frozen=True, slots=True)
class _Keeping:
    """One fact on its way between those that it bears on."""

    keeper: MemoryKeeper
    transaction: Transaction
    portion: Portion
    drawn: Drawn

    async def keep(self) -> None:
        memories, now = self.transaction.memories, self.portion.now
        known = await self._known()
        begins = begins_beside(self.drawn.fact, known)
        found = bearings_among(known, self.drawn.fact, begins, now)
        if found.repeated:
            await self._repeat(found.repeated[-1])
            return
        for each in found.over_at_once:
            if await self._drew(each):  # and what was said after it, in the same message or moment
                await self._repeat(each)
                return
        if any(not each.derived and each.valid_from == begins for each in found.ended):
            return  # a caller put that in the place of what is drawn here
        if is_farewell(self.drawn.fact) and not found.ended:
            return  # who is gone was nobody of whom anything is known
        ended = [each.id for each in found.ended]
        new = replace(self.drawn.prepared.new, valid_from=begins, supersedes=ended)
        prepared = replace(self.drawn.prepared, new=new)
        (kept,) = await self.keeper.store_in(self.transaction, [prepared], now=now)
        if found.heirs and not kept.known:
            await end_by(memories, kept.id, found.heirs, now=now)

    async def _drew(self, item: Memory) -> bool:
        """Whether an item is what this message was found to say before."""
        drawn_from = await self.transaction.memories.lineage(item)
        return any(edge.id == str(self.drawn.message.id) for edge in drawn_from)

    async def _known(self) -> Known:
        """What is known beside it; what was said later and has the last word begins later, too."""
        memories, inside = self.transaction.memories, self.portion.conversation
        fact, speakers = self.drawn.fact, speakers_of(inside.user_id)
        known = await known_beside(memories, inside.scope, fact, speakers)
        late = [
            (item, later)
            for item, later in known
            if item.derived
            and not item.is_over(later.said_at, now=self.portion.now)
            and has_last_word(later, fact)
        ]
        if not late:
            return known
        for item, later in late:
            when = MemoryChanges(given=frozenset({"valid_from"}), valid_from=later.said_at)
            await memories.change(item, when, None, now=self.portion.now)
        return await known_beside(memories, inside.scope, fact, speakers)

    async def _repeat(self, item: Memory) -> None:
        """What a caller told stays theirs: it goes with no message."""
        memories, message = self.transaction.memories, self.drawn.message
        if await is_told_only(memories, item):
            return
        same = item.content_hash == self.drawn.prepared.content_hash
        await memories.lock(item.scope, [message.id])
        found_at = self.portion.now
        await memories.derive(
            item.scope, item.key, [message.id], reworded=not same, found_at=found_at
        )
        await self.transaction.scopes.touch(item.scope)

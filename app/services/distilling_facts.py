"""Facts, drawn from what was said and kept as memory items that cite it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import ClassVar

from app.distil.fact import Bearing, Fact, Tense, bearing
from app.distil.facts import facts_of
from app.distil.filing import groups_of, kept_as, kept_fact, mark_of, subject_of
from app.distil.retelling import told_apart
from app.distil.values import normal
from app.domain.conversation import PINNED, Message
from app.domain.memories import Memory, NewMemory
from app.domain.memory import ItemType
from app.ports.store import Transaction
from app.ports.stored import PreparedMemory
from app.services.distilling import Portion, Write, utterance_of
from app.services.keep import MemoryKeeper
from app.services.rewording import FactReader

_IMPORTANCE = {"decision": 8, "rule": 8}
_USUAL_IMPORTANCE = 6


@dataclass(frozen=True, slots=True)
class Drawn:
    """A fact, the message that states it, and the item that it becomes if it is new."""

    fact: Fact
    message: Message
    prepared: PreparedMemory

    @property
    def begins(self) -> datetime:
        """When it begins to hold: what was, or will be, is true to say from now on."""
        if self.fact.tense is Tense.NOW and self.fact.valid_from is not None:
            return self.fact.valid_from
        return self.fact.said_at


@dataclass(frozen=True, slots=True, kw_only=True)
class FactStep:
    """Draws facts by rules; the last word holds, the same once more adds to the lineage."""

    keeper: MemoryKeeper
    reader: FactReader | None = None
    """Finds more, where a language model is set."""
    by_message: ClassVar[bool] = True

    async def distil(self, portion: Portion) -> Write | None:
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

        async def write(transaction: Transaction) -> None:
            for each in drawn:
                await _Keeping(self.keeper, transaction, portion, each).keep()

        return write if drawn else None


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
    """No two of one message in the same words."""
    by_message = groupby(found, key=lambda each: each[1].key)
    several = [list(group) for _, group in by_message]
    return [
        (fact, message)
        for group in several
        for fact, (_, message) in zip(told_apart([fact for fact, _ in group]), group, strict=True)
    ]


def _is_unwanted(fact: Fact, message: Message) -> bool:
    """Whether somebody deleted it, as it was drawn from this message or as they had changed it."""
    subject = subject_of(fact)
    return not message.unwanted.isdisjoint({mark_of(subject, kept_as(fact)), mark_of(subject)})


def _new(portion: Portion, fact: Fact, message: Message) -> NewMemory:
    kind = fact.attribute.partition(" for ")[0]
    return NewMemory(
        type=ItemType.FACT,
        content=fact.text,
        conversation_id=portion.conversation.id,
        subject=subject_of(fact),
        importance=min(message.importance or _IMPORTANCE.get(kind, _USUAL_IMPORTANCE), PINNED - 1),
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
        before, after = await self._known()
        holding = [(item, fact) for item, fact in before if self._holds(item)]
        for item, older in reversed(holding):
            if bearing(self.drawn.fact, older) is Bearing.REPEATS:
                await self._repeat(item)
                return
        ended = [
            item.id
            for item, older in holding
            if bearing(self.drawn.fact, older) is Bearing.SUPERSEDES
        ]
        new = replace(self.drawn.prepared.new, valid_from=self.drawn.begins, supersedes=ended)
        prepared = replace(self.drawn.prepared, new=new)
        (kept,) = await self.keeper.store_in(self.transaction, [prepared], now=self.portion.now)
        heirs = [
            item
            for item, newer in after
            if item.subject != new.subject and bearing(newer, self.drawn.fact) is Bearing.SUPERSEDES
        ]
        if heirs and not kept.known:
            own = await self.transaction.memories.get(kept.id, now=None)
            if own.valid_to is None or heirs[0].valid_from < own.valid_to:
                await self.transaction.memories.supersede(
                    own, by=heirs[0].key, now=self.portion.now
                )

    async def _known(
        self,
    ) -> tuple[Sequence[tuple[Memory, Fact]], Sequence[tuple[Memory, Fact]]]:
        """The facts that this one may bear on, which began before it, or with it, and later."""
        scope, groups = self.portion.conversation.scope, groups_of(self.drawn.fact)
        found = await self.transaction.memories.under(scope, ItemType.FACT, groups)
        told = [
            (item, fact)
            for item in found
            if (fact := kept_fact(item.content, item.metadata, item.valid_from))
        ]
        at = next(
            (at for at, (item, _) in enumerate(told) if item.valid_from > self.drawn.begins),
            len(told),
        )
        return told[:at], told[at:]

    def _holds(self, item: Memory) -> bool:
        ended = item.valid_to is not None and item.valid_to <= self.drawn.begins
        return not ended and (item.expires_at is None or item.expires_at > self.portion.now)

    async def _repeat(self, item: Memory) -> None:
        memories, message = self.transaction.memories, self.drawn.message
        same = item.content_hash == self.drawn.prepared.content_hash
        await memories.lock(item.scope, [message.id])
        await memories.derive(item.key, [message.id], reworded=not same, found_at=self.portion.now)
        await self.transaction.scopes.touch(item.scope)

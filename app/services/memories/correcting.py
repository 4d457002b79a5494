"""A fact that a caller changes, filed under what it says then."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from app.distil.facts.fact import Fact
from app.distil.facts.filing import kept_as, kept_fact, subject_of, subject_of_words
from app.distil.facts.told import speakers_of, told_fact
from app.distil.facts.values import normal
from app.domain.memories import Memory, MemoryChanges
from app.domain.memory import ItemType
from app.ports.stored import PreparedMemory


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """What is set of an item; `elsewhere` tells that it says something else than before."""

    changes: MemoryChanges
    elsewhere: bool = False


def corrected(old: Memory, changes: MemoryChanges, fresh: PreparedMemory | None) -> Corrected:
    """
    The changes of an item with the subject that these give it.

    What was drawn of what it said before does not stay in its metadata.
    """
    if old.type is not ItemType.FACT or changes.given.isdisjoint({"content", "metadata"}):
        return Corrected(changes=changes)
    content = old.content if fresh is None else fresh.new.content
    metadata = changes.metadata if "metadata" in changes.given else old.metadata
    before, fact = fact_in(old), _says(old, content, metadata)
    if fact is not None:
        subject = subject_of(fact)
    elif fresh is None or fresh.content_hash == old.content_hash:
        subject = old.subject or subject_of_words(old.content_hash)
    else:
        subject = subject_of_words(fresh.content_hash)
    metadata = _current(content, metadata, old.valid_from, fact)
    filed = replace(
        changes, given=changes.given | {"subject", "metadata"}, subject=subject, metadata=metadata
    )
    elsewhere = subject != old.subject or _value(before) != _value(fact)
    return Corrected(changes=filed, elsewhere=elsewhere)


def fact_in(item: Memory) -> Fact | None:
    """What an item says; None for what is no fact, or of which only the words are known."""
    return _says(item, item.content, item.metadata) if item.type is ItemType.FACT else None


def _says(old: Memory, content: str, metadata: Mapping[str, object]) -> Fact | None:
    """The fact that an item is, whoever it was drawn of."""
    speakers = speakers_of(old.user_id)
    drawn = kept_fact(old.content, old.metadata, old.valid_from)
    if drawn is None or drawn.subject.casefold() in speakers:
        return told_fact(content, metadata, old.valid_from, speakers)
    told = told_fact(content, metadata, old.valid_from, {drawn.subject.casefold()})
    of_user = told is not None and told.subject.casefold() in speakers
    return replace(told, subject=drawn.subject) if told and of_user else told


def _current(
    content: str, metadata: Mapping[str, object], since: datetime, fact: Fact | None
) -> Mapping[str, object]:
    """Metadata in which nothing is left of a fact that was drawn and is not said any more."""
    drawn = kept_fact(content, metadata, since)
    if drawn is None or drawn == fact:
        return metadata
    others = {name: each for name, each in metadata.items() if name not in kept_as(drawn)}
    return others if fact is None else {**others, **kept_as(fact)}


def _value(fact: Fact | None) -> str:
    return "" if fact is None else normal(fact.value)

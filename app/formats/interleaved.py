"""Messages that a file tells one by one, each with the conversation that it is of."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import Any

from app.domain.conversation import NewConversation, NewMessage
from app.formats.fields import Malformed, gathered, identified, label, timed
from app.formats.found import Rejected, Said

PORTION = 200
"""Messages of one conversation that are given out at once."""

_PORTION_CHARACTERS = 2**20


@dataclass(frozen=True, slots=True)
class Entry:
    """What a file tells of a message, and where; `conversation` is the id in the file."""

    at: str
    user_id: str | None
    conversation: str
    told: Mapping[str, Any]
    title: str | None = None


Read = Callable[[Any], Iterable[NewMessage]]


def said(entries: Iterable[Entry | Rejected], read: Read) -> Iterator[Said | Rejected]:
    """
    Conversations, in portions.

    Messages without an id are known by their place in the conversation and what they say; those
    without a time have that of the one before, at the beginning that of the first that has one.
    """
    run = _Run(read)
    for told, several in groupby(entries, key=_conversation):
        if told is None:
            yield from (each for each in several if isinstance(each, Rejected))
            continue
        for portion in _portions(each for each in several if isinstance(each, Entry)):
            yield run.portion(portion)


def _conversation(entry: Entry | Rejected) -> tuple[str | None, str] | None:
    return None if isinstance(entry, Rejected) else (entry.user_id, entry.conversation)


def _portions(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    kept: list[Entry] = []
    characters = 0
    for each in entries:
        kept.append(each)
        characters += sum(len(told) for told in each.told.values() if isinstance(told, str))
        if len(kept) == PORTION or characters >= _PORTION_CHARACTERS:
            yield kept
            kept, characters = [], 0
    if kept:
        yield kept


@dataclass(slots=True)
class _Run:
    """How far conversations have been read: how many messages, and when the last one was said."""

    read: Read
    counted: Counter[str] = field(default_factory=Counter)
    """By their ids alone: whose they are may be told anew, and they become one then."""
    said_at: dict[tuple[str | None, str], datetime | None] = field(default_factory=dict)
    last: tuple[object, Mapping[str, NewMessage]] = (None, {})
    """The conversation of the last portion, and its messages by the ids that they told."""

    def portion(self, entries: Sequence[Entry]) -> Said:
        first = entries[0]
        key = (first.user_id, first.conversation)
        found = gathered(((each.at, each.told) for each in entries), self.read)
        title, untold = _title(first)
        begins = next((each.created_at for each in found.messages if each.created_at), None)
        messages = timed(found.messages, self.said_at.get(key) or begins)
        before = self.last[1] if self.last[0] == key else {}
        conversation = NewConversation(
            user_id=first.user_id,
            external_id=first.conversation,
            label=title,
            created_at=begins,
            messages=identified(messages, self.counted[first.conversation], before),
        )
        self.counted[first.conversation] += len(entries)
        told = {each.external_id: each for each in reversed(messages) if each.external_id}
        self.last = key, {name: before.get(name, each) for name, each in told.items()}
        if messages:
            self.said_at[key] = messages[-1].created_at
        return Said(first.at, conversation, [*untold, *found.rejected])


def _title(entry: Entry) -> tuple[str | None, Sequence[Rejected]]:
    """What is said of a conversation; what cannot be stored of that costs no message."""
    try:
        return label(entry.title), []
    except Malformed as error:
        return None, [Rejected(entry.at, str(error))]

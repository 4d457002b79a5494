"""
What this service exports: one JSON object a line, told apart by `record`.

`foreword` is the first line and tells the version. Of each user follow `user` (consent and
profile), `conversation` (with up to some hundred messages; a longer one has several lines),
`memory` and `superseded`. `embedding` can be made again, and is not read.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from app.domain.conversation import DEFAULT_IMPORTANCE, NewConversation, NewMessage
from app.domain.ids import ConversationId, ItemId, MessageId
from app.domain.memories import NewMemory
from app.domain.memory import ItemType
from app.domain.profile import Grant, Profile, Purpose
from app.formats.fields import (
    Malformed,
    a_list,
    a_record,
    digest,
    gathered,
    importance,
    json_object,
    label,
    metadata,
    moment,
    moment_or_told,
    short_name,
    text,
)
from app.formats.found import Agreed, Bounds, Ended, Found, Rejected, Said, Told
from app.formats.messages import messages, told_of

VERSION = 1
KEPT = frozenset(
    {ItemType.SUMMARY, ItemType.FACT, ItemType.TOOL, ItemType.PROCEDURE, ItemType.DOCUMENT}
)
"""Kinds of memory items that are exported and imported."""

_LONGEST_SOURCE = 10_000
_MARK = re.compile(r"[0-9a-f]{16}")


def found(at: str, record: Mapping[str, Any], bounds: Bounds) -> Iterator[Found]:
    """
    What a line tells.

    Raises:
        Malformed: It is none of ours, or of a version to come.
    """
    kind = record["record"]
    read = _READERS.get(kind) if isinstance(kind, str) else None
    if read is not None:
        yield read(at, record, bounds)
    elif kind == "foreword":
        if record.get("version") != VERSION:
            raise Malformed(f"version {record.get('version')!a} is not known")
    elif kind != "embedding":
        raise Malformed(f"the record {str(kind)[:40]!a} is not known")


@dataclass(slots=True)
class Promised:
    """Messages that the first line of an export says will follow, and those that did."""

    told: int = 0
    came: int = 0

    def read(self, value: object) -> None:
        """Count what a record of a file tells."""
        if not isinstance(value, dict):
            return
        said = value.get("messages")
        match value.get("record"):
            case "foreword" if isinstance(said, int):
                self.told += said
            case "conversation" if isinstance(said, list):
                self.came += len(said)

    def missing(self) -> Iterator[Rejected]:
        """That the file ends too soon; one that was cut off between two lines looks whole."""
        if self.came < self.told:
            told = f"the first line tells of {self.told} messages, and {self.came} follow"
            yield Rejected("the end", f"{told}: the file may be cut off")


def _conversation(at: str, record: Mapping[str, Any], bounds: Bounds) -> Said:
    entries = a_list(record.get("messages"), "messages")
    told = gathered(
        ((f"{at}.messages[{place}]", each) for place, each in enumerate(entries)),
        lambda each: _messages(each, bounds),
    )
    own_id = _uuid(record.get("id"), "id")
    begins, untimed = moment_or_told(record.get("created_at"), "created_at", at)
    changed, unchanged = moment_or_told(record.get("updated_at"), "updated_at", at)
    conversation = NewConversation(
        **told_of(record, bounds),
        id=None if own_id is None else ConversationId(own_id),
        external_id=short_name(record.get("external_id"), "external_id")
        or (None if own_id else digest(*([each.role, each.content] for each in told.messages))),
        created_at=begins,
        updated_at=changed,
        messages=told.messages,
    )
    return Said(at, conversation, [*untimed, *unchanged, *told.rejected])


def _messages(entry: object, bounds: Bounds) -> Iterator[NewMessage]:
    told = a_record(entry)
    own_id = _uuid(told.get("id"), "id")
    for each in messages({**told, "id": None}, bounds, empty=True):
        yield replace(
            each,
            id=None if own_id is None else MessageId(own_id),
            echo=_stretches(told.get("echo"), len(each.content or "")),
            unwanted=_marks(told.get("unwanted")),
            aside=told.get("aside") is True,
        )


def _stretches(value: object, length: int) -> list[tuple[int, int]]:
    """What of a message repeats a bundle: stretches in order, inside the message."""
    stretches, last = [], 0
    for each in a_list(value or [], "echo"):
        match each:
            case [int(start), int(stop)] if last <= start < stop <= length:
                stretches.append((start, stop))
                last = stop
            case _:
                raise Malformed("echo is no list of stretches in order")
    return stretches


def _marks(value: object) -> frozenset[str]:
    """What is not to be derived from a message again."""
    marks = [str(each) for each in a_list(value or [], "unwanted")]
    if not all(map(_MARK.fullmatch, marks)):
        raise Malformed("unwanted is no list of marks")
    return frozenset(marks)


def _memory(at: str, record: Mapping[str, Any], bounds: Bounds) -> Told:
    kind = record.get("type")
    if not isinstance(kind, str) or kind not in KEPT:
        raise Malformed(f"the type {str(kind)[:40]!a} is not known")
    content = text(record.get("content"), "content", most=bounds.message_chars)
    if not content.strip():
        raise Malformed("content says nothing")
    own_id = _uuid(record.get("id"), "id")
    inside = _uuid(record.get("conversation_id"), "conversation_id")
    source, said_by = record.get("source"), _said_by(record, "derived_from")
    memory = NewMemory(
        type=ItemType(kind),
        content=content,
        user_id=short_name(record.get("user_id"), "user_id"),
        conversation_id=None if inside is None else ConversationId(inside),
        subject=short_name(record.get("subject"), "subject"),
        importance=importance(record.get("importance")) or DEFAULT_IMPORTANCE,
        source=None if source is None else text(source, "source", most=_LONGEST_SOURCE),
        metadata=metadata(record.get("metadata"), bounds),
        valid_from=moment(record.get("valid_from"), "valid_from"),
        valid_to=moment(record.get("valid_to"), "valid_to"),
        expires_at=moment(record.get("expires_at"), "expires_at"),
        derived_from=said_by,
        derived=record.get("derived") is True and bool(said_by),
        id=None if own_id is None else ItemId(own_id),
        created_at=moment(record.get("created_at"), "created_at"),
    )
    says = None if own_id else digest({**record, "user_id": None})
    return Told(at, memory, _said_by(record, "reworded"), says)


def _said_by(record: Mapping[str, Any], name: str) -> list[MessageId]:
    return [MessageId(_some_uuid(each, name)) for each in a_list(record.get(name) or [], name)]


def _user(at: str, record: Mapping[str, Any], _: Bounds) -> Agreed:
    user_id = short_name(record.get("user_id"), "user_id")
    if user_id is None:
        raise Malformed("user_id is missing")
    consent = {
        _purpose(name): _grant(a_record(each))
        for name, each in json_object(record.get("consent"), "consent").items()
    }
    told = record.get("profile")
    return Agreed(at, user_id, consent, None if told is None else _profile(a_record(told)))


def _purpose(name: str) -> Purpose:
    try:
        return Purpose(name)
    except ValueError:
        raise Malformed(f"the purpose {name[:40]!a} is not known") from None


def _grant(record: Mapping[str, Any]) -> Grant:
    granted_at = moment(record.get("granted_at"), "granted_at")
    if granted_at is None:
        raise Malformed("granted_at is missing")
    return Grant(
        source=label(record.get("source"), "source"),
        granted_at=granted_at,
        expires_at=moment(record.get("expires_at"), "expires_at"),
    )


def _profile(record: Mapping[str, Any]) -> Profile:
    updated_at = moment(record.get("updated_at"), "updated_at")
    if updated_at is None:
        raise Malformed("updated_at is missing")
    return Profile(
        preferences=json_object(record.get("preferences"), "preferences"),
        context=json_object(record.get("context"), "context"),
        notes=text(record.get("notes") or "", "notes", most=20_000),
        updated_at=updated_at,
    )


def _superseded(at: str, record: Mapping[str, Any], _: Bounds) -> Ended:
    return Ended(
        at,
        short_name(record.get("user_id"), "user_id"),
        _some_uuid(record.get("id"), "id"),
        _some_uuid(record.get("by"), "by"),
    )


def _some_uuid(value: object, name: str) -> UUID:
    told = _uuid(value, name)
    if told is None:
        raise Malformed(f"{name} is missing")
    return told


def _uuid(value: object, name: str) -> UUID | None:
    if value is None:
        return None
    try:
        return UUID(value if isinstance(value, str) else "")
    except ValueError:
        raise Malformed(f"{name} is no UUID") from None


_READERS: Mapping[str, Callable[[str, Mapping[str, Any], Bounds], Found]] = {
    "user": _user,
    "conversation": _conversation,
    "memory": _memory,
    "superseded": _superseded,
}

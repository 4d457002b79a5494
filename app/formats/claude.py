"""Claude's export: a list of conversations, each a list of messages of several blocks."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from app.domain.conversation import NewConversation, NewMessage, Role
from app.formats.fields import (
    Malformed,
    a_list,
    digest,
    gathered,
    identity,
    json_objects,
    label,
    moment,
    moment_or_told,
    role_of,
    short_name,
    text,
    timed,
)
from app.formats.found import BROKEN, Bounds, Rejected, Said, way_of

_NONE_BEFORE = (None, "", "00000000-0000-4000-8000-000000000000", str(UUID(int=0)))
"""What the first message of a conversation names as the one before it."""

_WORDED = ("text", "voice_note")
"""Kinds of blocks that are what was said."""


def said(at: str, record: Mapping[str, Any], bounds: Bounds) -> Said:
    """
    A conversation; where answers were asked for again, with those that were read last.

    Raises:
        Malformed: It is no conversation.
    """
    begins, untimed = moment_or_told(record.get("created_at"), "created_at", at)
    entries = {
        f"{at}.chat_messages[{place}]": each
        for place, each in enumerate(a_list(record["chat_messages"], "chat_messages"))
    }
    path, unread = _current(entries, record.get("current_leaf_message_uuid"))
    found = gathered(path, lambda each: _messages(each, bounds))
    on_it = {place for place, _ in path}
    beside = [(place, each) for place, each in entries.items() if place not in on_it]
    left = gathered(beside, lambda each: _messages(each, bounds)).messages
    way = None if unread else way_of(_names(found.messages), _names(left))
    conversation = NewConversation(
        external_id=identity(record.get("uuid"))
        or digest(record.get("name"), record.get("created_at")),
        label=label(record.get("name"), "name"),
        created_at=begins,
        messages=timed(found.messages, begins),
    )
    return Said(at, conversation, [*untimed, *unread, *found.rejected], way=way)


def _current(
    entries: Mapping[str, Any], leaf: object
) -> tuple[Sequence[tuple[str, Any]], Sequence[Rejected]]:
    """
    The messages on the way to `leaf`, by their places, and what may be missing of it.

    All of them where none is named.
    """
    named = {each["uuid"]: place for place, each in entries.items() if _is_named(each)}
    path: dict[str, Any] = {}
    while isinstance(leaf, str) and leaf in named and named[leaf] not in path:
        path[named[leaf]] = entries[named[leaf]]
        leaf = entries[named[leaf]].get("parent_message_uuid")
    if not path:
        return list(entries.items()), []
    unread = [
        Rejected(place, "has no uuid, by which what is current is found")
        for place, each in entries.items()
        if not _is_named(each)
    ]
    first = list(path)[-1]
    broken = [] if leaf in _NONE_BEFORE else [Rejected(first, BROKEN)]
    return list(path.items())[::-1], [*broken, *unread]


def _names(messages: Sequence[NewMessage]) -> Iterator[str | None]:
    return (each.external_id for each in messages)


def _is_named(entry: object) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("uuid"), str)


def _messages(entry: object, bounds: Bounds) -> Iterator[NewMessage]:
    """What one message says: itself, and what tools answered in between as messages of theirs."""
    if not isinstance(entry, dict):
        raise Malformed("is no JSON object")
    role = role_of(entry.get("sender"))
    said_at = moment(entry.get("created_at"), "created_at")
    own_id = identity(entry.get("uuid"))
    for place, turn in enumerate(_turns(entry, role)):
        content = "\n\n".join(turn["texts"])
        calls = json_objects(turn["calls"], "tool_use", bounds)
        if not content.strip() and calls is None:
            continue
        yield NewMessage(
            role=turn["role"],
            content=text(content, "text", most=bounds.message_chars) if content.strip() else None,
            external_id=own_id if not place or own_id is None else f"{own_id[:200]}/{place}",
            name=short_name(turn["name"], "name"),
            created_at=said_at,
            tool_calls=calls,
        )


def _turns(entry: Mapping[str, Any], role: Role) -> Sequence[dict[str, Any]]:
    """What was said, cut where a tool answered: an answer of a tool is a turn of its own."""
    blocks = [each for each in a_list(entry.get("content") or [], "content") if each is not None]
    if not any(isinstance(each, dict) and each.get("type") in _WORDED for each in blocks):
        blocks = [{"type": "text", "text": entry.get("text") or ""}, *blocks]
    turns = [_turn(role)]
    for block in [*blocks, *_attachments(entry)]:
        if not isinstance(block, dict):
            raise Malformed("a block of content is no JSON object")
        _add(block, turns, role)
    return turns


def _add(block: Mapping[str, Any], turns: list[dict[str, Any]], role: Role) -> None:
    kind = block.get("type")
    if kind == "tool_result":
        answer = _turn(Role.TOOL) | {"name": block.get("name"), "texts": _texts(block)}
        turns += [answer, _turn(role)]
    elif kind == "tool_use":
        call = {name: block[name] for name in ("id", "name", "input") if block.get(name)}
        turns[-1]["calls"].append(call)
    elif kind in _WORDED and block.get("text"):
        turns[-1]["texts"].append(_one_text(block["text"]))


def _turn(role: Role) -> dict[str, Any]:
    return {"role": role, "name": None, "texts": [], "calls": []}


def _texts(block: Mapping[str, Any]) -> list[str]:
    """What a tool answered: a text, or blocks of which some are."""
    content = block.get("content")
    if isinstance(content, str):
        return [content]
    several = content if isinstance(content, list) else []
    return [
        _one_text(each["text"])
        for each in several
        if isinstance(each, dict) and each.get("type") == "text" and each.get("text")
    ]


def _one_text(value: object) -> str:
    if not isinstance(value, str):
        raise Malformed("text is no text")
    return value


def _attachments(entry: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The texts of files that were attached, each under its name; of pictures the names alone."""
    read: set[object] = set()
    for each in a_list(entry.get("attachments") or [], "attachments"):
        content = each.get("extracted_content") if isinstance(each, dict) else None
        if content:
            name = str(each.get("file_name") or "attachment")
            read.add(name)
            yield {"type": "text", "text": f"[{name}]\n{_one_text(content)}"}
    files = entry.get("files")
    for each in files if isinstance(files, list) else []:
        shown = each.get("file_name") if isinstance(each, dict) else None
        if isinstance(shown, str) and shown.strip() and shown not in read:
            read.add(shown)
            yield {"type": "text", "text": f"[{shown}]"}

"""
Lists of messages as OpenAI's API takes them, alone or in an object that tells more about them.

The body of `POST /conversations` is such an object.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from app.domain.conversation import DEFAULT_IMPORTANCE, NewConversation, NewMessage
from app.formats.fields import (
    LONGEST_LABEL,
    Malformed,
    a_list,
    digest,
    first_of,
    gathered,
    identified,
    identity,
    importance,
    json_objects,
    label,
    metadata,
    moment,
    role_of,
    short_name,
    text,
    timed,
)
from app.formats.found import Bounds, Said

_TIMES = ("created_at", "create_time", "timestamp")


def is_message(value: object) -> bool:
    return (
        isinstance(value, dict)
        and "role" in value
        and not {"content", "tool_calls"}.isdisjoint(value)
    )


def said(at: str, record: Mapping[str, Any], bounds: Bounds) -> Said:
    """
    A conversation of `messages`, in an object that may tell more.

    Raises:
        Malformed: It is none.
    """
    begins = moment(first_of(record, *_TIMES), "created_at")
    entries = a_list(record["messages"], "messages")
    found = gathered(
        ((f"{at}.messages[{place}]", each) for place, each in enumerate(entries)),
        lambda each: messages(each, bounds),
    )
    messages_found = timed(found.messages, begins)
    own = identity(first_of(record, "external_id", "id", "conversation_id"))
    conversation = NewConversation(
        **told_of(record, bounds),
        external_id=own or digest(*map(_told, messages_found)),
        created_at=begins,
        messages=identified(messages_found),
    )
    return Said(at, conversation, found.rejected)


def said_alone(at: str, entries: Sequence[object], bounds: Bounds) -> Said:
    """A conversation that is a list of messages and nothing else."""
    return said(at, {"messages": entries}, bounds)


def told_of(record: Mapping[str, Any], bounds: Bounds) -> dict[str, Any]:
    """What is told of a conversation, but for its ids, time and messages."""
    prompt = record.get("system_prompt")
    return {
        "user_id": short_name(record.get("user_id"), "user_id"),
        "label": label(first_of(record, "label", "title", "name"), "label"),
        "folder": _folder(record.get("folder")),
        "importance": importance(record.get("importance")) or DEFAULT_IMPORTANCE,
        "tags": _tags(record.get("tags"), bounds),
        "metadata": metadata(record.get("metadata"), bounds),
        "system_prompt": None
        if prompt is None
        else text(prompt, "system_prompt", most=bounds.message_chars),
        "archived": record.get("archived") is True,
    }


def messages(entry: object, bounds: Bounds, *, empty: bool = False) -> Iterator[NewMessage]:
    """
    One message, or none if it says nothing; given `empty`, also one whose content is empty.

    Raises:
        Malformed: It is none.
    """
    if not isinstance(entry, dict):
        raise Malformed("is no JSON object")
    role = role_of(entry.get("role"))
    content = _content(entry.get("content"), bounds)
    calls = json_objects(entry.get("tool_calls"), "tool_calls", bounds)
    if calls is None and not (content or (empty and content is not None)):
        return
    yield NewMessage(
        role=role,
        content=content,
        external_id=identity(first_of(entry, "external_id", "id", "message_id")),
        name=short_name(entry.get("name"), "name"),
        created_at=moment(first_of(entry, *_TIMES), "created_at"),
        tool_calls=calls,
        tool_call_id=short_name(entry.get("tool_call_id"), "tool_call_id"),
        importance=importance(entry.get("importance")),
        metadata=metadata(entry.get("metadata"), bounds),
    )


def _content(content: object, bounds: Bounds) -> str | None:
    if isinstance(content, list):
        content = "\n".join(_part(each) for each in content if each is not None)
    if content is None:
        return None
    return text(content, "content", most=bounds.message_chars)


def _part(part: object) -> str:
    """The text of a part; of another kind a word that tells it."""
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        raise Malformed("a part of content is neither text nor a JSON object")
    told = first_of(part, "text", "refusal")
    return told if isinstance(told, str) else f"[{str(part.get('type') or 'attachment')[:40]}]"


def _folder(value: object) -> str | None:
    return None if value is None else text(value, "folder", most=LONGEST_LABEL)


def _tags(value: object, bounds: Bounds) -> Sequence[str]:
    listed = a_list(value or [], "tags")
    if len(listed) > bounds.list_items:
        raise Malformed(f"tags has more than {bounds.list_items} entries")
    return [each for each in (short_name(tag, "tag") for tag in listed) if each is not None]


def _told(message: NewMessage) -> object:
    return [message.role.value, message.name, message.content, message.tool_calls]

"""
Lists of messages as OpenAI's APIs take and give them, alone or in an object that tells more.

The body of `POST /conversations` is such an object.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from app.domain.calls import calls_in
from app.domain.content import mark_of, text_of
from app.domain.conversation import DEFAULT_IMPORTANCE, NewConversation, NewMessage
from app.domain.response_items import as_message
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
    moment_or_told,
    role_of,
    short_name,
    text,
    timed,
)
from app.formats.found import Bounds, Said

TIMES = ("created_at", "create_time", "timestamp")

_WORDS = ("content", "value", "text")
_SAYS = frozenset({*_WORDS, "refusal", "tool_calls", "function_call"})
_THREADS = ("conversation_id", "thread_id", "session_id")


def is_message(value: object) -> bool:
    return isinstance(value, dict) and "role" in value and not _SAYS.isdisjoint(value)


def said(at: str, record: Mapping[str, Any], bounds: Bounds, *, name: str = "messages") -> Said:
    """
    A conversation of the messages called `name`, in an object that may tell more.

    Raises:
        Malformed: It is none.
    """
    entries = a_list(record[name], name)
    places = [(f"{at}.{name}[{place}]", each) for place, each in enumerate(entries)]
    return said_in(at, record, places, bounds)


def threads(at: str, record: Mapping[str, Any], bounds: Bounds, *, name: str) -> Iterator[Said]:
    """
    The conversations that the messages called `name` say they are of, else one of them all.

    Raises:
        Malformed: What the object tells cannot be read.
    """
    several: dict[str | None, list[tuple[str, object]]] = {}
    for place, each in enumerate(a_list(record[name], name)):
        thread = thread_of(each) if isinstance(each, dict) else next(iter(several), None)
        several.setdefault(thread, []).append((f"{at}.{name}[{place}]", each))
    for thread, places in several.items():
        own = {} if thread is None or (len(several) == 1 and _own(record)) else {"id": thread}
        yield said_in(at, {**record, **own}, places, bounds)


def thread_of(entry: Mapping[str, Any]) -> str | None:
    """The conversation that a message says it is of."""
    return identity(first_of(entry, *_THREADS))


def _own(record: Mapping[str, Any]) -> str | None:
    return identity(first_of(record, "external_id", "id", "conversation_id"))


def said_in(
    at: str, record: Mapping[str, Any], places: Sequence[tuple[str, object]], bounds: Bounds
) -> Said:
    """
    A conversation of these entries, which are named by their places.

    Raises:
        Malformed: What the object tells cannot be read.
    """
    begins, untimed = moment_or_told(first_of(record, *TIMES), "created_at", at)
    found = gathered(places, lambda each: messages(each, bounds))
    messages_found = timed(found.messages, begins)
    conversation = NewConversation(
        **told_of(record, bounds),
        external_id=_own(record) or digest(*map(told, messages_found)),
        created_at=begins,
        messages=_oldest_first(found.messages, identified(messages_found)),
    )
    return Said(at, conversation, [*untimed, *found.rejected])


def _oldest_first(told: Sequence[NewMessage], read: list[NewMessage]) -> Sequence[NewMessage]:
    """The messages of a list, which OpenAI's Assistants tell from its end, by the times told."""
    times = [each.created_at for each in told if each.created_at is not None]
    backwards = len(times) == len(told) > 1 and times[0] > times[-1]
    return read[::-1] if backwards and times == sorted(times, reverse=True) else read


def said_alone(at: str, entries: Sequence[object], bounds: Bounds) -> Said:
    """A conversation that is a list of messages and nothing else."""
    return said(at, {"messages": entries}, bounds)


def told_of(record: Mapping[str, Any], bounds: Bounds) -> dict[str, Any]:
    """What is told of a conversation, but for its ids, time and messages."""
    return {
        "user_id": short_name(record.get("user_id"), "user_id"),
        "label": label(first_of(record, "label", "title", "name"), "label"),
        "folder": _folder(record.get("folder")),
        "importance": importance(record.get("importance")) or DEFAULT_IMPORTANCE,
        "tags": _tags(record.get("tags"), bounds),
        "metadata": metadata(record.get("metadata"), bounds),
        "system_prompt": prompt_of(record, bounds),
        "archived": record.get("archived") is True,
    }


def prompt_of(record: Mapping[str, Any], bounds: Bounds) -> str | None:
    """What the model was told before anybody spoke, where that stands beside the messages."""
    told, system = record.get("system_prompt"), record.get("system")
    if told in (None, "") and isinstance(system, str | list):
        told = system
    return _content(told, "system_prompt", bounds) or None


def messages(entry: object, bounds: Bounds, *, empty: bool = False) -> Iterator[NewMessage]:
    """
    One message, or none if it says nothing; given `empty`, also one whose content is empty.

    Raises:
        Malformed: It is none.
    """
    if not isinstance(entry, dict):
        raise Malformed("is no JSON object")
    if (entry := as_message(entry)) is None:
        return
    role = role_of(entry.get("role"))
    if _SAYS.isdisjoint(entry):
        raise Malformed("has neither content nor calls of tools")
    words = next((entry[name] for name in _WORDS if entry.get(name) is not None), None)
    content = _content(words or entry.get("refusal") or words, "content", bounds)
    calls = json_objects(calls_in(entry), "tool_calls", bounds)
    if calls is None and not (content or (empty and content is not None)):
        return
    yield NewMessage(
        role=role,
        content=content,
        external_id=identity(first_of(entry, "external_id", "id", "message_id")),
        name=short_name(entry.get("name"), "name"),
        created_at=moment(first_of(entry, *TIMES), "created_at"),
        tool_calls=calls,
        tool_call_id=short_name(entry.get("tool_call_id"), "tool_call_id"),
        importance=importance(entry.get("importance")),
        metadata=metadata(entry.get("metadata"), bounds),
    )


def _content(content: object, name: str, bounds: Bounds) -> str | None:
    if isinstance(content, list):
        content = "\n".join(_part(each) for each in content if each is not None)
    if content is None:
        return None
    return text(content, name, most=bounds.message_chars)


def _part(part: object) -> str:
    """The text of a part; of another kind a word that tells it."""
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        raise Malformed("a part of content is neither text nor a JSON object")
    told = text_of(part)
    return mark_of(part) if told is None else told


def _folder(value: object) -> str | None:
    return None if value is None else text(value, "folder", most=LONGEST_LABEL)


def _tags(value: object, bounds: Bounds) -> Sequence[str]:
    listed = a_list(value or [], "tags")
    if len(listed) > bounds.list_items:
        raise Malformed(f"tags has more than {bounds.list_items} entries")
    return [each for each in (short_name(tag, "tag") for tag in listed) if each is not None]


def told(message: NewMessage) -> object:
    """What a list that has no id is known by, of each message."""
    return [message.role.value, message.name, message.content, message.tool_calls]

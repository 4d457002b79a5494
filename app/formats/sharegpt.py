"""ShareGPT's lists: conversations of who said what, without times."""

from collections.abc import Iterator, Mapping
from typing import Any

from app.domain.conversation import NewConversation, NewMessage
from app.formats.fields import (
    Malformed,
    a_list,
    digest,
    first_of,
    gathered,
    identified,
    identity,
    label,
    moment,
    moment_or_told,
    role_of,
    text,
    timed,
)
from app.formats.found import Bounds, Said
from app.formats.messages import prompt_of


def is_message(value: object) -> bool:
    return isinstance(value, dict) and "from" in value


def said(at: str, record: Mapping[str, Any], bounds: Bounds, *, name: str) -> Said:
    """
    A conversation of the messages called `name`.

    Raises:
        Malformed: It is none.
    """
    entries = a_list(record[name], name)
    found = gathered(
        ((f"{at}.{name}[{place}]", each) for place, each in enumerate(entries)),
        lambda each: _messages(each, bounds),
    )
    told_at = first_of(record, "created_at", "create_time", "timestamp")
    begins, untimed = moment_or_told(told_at, "created_at", at)
    conversation = NewConversation(
        user_id=identity(record.get("user_id")),
        system_prompt=prompt_of(record, bounds),
        external_id=identity(record.get("id")) or digest(*map(told, found.messages)),
        label=label(first_of(record, "title", "name")),
        created_at=begins,
        messages=identified(timed(found.messages, begins)),
    )
    return Said(at, conversation, [*untimed, *found.rejected])


def told(message: NewMessage) -> object:
    """What a list that has no id is known by, of each message."""
    return [message.role.value, message.content]


def _messages(entry: object, bounds: Bounds) -> Iterator[NewMessage]:
    if not isinstance(entry, dict):
        raise Malformed("is no JSON object")
    role = role_of(first_of(entry, "from", "role"))
    content = text(
        first_of(entry, "value", "text", "content") or "", "value", most=bounds.message_chars
    )
    if content.strip():
        yield NewMessage(
            role=role,
            content=content,
            created_at=moment(first_of(entry, "created_at", "timestamp"), "created_at"),
        )

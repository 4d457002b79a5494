"""Reading one field of an export, whatever it may be."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import blake2b
from typing import Any, TypeVar

import orjson

from app.domain.conversation import NewMessage, Role, role_called
from app.domain.storable import json_bytes, json_problem, text_problem
from app.formats.found import Bounds, Rejected
from app.formats.times import TwoDays, time_of

T = TypeVar("T")

LONGEST_NAME = 255
LONGEST_LABEL = 1_000


class Malformed(Exception):
    """What is there cannot be read; the message is the reason."""


MALFORMED = (Malformed, RecursionError)
"""What reading a field raises: what looks into a value ends where it is nested too deep."""


def reason(error: Malformed | RecursionError) -> str:
    return str(error) if isinstance(error, Malformed) else "is nested too deep"


_LONG_NUMBER = re.compile(rb"[\[:,\s]-?\d{19}")
"""What orjson may round: an integer of more than 64 bits."""


def parsed(raw: bytes) -> Any:  # noqa: ANN401  (JSON)
    """
    What JSON says; also of some that is none strictly: NaN, and halves of characters.

    Raises:
        Malformed: It is none.
    """
    try:
        if not _LONG_NUMBER.search(raw):
            return orjson.loads(raw)
    except ValueError:
        pass
    try:
        return json.loads(raw)
    except RecursionError:
        raise Malformed("is nested too deep") from None
    except json.JSONDecodeError as error:
        raise Malformed(f"is no JSON: {_told_by(error)}"[:200]) from None
    except ValueError as error:
        raise Malformed(f"is no JSON: {error}"[:200]) from None


def _told_by(error: json.JSONDecodeError) -> str:
    """What is wrong, and where; of a line, of which the place tells which one it is, how far in."""
    if "\n" in error.doc:
        return str(error)
    return f"{error.msg.removesuffix(' starting at')} at column {error.colno}"


def a_record(value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise Malformed("is no JSON object")
    return value


def a_list(value: object, name: str) -> Sequence[Any]:
    if not isinstance(value, list):
        raise Malformed(f"{name} is no list")
    return value


def first_of(record: Mapping[str, Any], *names: str) -> Any:  # noqa: ANN401  (JSON)
    """The first of these fields that says anything."""
    return next((record[name] for name in names if record.get(name) not in (None, "")), None)


def text(value: object, name: str, *, most: int) -> str:
    if not isinstance(value, str):
        raise Malformed(f"{name} is no text")
    if len(value) > most:
        raise Malformed(f"{name} has more than {most} characters")
    if (problem := text_problem(value)) is not None:
        raise Malformed(f"{name} {problem}")
    return value


def label(value: object, name: str = "title") -> str | None:
    """A title; what is too long for one is cut."""
    if value is None or value == "":
        return None
    return text(str(value)[:LONGEST_LABEL], name, most=LONGEST_LABEL)


def short_name(value: object, name: str) -> str | None:
    if value is None or value == "":
        return None
    return text(value, name, most=LONGEST_NAME)


def identity(value: object) -> str | None:
    """
    An id as it is stored.

    One that cannot be stored as it is stands in as its digest, the same each time.
    """
    if value is None or value == "" or isinstance(value, bool | list | dict):
        return None
    spelled = str(value)
    if len(spelled) <= LONGEST_NAME and text_problem(spelled) is None:
        return spelled
    return digest(spelled)


def digest(*parts: object) -> str:
    """32 characters that tell these parts from others."""
    return blake2b(_spelled(parts), digest_size=16).hexdigest()


def digests(parts: Iterable[object]) -> Iterator[str]:
    """`digest` of the first part, of the first two, and so on."""
    told, separator = blake2b(b"[", digest_size=16), b""
    for each in parts:
        told.update(separator + _spelled(each))
        separator = b", "
        ended = told.copy()
        ended.update(b"]")
        yield ended.hexdigest()


def _spelled(part: object) -> bytes:
    return json.dumps(part, sort_keys=True, ensure_ascii=True, default=str).encode()


def role_of(value: object) -> Role:
    """The role that others may call otherwise."""
    if value in (None, ""):
        raise Malformed("has no role")
    role = role_called(value) if isinstance(value, str) else None
    if role is None:
        raise Malformed(f"the role {str(value)[:40]!a} is not known")
    return role


def moment(value: object, name: str) -> datetime | None:
    """
    A time, in UTC; None where there is none.

    Raises:
        Malformed: It is no time, or one that could be two.
    """
    if value is None or value == "":
        return None
    try:
        return time_of(value)
    except TwoDays:
        both = f"{str(value)[:40]!a}, by day or by month first"
        raise Malformed(f"{name} could be two days: {both}") from None
    except (ValueError, OverflowError):
        raise Malformed(f"{name} is no time: {str(value)[:40]!a}") from None


def moment_or_told(value: object, name: str, at: str) -> tuple[datetime | None, Sequence[Rejected]]:
    """As `moment`, of what is said at `at`; what is no time is told of, and costs no message."""
    try:
        return moment(value, name), []
    except Malformed as error:
        return None, [Rejected(at, str(error))]


def importance(value: object) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 10:
        raise Malformed("importance is not between 1 and 10")
    return value


def json_object(value: object, name: str) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise Malformed(f"{name} is no JSON object")
    if (problem := json_problem(value)) is not None:
        raise Malformed(f"{name} {problem}")
    return value


def metadata(value: object, bounds: Bounds) -> Mapping[str, Any]:
    return within_bytes(json_object(value, "metadata"), "metadata", bounds)


def within_bytes(value: T, name: str, bounds: Bounds) -> T:
    """`value`, if what it would be as JSON may be stored beside a text."""
    if value and json_bytes(value) > bounds.metadata_bytes:
        raise Malformed(f"{name} has more than {bounds.metadata_bytes} bytes as JSON")
    return value


def json_objects(value: object, name: str, bounds: Bounds) -> Sequence[Mapping[str, Any]] | None:
    if value is None or value == []:
        return None
    listed = a_list(value, name)
    if len(listed) > bounds.list_items:
        raise Malformed(f"{name} has more than {bounds.list_items} entries")
    return within_bytes([json_object(each, name) for each in listed], name, bounds)


@dataclass(frozen=True, slots=True)
class Gathered:
    """The messages of a conversation that could be read, and those that could not."""

    messages: Sequence[NewMessage]
    rejected: Sequence[Rejected]


def gathered(
    entries: Iterable[tuple[str, object]], read: Callable[[Any], Iterable[NewMessage]]
) -> Gathered:
    """Read each of `entries`, which are named by their place."""
    messages: list[NewMessage] = []
    rejected: list[Rejected] = []
    for at, entry in entries:
        try:
            messages += list(read(entry))
        except MALFORMED as error:
            rejected.append(Rejected(at, reason(error)))
    return Gathered(messages, rejected)


def timed(messages: Sequence[NewMessage], begins: datetime | None) -> list[NewMessage]:
    """With the time of what was said before where a message has none."""
    return list(_timed(messages, begins))


def _timed(messages: Sequence[NewMessage], last: datetime | None) -> Iterator[NewMessage]:
    for each in messages:
        last = each.created_at or last
        yield replace(each, created_at=last)


def identified(
    messages: Iterable[NewMessage], first: int = 0, before: Mapping[str, NewMessage] | None = None
) -> list[NewMessage]:
    """
    With an id made of place and content where a message has none: the same each time.

    An id that another message has, here or `before`, is none: many tables tell that of the
    conversation by that name.
    """
    known = dict(before or {})
    return [
        each
        if each.external_id is not None
        and _says(known.setdefault(each.external_id, each)) == _says(each)
        else replace(each, external_id=f"{at}-{digest(*_says(each))}")
        for at, each in enumerate(messages, start=first)
    ]


def _says(message: NewMessage) -> tuple[object, ...]:
    return message.role.value, message.name, message.content, message.tool_calls

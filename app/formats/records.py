"""Reading one record of an export: which kind it is, and what it holds."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from app.formats import chatgpt, claude, completions, foreword, messages, sharegpt
from app.formats.fields import MALFORMED, Malformed, digest, reason
from app.formats.found import Bounds, Found, Rejected, Said

LOOKED_AT = 20
"""Records, or entries of a list, of which the first that can be read tells what the others are."""

_WRAPPED = ("conversations", "data", "chats")
"""What an object may call the list of conversations, or messages, that it consists of."""

_LISTS = ("messages", "conversation", *_WRAPPED, "items")
"""What an object may call its messages."""

_KEYS = frozenset({"record", "mapping", "chat_messages", *_LISTS})


def are_messages(values: Iterable[object]) -> bool:
    """Whether records are messages: whether the first that can be read is one."""
    for each in islice(values, LOOKED_AT):
        if messages.is_message(each):
            return True
        if isinstance(each, list) or (isinstance(each, dict) and not _KEYS.isdisjoint(each)):
            return False
    return False


def found_in(at: str, value: object, bounds: Bounds) -> Iterator[Found]:
    """What a record holds, or the records that it consists of; what cannot be read by its place."""
    if (name := _wrapped(value)) is None:
        yield from _safely(at, value, bounds)
        return
    for place, each in enumerate(value[name]):  # type: ignore[index]
        yield from _safely(f"{at}.{name}[{place}]", each, bounds)


def _wrapped(value: object) -> str | None:
    """The list of conversations that an object consists of, if it does."""
    if not isinstance(value, dict) or not {"record", "mapping", "chat_messages"}.isdisjoint(value):
        return None
    if _spoken(value) is not None:
        return None
    return next((each for each in _WRAPPED if isinstance(value.get(each), list)), None)


def _safely(at: str, value: object, bounds: Bounds) -> Iterator[Found]:
    try:
        yield from _read(at, value, bounds)
    except MALFORMED as error:
        yield Rejected(at, reason(error))


def _read(at: str, value: object, bounds: Bounds) -> Iterator[Found]:
    if isinstance(value, list):
        yield messages.said_alone(at, value, bounds)
    elif not isinstance(value, dict):
        raise Malformed("is neither a JSON object nor a list")
    elif "record" in value:
        yield from foreword.found(at, value, bounds)
    else:
        yield from _said(at, value, bounds)


def _said(at: str, record: Mapping[str, Any], bounds: Bounds) -> Iterator[Said]:
    name = _spoken(record)
    if "mapping" in record:
        yield chatgpt.said(at, record, bounds)
    elif "chat_messages" in record:
        yield claude.said(at, record, bounds)
    elif completions.is_one(record):
        yield completions.said(at, record, bounds)
    elif name is not None and any(map(sharegpt.is_message, _first(record[name]))):
        yield sharegpt.said(at, record, bounds, name=name)
    elif name in _WRAPPED:
        yield from messages.threads(at, record, bounds, name=name)
    elif name is not None or "messages" in record:
        yield messages.said(at, record, bounds, name=name or "messages")
    elif messages.is_message(record):
        yield messages.said(at, {"id": digest(at, record), "messages": [record]}, bounds)
    else:
        raise Malformed("is no conversation of a kind that is known")


def _spoken(record: Mapping[str, Any]) -> str | None:
    """What an object calls its messages, if it has some."""
    return next((each for each in _LISTS if any(map(_is_message, _first(record.get(each))))), None)


def _first(value: object) -> Sequence[object]:
    return value[:LOOKED_AT] if isinstance(value, list) else ()


def _is_message(value: object) -> bool:
    return messages.is_message(value) or sharegpt.is_message(value)

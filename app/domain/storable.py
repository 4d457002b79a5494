"""What both databases store faithfully."""

import json
import math
import re
from collections.abc import Mapping
from typing import Any

import orjson

MOST_JSON_DEPTH = 64

_VALUES = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[,\[{]', re.DOTALL)


def has_more_values(raw: bytes, most: int) -> bool:
    """
    Whether JSON has more values than this, by its texts, commas and opening brackets.

    They are counted before it is parsed: a parser holds up every thread while it runs, and what
    takes two bytes there takes seventy in memory.
    """
    return len(raw) > most and any(at >= most for at, _ in enumerate(_VALUES.finditer(raw)))


def text_problem(text: str) -> str | None:
    """Why a text cannot be stored as it is; None: it can."""
    if "\0" in text:
        return "must not contain the NUL character"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "must not contain lone surrogates"
    return None


def json_problem(value: object, depth: int = 0) -> str | None:
    """The same of JSON."""
    if depth > MOST_JSON_DEPTH:
        return f"must not be nested deeper than {MOST_JSON_DEPTH}"
    match value:
        case str():
            return text_problem(value)
        case float() if not math.isfinite(value):
            return "must not contain NaN or infinite numbers"
        case Mapping():
            inside = [each for pair in value.items() for each in pair]
        case list():
            inside = value
        case _:
            return None
    problems = (json_problem(each, depth + 1) for each in inside)
    return next((each for each in problems if each is not None), None)


def json_spelled(value: object, option: int = 0) -> bytes:
    """JSON, as orjson spells it with its `option`; slower where a number is beyond 64 bits."""
    try:
        return orjson.dumps(value, option=option)
    except TypeError:
        spelled = json.dumps(value, sort_keys=bool(option & orjson.OPT_SORT_KEYS), default=_plain)
        end = "\n" if option & orjson.OPT_APPEND_NEWLINE else ""
        return f"{spelled}{end}".encode()


def _plain(value: object) -> Any:  # noqa: ANN401  (JSON)
    return orjson.loads(orjson.dumps(value))


def json_bytes(value: object) -> int:
    """How many bytes it takes as JSON without blanks, in UTF-8."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def same_json(one: object, other: object) -> bool:
    """Whether both are the same JSON, whatever the order of keys; `true` and `1.0` are no `1`."""
    return json_spelled(one, orjson.OPT_SORT_KEYS) == json_spelled(other, orjson.OPT_SORT_KEYS)

"""What both databases store faithfully."""

import json
import math
from collections.abc import Mapping

MOST_JSON_DEPTH = 64


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


def json_bytes(value: object) -> int:
    """How many bytes it takes as JSON without blanks, in UTF-8."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())

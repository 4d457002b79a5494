"""Answers of models, whole or in events: their JSON, whatever form it is of."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_LINE_ENDS = re.compile("\r\n|\r|\n")


def parsed_in(text: bytes | str) -> Mapping[str, Any]:
    """The object that a text is in JSON; an empty one where it is none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, Mapping) else {}


def events_in(stream: bytes) -> Iterator[str]:
    """The data of each server-sent event; the lines of one that has several, joined."""
    lines: list[str] = []
    for line in [*_LINE_ENDS.split(stream.decode(errors="replace")), ""]:
        if line.startswith("data:"):
            lines.append(line.removeprefix("data:").removeprefix(" "))
        elif not line and lines:
            yield "\n".join(lines)
            lines = []


def objects_in(answer: bytes, *, streamed: bool) -> Iterator[Mapping[str, Any]]:
    """The object of a whole answer, or of each event of one; empty for what is none."""
    yield from map(parsed_in, events_in(answer) if streamed else [answer])


def answers_nothing(answer: bytes, *, streamed: bool) -> bool:
    """
    Whether an answer, of any form, is an error or nothing that could be read.

    Those of Responses have an `error` as well where they were begun; they have an `id` then.
    """
    several = [*objects_in(answer, streamed=streamed)]
    failed = any(told.get("error") or told.get("type") == "error" for told in several)
    begun = any("id" in told for told in several)
    return not any(several) or (failed and (streamed or not begun))

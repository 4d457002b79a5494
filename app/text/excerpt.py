"""The beginning of a text that is too long to be shown whole."""

import re
from math import inf

from app.text.parts import CountTokens

CUT = " […]"
"""What stands where a text was cut."""

_END = re.compile(r"\s+")
_CHARACTERS_PER_TOKEN = 8
"""Far more than tokens mostly have, so that little of a long text is counted."""


def beginning(text: str, room: int, count: CountTokens) -> str | None:
    """
    As much of the beginning of `text` as fits into `room` tokens, and a mark; None for too little.

    It is cut between words where there are any.
    """
    most = min(len(text), room * _CHARACTERS_PER_TOKEN)
    ends = [found.start() for found in _END.finditer(text, 0, most)] or list(range(most))
    low, high = 0, len(ends)
    while low < high:  # the first end that does not fit
        middle = (low + high) // 2
        if count(text[: ends[middle]] + CUT) <= room:
            low = middle + 1
        else:
            high = middle
    start = text[: ends[low - 1]].rstrip() if low else ""
    return start + CUT if start else None


def shown_of(text: str) -> float:
    """The characters of the original that `text`, whole or cut by `beginning`, shows."""
    return len(text) - len(CUT) if text.endswith(CUT) else inf

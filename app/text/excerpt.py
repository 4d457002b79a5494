"""What is shown of a text that is too long to be shown whole."""

import re
from collections.abc import Mapping, Sequence
from math import fsum, inf

from app.text.parts import CountTokens, Part, Seam

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


def telling(
    parts: Sequence[Part], worth: Sequence[Mapping[str, float]], room: int
) -> tuple[int, int] | None:
    """
    Where the most telling run of `parts` that fits into `room` tokens starts and stops.

    It holds the greatest worth, each term counted once; of several the first that begins with a
    sentence or a line, and as much behind it as fits. None where not even one part fits.

    Args:
        parts: Of a text, in order.
        worth: What the terms of each part are worth.
        room: Tokens.
    """
    runs = ((first, _end(parts, first, room)) for first in range(len(parts)))
    fitting = [(first, end) for first, end in runs if end > first]
    if not fitting:
        return None
    first, end = max(
        fitting,
        key=lambda run: (_said(worth[run[0] : run[1]]), parts[run[0]].seam >= Seam.SENTENCE),
    )
    return parts[first].start, parts[end - 1].stop


def _end(parts: Sequence[Part], first: int, room: int) -> int:
    """Behind the last part of the run from `first` that fits."""
    end, left = first, room - (parts[first].tokens - parts[first].joined)
    while end < len(parts) and parts[end].joined <= left:
        left -= parts[end].joined
        end += 1
    return end


def _said(worth: Sequence[Mapping[str, float]]) -> float:
    """What a run is worth."""
    told: dict[str, float] = {}
    for each in worth:
        told.update(each)
    return fsum(told.values())

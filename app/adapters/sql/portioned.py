"""Many rows, some at a time: what they are made of holds the event loop until it is sent off."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

_ROWS = 250
"""Chunks that take some milliseconds to be spelled for full text."""


def portions(rows: Sequence[T]) -> Iterator[Sequence[T]]:
    """All of `rows` in order, none where there are none."""
    for start in range(0, len(rows), _ROWS):
        yield rows[start : start + _ROWS]

"""
What was read of a text lately: a query is read for its vector before all else, for its words and
names while the sources answer, and again by the next request that asks the same.
"""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

_LATELY = 256
"""Texts whose readings are kept, of each way to read them."""

MAX_CHARACTERS = 2_000
"""A longer text is read anew each time, so that what is kept is small."""

_Reading = TypeVar("_Reading")


def remembered(read: Callable[[str], _Reading]) -> Callable[[str], _Reading]:
    """`read`, which depends on its text alone, for a text that was read lately; never changed."""
    known = lru_cache(maxsize=_LATELY)(read)

    @wraps(read)
    def reading_of(text: str) -> _Reading:
        return known(text) if len(text) <= MAX_CHARACTERS else read(text)

    return reading_of

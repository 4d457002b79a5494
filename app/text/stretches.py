"""A long text some characters at a time: what runs through all of it at once holds every thread."""

import re
from collections.abc import Iterator

AT_ONCE = 50_000
"""Characters, through which a pattern takes some milliseconds."""


def stretches(text: str, ends: re.Pattern[str], *, at_once: int = AT_ONCE) -> Iterator[slice]:
    """
    Slices that re-join to `text`, each but the last ending with a match of `ends`.

    They have `at_once` characters and as many more as it takes to such an end.
    """
    start = 0
    while start < len(text):
        found = ends.search(text, start + at_once - 1)
        stop = found.end() if found else len(text)
        yield slice(start, stop)
        start = stop

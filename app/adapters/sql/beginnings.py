"""How texts begin, as a range of an index: LIKE uses none, and in SQLite ignores case."""

import sys

from sqlalchemy import Column, ColumnElement, and_

_SURROGATES, _BEHIND_THEM = 0xD800, 0xE000


def begins_with(column: Column[str] | Column[str | None], beginning: str) -> ColumnElement[bool]:
    """Whether a text begins so; of a column in order of code points (`Ordered`)."""
    end = behind(beginning)
    begun = column >= beginning
    return begun if end is None else and_(begun, column < end)


def behind(beginning: str) -> str | None:
    """The first text, by code points, behind all that begin so; None: there is none."""
    stem = beginning.rstrip(chr(sys.maxunicode))
    if not stem:
        return None
    following = ord(stem[-1]) + 1
    return stem[:-1] + chr(_BEHIND_THEM if following == _SURROGATES else following)

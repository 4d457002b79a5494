"""How an export's file is made up, by its beginning."""

import codecs
from enum import Enum, auto

from app.domain.errors import ImportUnreadable
from app.formats.fields import Malformed, parsed

_LOOKED_AT = 20
"""Lines, of which one that is whole tells that each line is a record: the first may be damaged."""


class Layout(Enum):
    LIST = auto()
    """A JSON array of records."""
    LINES = auto()
    """A record a line."""
    OBJECT = auto()
    """One JSON object on several lines."""
    TABLE = auto()


def layout_of(begins: bytes, *, whole: bool) -> Layout:
    """
    The layout of a file that begins so; `whole` tells that this is all of it.

    Raises:
        ImportUnreadable: It is empty.
    """
    start = begins.removeprefix(codecs.BOM_UTF8).lstrip()
    if not start:
        raise ImportUnreadable("it is empty")
    lines = start.split(b"\n")
    told = [each for each in (lines if whole or len(lines) == 1 else lines[:-1]) if each.strip()]
    several = len(lines) > 1 and bool(b"".join(lines[1:]).strip())
    match start[:1]:
        case b"{":
            each_is_one = not several or any(map(_is_whole, told[:_LOOKED_AT]))
            return Layout.LINES if each_is_one else Layout.OBJECT
        case b"[":
            return Layout.LINES if several and _is_whole(told[0]) else Layout.LIST
    return Layout.TABLE


def _is_whole(line: bytes) -> bool:
    """Whether a line is a JSON object or list by itself, as no line of an indented one is."""
    brackets = line[:1] + line.rstrip()[-1:]
    if brackets not in {b"{}", b"[]"}:
        return False
    try:
        return bool(parsed(line))
    except Malformed:
        return False

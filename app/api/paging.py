"""Pages of lists that are at hand as a whole."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from app.api.schemas.conversations import PageQuery
from app.domain.errors import InvalidCursor
from app.ports.stored import Page


class Named(Protocol):
    @property
    def id(self) -> object: ...


T = TypeVar("T", bound=Named)


def page_of(items: Sequence[T], wanted: PageQuery) -> Page[T]:
    """
    What comes behind the item whose id is the cursor.

    Raises:
        InvalidCursor: There is no such item, or no longer.
    """
    begin = _behind(items, wanted.cursor) if wanted.cursor else 0
    end = begin + wanted.limit
    last = str(items[end - 1].id) if end < len(items) else None
    return Page(items=items[begin:end], next_cursor=last)


def _behind(items: Sequence[Named], cursor: str) -> int:
    for at, item in enumerate(items):
        if str(item.id) == cursor:
            return at + 1
    raise InvalidCursor(cursor=cursor[:100])

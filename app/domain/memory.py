"""What can be recalled, and the one key space that the indexes know it by."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum, StrEnum

from app.domain.ids import ItemKey


class ItemType(StrEnum):
    """The closed union of memory items."""

    MESSAGE = "message"
    CHUNK = "chunk"
    SUMMARY = "summary"
    FACT = "fact"
    TOOL = "tool"
    PROCEDURE = "procedure"
    ENTITY = "entity"
    PROFILE = "profile"
    DOCUMENT = "document"


OF_MESSAGES = frozenset({ItemType.MESSAGE, ItemType.CHUNK})
"""What is a message or a part of one; all else is a memory item of its own."""

RETELLING = frozenset({ItemType.FACT, ItemType.SUMMARY, ItemType.TOOL, ItemType.ENTITY})
"""What says in other words what messages said; these are what a caller can be shown."""


class Table(IntEnum):
    """Where an item's row lies. At most four, since an item key holds two bits for it."""

    MESSAGE = 0
    CHUNK = 1
    MEMORY = 2


_TABLE_BITS = 2
_TABLE_MASK = (1 << _TABLE_BITS) - 1


def item_key(table: Table, row_key: int) -> ItemKey:
    """The item key of row `row_key` (>= 0) of `table`; the inverse of `table_and_row`."""
    return ItemKey(row_key << _TABLE_BITS | table)


PROFILE = ItemKey(-1)
"""Stands where an item key would for the profile that a bundle shows; no row has it."""


def table_and_row(key: ItemKey) -> tuple[Table, int]:
    """The table and the row key behind an item key."""
    return Table(table_of(key)), key >> _TABLE_BITS


def table_of(key: ItemKey) -> int:
    """The number of the table in which the row of an item key lies; it equals its `Table`."""
    return key & _TABLE_MASK


def lies_in(table: Table, key: ItemKey) -> bool:
    """Whether an item key is of a row of `table`."""
    return table_of(key) == table


def rows_of(table: Table, keys: Iterable[ItemKey]) -> list[int]:
    """The row keys of those of `keys` that are of `table`."""
    wanted = int(table)  # many are asked of each read
    return [key >> _TABLE_BITS for key in keys if key & _TABLE_MASK == wanted]


@dataclass(frozen=True, slots=True, kw_only=True)
class LineageEdge:
    """
    One thing that an item was derived from; of a part of it, content[start:stop].

    `kind` is `message`; `document`; `source`, whose id is what the caller named as source; or, of a
    part of any other memory item, `memory`.
    """

    kind: str
    id: str
    external_id: str | None = None
    start: int | None = None
    stop: int | None = None

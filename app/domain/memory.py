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


class Table(IntEnum):
    """Where an item's row lies. At most four, since an item key holds two bits for it."""

    MESSAGE = 0
    CHUNK = 1
    MEMORY = 2


_TABLE_BITS = 2


def item_key(table: Table, row_key: int) -> ItemKey:
    """The item key of row `row_key` (>= 0) of `table`; the inverse of `table_and_row`."""
    return ItemKey(row_key << _TABLE_BITS | table)


def table_and_row(key: ItemKey) -> tuple[Table, int]:
    """The table and the row key behind an item key."""
    return Table(key & (1 << _TABLE_BITS) - 1), key >> _TABLE_BITS


def rows_of(table: Table, keys: Iterable[ItemKey]) -> list[int]:
    """The row keys of those of `keys` that are of `table`."""
    return [row for each, row in map(table_and_row, keys) if each is table]


@dataclass(frozen=True, slots=True, kw_only=True)
class LineageEdge:
    """One thing that an item was derived from; of a part of it, content[start:stop]."""

    kind: str
    id: str
    external_id: str | None = None
    start: int | None = None
    stop: int | None = None

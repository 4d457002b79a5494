"""From when to when items hold: what supersedes ends what it supersedes, unless that has ended."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Column, ColumnElement, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql.dialect import numbers
from app.domain.ids import ItemKey
from app.domain.memory import Table, item_key


def rows_with_parts(keys: Sequence[int]) -> ColumnElement[bool]:
    """Of memory items: these rows, and the parts of those that are documents."""
    i = t.memory_item.c
    return or_(i.key.in_(numbers(keys)), i.parent_key.in_(numbers(keys)))


async def superseded(
    connection: AsyncConnection, row: int, *, by: int | None, now: datetime
) -> Sequence[ItemKey]:
    """Have the item of a row end where that of row `by` begins; the keys of what that changed."""
    i = t.memory_item.c
    ends_at = await _moment(connection, i.ends_at, row)
    begins = None if by is None else await _moment(connection, i.valid_from, by)
    values = {"superseded_by": by, "valid_to": earliest(ends_at, begins), "updated_at": now}
    changed = update(t.memory_item).where(rows_with_parts([row])).values(values)
    keys = (await connection.execute(changed.returning(i.key))).scalars()
    return sorted(item_key(Table.MEMORY, key) for key in keys)


async def _moment(
    connection: AsyncConnection, column: Column[datetime], row: int
) -> datetime | None:
    found = await connection.execute(select(column).where(t.memory_item.c.key == row))
    return found.scalar_one()


def earliest(*moments: datetime | None) -> datetime | None:
    """The first of several ends; None is never."""
    return min((each for each in moments if each is not None), default=None)

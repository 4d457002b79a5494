"""Where a list goes on: the sort key of its last row, opaque to callers."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Column, Row, Select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.domain.errors import InvalidCursor
from app.domain.storable import text_problem
from app.ports.stored import Page


def encode_cursor(place: Sequence[int]) -> str:
    return _spelled(list(place))


def decode_cursor(cursor: str, *, parts: int) -> list[int]:
    """
    The sort key in `cursor`.

    Raises:
        InvalidCursor: It was not made by `encode_cursor` of `parts` numbers.
    """
    place = _read(cursor)
    if not isinstance(place, list) or [type(each) for each in place] != [int] * parts:
        raise InvalidCursor(cursor=cursor[:100])
    if any(abs(each) >= 2**63 for each in place):
        raise InvalidCursor(cursor=cursor[:100])
    return place


def encode_name(name: str) -> str:
    """Of a list in order of names: it goes on there, even if that one is gone by then."""
    return _spelled(name)


def decode_name(cursor: str) -> str:
    """
    The name in `cursor`.

    Raises:
        InvalidCursor: It was not made by `encode_name`.
    """
    name = _read(cursor)
    if not isinstance(name, str) or text_problem(name) is not None:
        raise InvalidCursor(cursor=cursor[:100])
    return name


def _spelled(place: list[int] | str) -> str:
    told = json.dumps(place, ensure_ascii=False)
    return urlsafe_b64encode(told.encode()).decode().rstrip("=")


def _read(cursor: str) -> Any:  # noqa: ANN401  (JSON)
    try:
        return json.loads(urlsafe_b64decode(cursor.encode() + b"=" * (-len(cursor) % 4)))
    except (ValueError, RecursionError) as error:
        raise InvalidCursor(cursor=cursor[:100]) from error


async def newest_first(
    connection: AsyncConnection,
    wanted: Select[Any],
    key: Column[int],
    *,
    cursor: str | None,
    limit: int,
) -> Page[Row[Any]]:
    """
    The rows of `wanted` with the highest of `key`, a column of it.

    Raises:
        InvalidCursor: The cursor is not one of such a list.
    """
    if cursor:
        wanted = wanted.where(key < decode_cursor(cursor, parts=1)[0])
    latest = wanted.order_by(key.desc()).limit(limit + 1)
    rows = (await connection.execute(latest)).all()
    last = rows[limit - 1]._mapping[key] if len(rows) > limit else None  # noqa: SLF001  (SQLAlchemy's public name)
    return Page(items=rows[:limit], next_cursor=None if last is None else encode_cursor([last]))

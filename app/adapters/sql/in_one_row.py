"""
All rows of an answer as one row of SQLite.

To fetch a row, Python's driver lets go of the interpreter and takes it again; where several threads
read, each of a hundred rows is a switch between them, which costs more than the row.
"""

import sqlite3
from collections.abc import Sequence
from typing import Any

import orjson


def in_one_row(statement: str, *, columns: int, bytes_at: Sequence[int]) -> str:
    """
    The same statement, answered by one row: the rows as JSON, with the lengths of what is bytes,
    then of each such column all bytes joined.

    No column may hold a float, of which JSON would keep 15 digits.
    """
    names = [f"c{at}" for at in range(columns)]
    told = (f"length({name})" if at in bytes_at else name for at, name in enumerate(names))
    joined = "".join(f", CAST(group_concat(c{at}, '') AS BLOB)" for at in bytes_at)
    return (
        f"WITH answer({', '.join(names)}) AS ({statement})"  # noqa: S608  (a statement of ours)
        f" SELECT json_group_array(json_array({', '.join(told)})){joined} FROM answer"
    )


def rows_in_one(
    raw: sqlite3.Connection, statement: str, values: Sequence[object], bytes_at: Sequence[int]
) -> Sequence[Sequence[Any]]:
    """
    The rows of an `in_one_row`.

    Raises:
        sqlite3.DataError: Together they are longer than SQLite lets one value be.
    """
    ((told, *joined),) = raw.execute(statement, values).fetchall()
    rows: list[list[Any]] = orjson.loads(told)
    for at, whole in zip(bytes_at, joined, strict=True):
        start = 0
        for row in rows:
            if (length := row[at]) is not None:
                row[at] = whole[start : start + length]
                start += length
    return rows

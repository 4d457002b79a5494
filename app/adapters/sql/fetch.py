"""
The few statements of the hot path, constant and compiled once, asked with as little around them
as there can be.

On SQLite such a read goes to the driver itself: what SQLAlchemy does around each execution costs
more there than SQLite. On PostgreSQL, where the network costs more than both, it is executed as
any other.

Reads that follow from each other are written as one `Reading`: a generator that yields what it
asks and is sent the rows. On SQLite all of it takes one visit to the connection's thread.
"""

import json
import sqlite3
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, TypeVar, cast

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Executable,
    Select,
    TextClause,
    bindparam,
    func,
    text,
)
from sqlalchemy.dialects import sqlite
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql import ClauseElement

from app.adapters.sql.dialect import is_postgres
from app.adapters.sql.in_one_row import in_one_row, rows_in_one
from app.adapters.sql.one_hop import OneHopConnection

T = TypeVar("T")

Rows = Sequence[Sequence[Any]]

Asked = tuple["Constant", Mapping[str, object]]
"""A statement and its values."""

Reading = Generator[Asked, Rows, T]
"""Asks, is sent the rows, asks again, and returns what it made of them."""


@dataclass(frozen=True)
class Constant:
    """
    A read that is the same each time, for each database.

    Rows are as the driver returns them; values must be such that the driver takes them, and
    sequences are passed to `one_of`.
    """

    sqlite: Executable
    postgres: Executable
    bytes_at: Sequence[int] | None = None
    """Of reads of many rows: which of their columns, none of them a float, hold bytes."""

    @classmethod
    def alone(cls, statement: Executable) -> Self:
        """A read that only one of the two is asked."""
        return cls(sqlite=statement, postgres=statement)

    @classmethod
    def of_both(cls, make: Callable[[bool], Executable]) -> Self:
        """What `make` says for SQLite, where it is asked with False, and for PostgreSQL."""
        return cls(sqlite=make(False), postgres=make(True))  # noqa: FBT003  (on_postgres)

    async def fetch(self, connection: AsyncConnection, **values: object) -> Rows:
        return await answered(connection, just(self, values))

    def rows(self, raw: sqlite3.Connection, values: Mapping[str, object]) -> Rows:
        """What SQLite answers, in the thread of the connection."""
        statement, names, defaults = self._compiled
        given = [_as_json(values[name]) if name in values else defaults[name] for name in names]
        if self.bytes_at is not None:
            # What is too much for one row comes row by row.
            with suppress(sqlite3.DataError):
                return rows_in_one(raw, self._in_one_row, given, self.bytes_at)
        return raw.execute(statement, given).fetchall()

    @cached_property
    def _in_one_row(self) -> str:
        columns = len(cast("Select[Any]", self.sqlite).selected_columns)
        return in_one_row(self._compiled[0], columns=columns, bytes_at=self.bytes_at or ())

    @cached_property
    def _compiled(self) -> tuple[str, Sequence[str], Mapping[str, object]]:
        compiled = cast("ClauseElement", self.sqlite).compile(dialect=sqlite.dialect())
        return str(compiled), getattr(compiled, "positiontup", None) or (), compiled.params


def just(statement: Constant, values: Mapping[str, object]) -> Reading[Rows]:
    """One statement alone."""
    return (yield statement, values)


async def answered(connection: AsyncConnection, reading: Reading[T]) -> T:
    """What `reading` makes of its rows."""
    if not is_postgres(connection):
        return await _driver(connection).visit(_answer, reading)
    try:
        statement, values = next(reading)
        while True:
            rows = (await connection.execute(statement.postgres, values)).all()
            statement, values = reading.send(rows)
    except StopIteration as ended:
        return cast("T", ended.value)


async def visited(connection: AsyncConnection, work: Callable[[sqlite3.Connection], T]) -> T:
    """What `work` returns, with SQLite's own connection, in its thread."""
    return await _driver(connection).visit(work)


def _answer(raw: sqlite3.Connection, reading: Reading[T]) -> T:
    try:
        statement, values = next(reading)
        while True:
            statement, values = reading.send(statement.rows(raw, values))
    except StopIteration as ended:
        return cast("T", ended.value)


def one_of(
    column: ColumnElement[Any], name: str, *, on_postgres: bool, of: type[Any] = BigInteger
) -> ColumnElement[bool]:
    """Whether `column` is one of the values, however many, of the parameter `name`."""
    if on_postgres:
        return column == func.any(bindparam(name, type_=ARRAY(of)))
    listed: TextClause = text(f"SELECT value FROM json_each(:{name})")  # noqa: S608  (our own names)
    return column.in_(cast("Any", listed))


def _as_json(value: object) -> object:
    return json.dumps(value) if isinstance(value, list) else value


def _driver(connection: AsyncConnection) -> OneHopConnection:
    pooled = cast("Any", connection.sync_connection).connection
    return cast("OneHopConnection", pooled.driver_connection)

"""
The few statements of the hot path, constant and compiled once, asked with as little around them
as there can be.

On SQLite such a read goes to the driver itself: what SQLAlchemy does around each execution costs
more there than SQLite. On PostgreSQL, where the network costs more than both, it is executed as
any other.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, cast

from sqlalchemy import ColumnElement, Executable, TextClause, bindparam, text
from sqlalchemy.dialects import sqlite
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql import ClauseElement

from app.adapters.sql.dialect import is_postgres
from app.adapters.sql.one_hop import OneHopConnection

Rows = Sequence[Sequence[Any]]


@dataclass(frozen=True)
class Constant:
    """
    A read that is the same each time, for each database.

    Rows are as the driver returns them; values must be such that the driver takes them, and
    sequences are passed to `one_of`.
    """

    sqlite: Executable
    postgres: Executable

    @classmethod
    def on_sqlite(cls, statement: str) -> Self:
        """A read that only SQLite knows."""
        return cls(sqlite=text(statement), postgres=text(statement))

    async def fetch(self, connection: AsyncConnection, **values: object) -> Rows:
        if is_postgres(connection):
            return (await connection.execute(self.postgres, values)).all()
        statement, names, defaults = self._compiled
        given = [_as_json(values[name]) if name in values else defaults[name] for name in names]
        return await _driver(connection).fetch(statement, given)

    @cached_property
    def _compiled(self) -> tuple[str, Sequence[str], Mapping[str, object]]:
        compiled = cast("ClauseElement", self.sqlite).compile(dialect=sqlite.dialect())
        return str(compiled), getattr(compiled, "positiontup", None) or (), compiled.params


def one_of(column: ColumnElement[Any], name: str, *, on_postgres: bool) -> ColumnElement[bool]:
    """Whether `column` is one of the values of the parameter `name`."""
    if on_postgres:
        return column.in_(bindparam(name, expanding=True))
    listed: TextClause = text(f"SELECT value FROM json_each(:{name})")  # noqa: S608  (our own names)
    return column.in_(cast("Any", listed))


def _as_json(value: object) -> object:
    return json.dumps(value) if isinstance(value, list) else value


def _driver(connection: AsyncConnection) -> OneHopConnection:
    pooled = cast("Any", connection.sync_connection).connection
    return cast("OneHopConnection", pooled.driver_connection)

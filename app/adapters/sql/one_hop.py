"""
An aiosqlite connection on which a statement costs one visit to its thread instead of four.

The driver goes to its thread to make a cursor, to execute, to fetch and to close. Each visit is
two switches between threads, which on the short queries of a read cost more than SQLite itself.
Here executing brings the rows along, and a rollback of nothing stays at home.
"""

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, cast

import aiosqlite

from app.adapters.private import own_file

P = ParamSpec("P")
T = TypeVar("T")


class OneHopCursor:
    """The part of a cursor that SQLAlchemy uses; its rows are there once it has executed."""

    def __init__(self, connection: "OneHopConnection") -> None:
        self._connection = connection
        self._rows: list[Any] = []
        self.description: Any = None
        self.rowcount = -1
        self.lastrowid: int | None = None
        self.arraysize = 1

    async def __aenter__(self) -> Self:
        return self

    async def execute(self, statement: str, parameters: Sequence[Any] = ()) -> Self:
        await self._connection.visit(self._execute, statement, parameters)
        return self

    async def executemany(self, statement: str, parameters: Iterable[Sequence[Any]]) -> Self:
        await self._connection.visit(self._executemany, statement, parameters)
        return self

    async def fetchall(self) -> list[Any]:
        return self._rows

    async def close(self) -> None:
        self._rows = []

    def _execute(self, raw: sqlite3.Connection, statement: str, parameters: Sequence[Any]) -> None:
        self._take(raw.execute(statement, parameters))

    def _executemany(
        self, raw: sqlite3.Connection, statement: str, parameters: Iterable[Sequence[Any]]
    ) -> None:
        self._take(raw.executemany(statement, parameters))

    def _take(self, cursor: sqlite3.Cursor) -> None:
        self.description = cursor.description
        self._rows = cursor.fetchall() if cursor.description else []
        self.rowcount, self.lastrowid = cursor.rowcount, cursor.lastrowid
        cursor.close()


class OneHopConnection(aiosqlite.Connection):
    def cursor(self) -> OneHopCursor:  # type: ignore[override]  # what SQLAlchemy needs of one
        return OneHopCursor(self)

    async def visit(
        self,
        work: Callable[Concatenate[sqlite3.Connection, P], T],
        *given: P.args,
        **named: P.kwargs,
    ) -> T:
        """
        What `work` returns on the connection's thread, with the raw connection first.

        Memory that SQLite asked for in vain is an error of the database's, as its others are.
        """
        try:
            done = await self._execute(work, self._conn, *given, **named)  # type: ignore[no-untyped-call]  # theirs
        except MemoryError as error:
            told = sqlite3.OperationalError("out of memory")
            told.sqlite_errorcode = sqlite3.SQLITE_NOMEM
            raise told from error
        return cast("T", done)

    async def rollback(self) -> None:
        if self.in_transaction:
            await super().rollback()


async def connect(database: str, *, timeout: float) -> OneHopConnection:  # noqa: ASYNC109  (SQLite's own)
    def open_raw() -> sqlite3.Connection:
        if database and not database.startswith((":memory:", "file:")):
            own_file(Path(database))  # what SQLite makes beside it has the same mode
        return sqlite3.connect(
            database, timeout=timeout, isolation_level=None, cached_statements=512
        )

    connection = OneHopConnection(open_raw, iter_chunk_size=64)
    connection._thread.daemon = True  # noqa: SLF001  (as SQLAlchemy does for its own)
    try:
        return cast("OneHopConnection", await connection)
    except sqlite3.Error:
        connection._thread.join()  # noqa: SLF001  (it has only to stop, and needs this loop for it)
        raise

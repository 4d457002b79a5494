"""
An aiosqlite connection on which a statement costs one visit to its thread instead of four.

The driver goes to its thread to make a cursor, to execute, to fetch and to close. Each visit is
two switches between threads, which on the short queries of a read cost more than SQLite itself.
Here executing brings the rows along, a rollback of nothing stays at home, and a statement whose
result nobody reads goes along with the next visit: of a transaction that stores a turn each second
one does.
"""

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, cast

import aiosqlite
from sqlalchemy import Connection, event
from sqlalchemy.engine.interfaces import ExecutionContext
from sqlalchemy.ext.asyncio import AsyncEngine

from app.adapters.private import own_file

_UNREAD = "unread"

UNREAD = {_UNREAD: True}
"""Execution options of a statement whose result, and count of rows, nobody reads."""

_WORTH_A_VISIT = 100
"""Rows of one statement: to make more of them ready would hold the event loop meanwhile."""

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
        await self._connection.carry_out(partial(self._execute, statement, parameters))
        return self

    async def executemany(self, statement: str, parameters: Iterable[Sequence[Any]]) -> Self:
        rows = list(parameters)
        work = partial(self._executemany, statement, rows)
        await self._connection.carry_out(work, worth_a_visit=len(rows) >= _WORTH_A_VISIT)
        return self

    async def fetchall(self) -> list[Any]:
        return self._rows

    async def close(self) -> None:
        self._rows = []

    def _execute(self, statement: str, parameters: Sequence[Any], raw: sqlite3.Connection) -> None:
        self._take(raw.execute(statement, parameters))

    def _executemany(
        self, statement: str, parameters: Sequence[Sequence[Any]], raw: sqlite3.Connection
    ) -> None:
        self._take(raw.executemany(statement, parameters))

    def _take(self, cursor: sqlite3.Cursor) -> None:
        self.description = cursor.description
        self._rows = cursor.fetchall() if cursor.description else []
        self.rowcount, self.lastrowid = cursor.rowcount, cursor.lastrowid
        cursor.close()


Statement = Callable[[sqlite3.Connection], None]


class OneHopConnection(aiosqlite.Connection):
    def __init__(self, connector: Callable[[], sqlite3.Connection]) -> None:
        super().__init__(connector, iter_chunk_size=64)
        self._next_is_unread = False
        self._waiting: list[Statement] = []
        self._sent = False
        self._failed: Exception | None = None

    def cursor(self) -> OneHopCursor:  # type: ignore[override]  # what SQLAlchemy needs of one
        return OneHopCursor(self)

    def leave_unread(self) -> None:
        """Nobody reads the result of the next statement: it waits for the one behind it."""
        self._next_is_unread = True

    async def carry_out(self, statement: Statement, *, worth_a_visit: bool = False) -> None:
        unread, self._next_is_unread = self._next_is_unread, False
        if unread and not worth_a_visit:
            self._waiting.append(statement)
        else:
            await self.visit(statement)

    async def visit(
        self,
        work: Callable[Concatenate[sqlite3.Connection, P], T],
        *given: P.args,
        **named: P.kwargs,
    ) -> T:
        """
        What `work` returns on the connection's thread, with the raw connection first; behind what
        waits, whose errors are its own.

        Memory that SQLite asked for in vain is an error of the database's, as its others are.
        """
        waiting, self._waiting = self._waiting, []
        self._sent = self._sent or bool(waiting)
        try:
            done = await self._execute(self._behind, waiting, work, *given, **named)  # type: ignore[no-untyped-call]  # theirs
        except MemoryError as error:
            told = sqlite3.OperationalError("out of memory")
            told.sqlite_errorcode = sqlite3.SQLITE_NOMEM
            raise told from error
        return cast("T", done)

    def _behind(
        self,
        waiting: Sequence[Statement],
        work: Callable[Concatenate[sqlite3.Connection, P], T],
        *given: P.args,
        **named: P.kwargs,
    ) -> T:
        raw = self._conn
        try:
            for each in waiting:
                each(raw)
        except Exception as error:
            self._failed = error
            raise
        return work(raw, *given, **named)

    async def commit(self) -> None:
        """
        Raises:
            sqlite3.Error: Something that waited failed, and what waited behind it was not done.
        """
        if self._failed is not None:
            raise self._failed
        await self.visit(sqlite3.Connection.commit)
        self._sent = False

    async def rollback(self) -> None:
        """Of what may not have been begun yet, too: whoever was cut off knows nothing of it."""
        begun, self._sent = self._sent or self.in_transaction, False
        self._waiting, self._failed, self._next_is_unread = [], None, False
        if begun:
            await super().rollback()


def write_in_turn(writer: AsyncEngine) -> None:
    """Have transactions begin as writers, and what is UNREAD wait for the visit behind it."""

    @event.listens_for(writer.sync_engine, "begin")
    def on_begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE", execution_options=UNREAD)

    @event.listens_for(writer.sync_engine, "before_cursor_execute")
    def on_execute(connection: Connection, *told: object) -> None:
        context = cast("ExecutionContext | None", told[-2])
        if context is not None and context.execution_options.get(_UNREAD):
            driver = connection.connection.driver_connection
            cast("OneHopConnection", driver).leave_unread()


async def connect(database: str, *, timeout: float) -> OneHopConnection:  # noqa: ASYNC109  (SQLite's own)
    def open_raw() -> sqlite3.Connection:
        if database and not database.startswith((":memory:", "file:")):
            own_file(Path(database))  # what SQLite makes beside it has the same mode
        return sqlite3.connect(
            database, timeout=timeout, isolation_level=None, cached_statements=512
        )

    connection = OneHopConnection(open_raw)
    connection._thread.daemon = True  # noqa: SLF001  (as SQLAlchemy does for its own)
    try:
        return cast("OneHopConnection", await connection)
    except sqlite3.Error:
        connection._thread.join()  # noqa: SLF001  (it has only to stop, and needs this loop for it)
        raise

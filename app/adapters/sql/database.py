"""Engines and transactions: one writer and parallel readers on SQLite, pools on PostgreSQL."""

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from sqlalchemy import event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from app.adapters.sql.kept import ALL_BUSY, Kept, dispose_of
from app.adapters.sql.one_hop import connect, write_in_turn
from app.domain.errors import ForewordError, StorageFull, StoreDamaged, StoreUnavailable
from app.domain.storable import json_spelled

_PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA secure_delete = ON",  # what is erased is overwritten, whatever SQLite was built with
    "PRAGMA cache_size = -8192",  # 8 MiB per connection; behind it the system's cache is shared
)


_PAGE, APPLICATION = 4_096, "foreword"
"""Bytes of a page of SQLite; what a PostgreSQL server tells of our connections."""


class Watchman(Protocol):
    """Looks after the file of a database."""

    @property
    def damage(self) -> StoreDamaged | None: ...

    def suspect(self) -> None:
        """Damage was met: see whether it is any."""
        ...


@dataclass(slots=True)
class Refusals:
    """The last write that could not be done, and whether any may be tried."""

    watchman: Watchman | None = None
    _last: tuple[ForewordError, float] | None = None

    def check(self) -> None:
        """
        See whether the file may be written to: what is damaged would be damaged further.

        Raises:
            StoreDamaged: It may not.
        """
        if self.watchman is not None and (found := self.watchman.damage) is not None:
            raise type(found)(found.detail)

    def met(self, error: ForewordError) -> None:
        if self.watchman is not None and isinstance(error, StoreDamaged):
            self.watchman.suspect()

    def note(self, error: ForewordError) -> None:
        self._last = error, time.monotonic()

    def within(self, seconds: float) -> ForewordError | None:
        """Why the last one was refused, if that was so many seconds ago at most."""
        if self._last is None or time.monotonic() - self._last[1] > seconds:
            return None
        return self._last[0]


@dataclass(frozen=True, slots=True)
class Database:
    """
    Where rows live.

    `read` gives a connection for reading; `write` one transaction that commits when its block ends
    well and rolls back when it raises. On SQLite there is one writer at a time.
    """

    reader: AsyncEngine
    writer: AsyncEngine
    refusals: Refusals = field(default_factory=Refusals)
    kept: Kept | None = None
    """The connections of SQLite's readers."""

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        with translated(self.refusals):
            async with self._one_of(self.reader) as connection:
                yield connection

    @asynccontextmanager
    async def read_latest(self) -> AsyncIterator[AsyncConnection]:
        """Like `read`, but never from a replica, which may lag."""
        with translated(self.refusals):
            async with self._one_of(self.writer) as connection:
                yield connection

    @property
    def embedded(self) -> bool:
        """Whether it is a file of this process."""
        return self.writer.dialect.name == "sqlite"

    def _one_of(self, engine: AsyncEngine) -> AbstractAsyncContextManager[AsyncConnection]:
        """Of SQLite always a reader, which sees every commit and is in no writer's way."""
        return engine.connect() if self.kept is None else self.kept.one()

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncConnection]:
        try:
            self.refusals.check()
            with translated(self.refusals):
                async with self.writer.begin() as connection:
                    yield connection
                    self.refusals.check()  # again: it may have waited long for its turn
        except (StorageFull, StoreDamaged, StoreUnavailable) as error:
            self.refusals.note(error)
            raise

    @asynccontextmanager
    async def moment(self) -> AsyncIterator[AsyncConnection]:
        """A connection on which all is of one moment, which is this one: never of a replica."""
        with translated(self.refusals):
            async with self._one_of(self.writer) as connection:
                if self.embedded:
                    await connection.exec_driver_sql("BEGIN")
                else:
                    await connection.execution_options(isolation_level="REPEATABLE READ")
                yield connection

    async def dispose(self) -> None:
        """Close every connection: what is lent now, when it comes back."""
        if self.kept is not None:
            await self.kept.close()
        for engine in {self.reader, self.writer}:
            await dispose_of(engine)


class translated:  # noqa: N801  (reads as a verb)
    """Turns "the database does not answer" into our error; mistakes of ours pass through."""

    def __init__(self, refusals: Refusals | None = None) -> None:
        self._refusals = refusals

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if (ours := _ours(error)) is None:
            return
        if self._refusals is not None:
            self._refusals.met(ours)
        raise ours from error


def _ours(error: BaseException | None) -> ForewordError | None:
    match error:
        case PoolTimeoutError():
            return StoreUnavailable(ALL_BUSY)
        case DBAPIError() if _is_outage(error):
            return _kind(error.orig)(str(error.orig).splitlines()[0][:200])
        case sqlite3.Error():
            return _kind(error)(str(error)[:200])
        case OSError() if not isinstance(error, SQLAlchemyError):
            return StoreUnavailable(str(error) or "no answer in time")
    return None


_KINDS: Mapping[object, type[ForewordError]] = {
    sqlite3.SQLITE_FULL: StorageFull,
    "53100": StorageFull,
    sqlite3.SQLITE_CORRUPT: StoreDamaged,
    sqlite3.SQLITE_CORRUPT_INDEX: StoreDamaged,
    sqlite3.SQLITE_NOTADB: StoreDamaged,
    "XX001": StoreDamaged,
}
"""What another try would not change, by the codes of SQLite and PostgreSQL."""


def _kind(error: BaseException | None) -> type[ForewordError]:
    code = getattr(error, "sqlstate", None) or getattr(error, "sqlite_errorcode", None)
    return _KINDS.get(code, StoreUnavailable)


_OUTAGES = ("08", "25006", "28", "3D", "40", "42P01", "53", "55", "57", "58", "XX")
"""
How the SQLSTATE of a server begins that cannot do it now (PostgreSQL's appendix A).

A table that is not there (42P01) is full text, until it is made anew: the others are migrated.
"""


def _is_outage(error: DBAPIError) -> bool:
    sqlstate = getattr(error.orig, "sqlstate", None) or ""
    return (
        error.connection_invalidated
        or sqlstate.startswith(_OUTAGES)
        or type(error.orig).__name__ in {"OperationalError", "InterfaceError", "DatabaseError"}
    )


def open_database(
    url: str,
    *,
    readers: int = 4,
    busy_timeout: float = 10.0,
    durable: bool = True,
    replica_url: str | None = None,
    max_mb: int | None = None,
) -> Database:
    """
    Open the database at `url` (sqlite+aiosqlite or postgresql+asyncpg).

    Args:
        readers: Connections that read in parallel (PostgreSQL: connections in all).
        busy_timeout: Seconds to wait for a connection, and for another process's lock.
        durable: SQLite only: every commit reaches the disk, not only the operating system.
        replica_url: PostgreSQL only: reads go there.
        max_mb: SQLite only: MiB that the file may have; StorageFull is raised beyond.
    """
    address = make_url(url)
    if address.get_backend_name() == "sqlite":
        return _open_sqlite(address, readers, busy_timeout, durable=durable, max_mb=max_mb)
    writer = _open_postgres(address, readers, busy_timeout)
    reader = _open_postgres(make_url(replica_url), readers, busy_timeout) if replica_url else writer
    return Database(reader, writer)


def _to_json(value: object) -> str:
    return json_spelled(value).decode()


def _open_postgres(address: URL, size: int, timeout: float) -> AsyncEngine:
    longest_wait = f"{max(1, round(timeout * 1000))}ms"
    return create_async_engine(
        address,
        pool_size=size,
        max_overflow=size,
        pool_timeout=timeout,
        pool_pre_ping=True,
        hide_parameters=True,  # errors are logged, and parameters are what people said
        json_serializer=_to_json,
        connect_args={
            "timeout": timeout,
            "server_settings": {"application_name": APPLICATION, "lock_timeout": longest_wait},
        },
    )


def _open_sqlite(
    address: URL, readers: int, timeout: float, *, durable: bool, max_mb: int | None
) -> Database:
    """Readers run without transactions: each statement sees the last commit before it."""
    synchronous = "FULL" if durable else "NORMAL"
    pragmas = (
        *_PRAGMAS,
        f"PRAGMA synchronous = {synchronous}",
        f"PRAGMA busy_timeout = {int(timeout * 1000)}",
    )

    def engine(size: int) -> AsyncEngine:
        return create_async_engine(
            address,
            async_creator=partial(connect, address.database or "", timeout=timeout),
            pool_size=size,
            max_overflow=0,
            pool_timeout=timeout,
            hide_parameters=True,
            json_serializer=_to_json,
        )

    reader, writer = engine(readers), engine(1)
    _prepare(reader, (*pragmas, "PRAGMA query_only = ON"))
    most = () if max_mb is None else (f"PRAGMA max_page_count = {max_mb * 2**20 // _PAGE}",)
    _prepare(writer, (*pragmas, *most))

    write_in_turn(writer)
    kept = Kept(engine=reader, places=asyncio.Semaphore(readers), patience=timeout)
    return Database(reader, writer, kept=kept)


def _prepare(engine: AsyncEngine, pragmas: Sequence[str]) -> None:
    @event.listens_for(engine.sync_engine, "connect")
    def on_connect(connection: DBAPIConnection, _: object) -> None:
        cursor = connection.cursor()
        for pragma in pragmas:
            cursor.execute(pragma)
        cursor.close()

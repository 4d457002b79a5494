"""Connections that stay open between two reads: a pool asks more of each than SQLite does."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from sqlalchemy import event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from sqlalchemy.pool import ConnectionPoolEntry

from app.domain.errors import StoreUnavailable

ALL_BUSY = "every connection stayed busy"
"""Why a read cannot be done that waited too long for one of them."""


@dataclass(slots=True, kw_only=True)
class Kept:
    """
    At most `places` connections of an engine whose readers have no transactions.

    The one that was used last is used next: its pages are the newest. What failed goes back to the
    engine's pool, which looks after it.
    """

    engine: AsyncEngine
    places: asyncio.Semaphore
    patience: float
    """Seconds to wait for a place."""
    in_use: int = 0
    """How many are lent at the moment."""
    _idle: list[AsyncConnection] = field(default_factory=list)
    _closed: bool = False

    @asynccontextmanager
    async def one(self) -> AsyncIterator[AsyncConnection]:
        """
        A connection, until the block ends.

        Raises:
            StoreUnavailable: All stayed busy.
        """
        await self._place()
        self.in_use += 1
        try:
            connection = self._idle.pop() if self._idle else await self.engine.connect()
            try:
                yield connection
                if connection.in_transaction():
                    await connection.rollback()
            except BaseException:
                await asyncio.shield(connection.close())
                raise
            await self._give_back(connection)
        finally:
            self.in_use -= 1
            self.places.release()

    async def _place(self) -> None:
        if not self.places.locked():
            await self.places.acquire()  # at once
            return
        try:
            async with asyncio.timeout(self.patience):
                await self.places.acquire()
        except TimeoutError as error:
            raise StoreUnavailable(ALL_BUSY) from error

    async def _give_back(self, connection: AsyncConnection) -> None:
        if self._closed:
            await connection.close()
        else:
            self._idle.append(connection)

    async def close(self) -> None:
        """Close what is not lent; what is will be closed when it is given back."""
        self._closed = True
        while self._idle:
            await self._idle.pop().close()


async def dispose_of(engine: AsyncEngine) -> None:
    """Close the connections of an engine: what is lent now, when it comes back."""
    event.listen(engine.sync_engine, "checkin", _close)
    await engine.dispose()


def _close(_: DBAPIConnection | None, entry: ConnectionPoolEntry) -> None:
    """A pool that is no more would keep what comes back open, until the collector finds it."""
    entry.close()

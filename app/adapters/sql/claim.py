"""
That one process alone serves a PostgreSQL database with a vector index of its own.

What waits to be indexed lies in the database: of two such processes each would index some of it,
where the other does not find it and cannot erase it.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from logging import getLogger

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from app.adapters.sql.database import translated
from app.domain.errors import IndexHeldElsewhere, StoreUnavailable, VectorIndexUnavailable

_log = getLogger(__name__)

_SERVING = 0x666F7266
"""Of the lock: any number that nobody else takes."""

_NOT_AVAILABLE = "55P03"

_PATIENCE = 5.0
_SETTINGS = {
    "application_name": "foreword",
    "lock_timeout": "1s",  # as long as the server takes to see that a process has ended
    "tcp_keepalives_idle": "30",  # it shall see as well that a machine has
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "3",
}


@dataclass(slots=True)
class Claim:
    """Held on a connection of its own from `take` on; the server ends it with the connection."""

    url: str
    patience: float = _PATIENCE
    """Seconds to wait for the database."""
    _engine: AsyncEngine | None = None
    _connection: AsyncConnection | None = None
    _times: int = 0
    _taking: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def take(self) -> int:
        """
        Have it: taken again where the connection was lost. How many times it was taken so far.

        Raises:
            IndexHeldElsewhere: Another process has it.
            VectorIndexUnavailable: The database does not answer.
        """
        try:
            async with self._taking, asyncio.timeout(self.patience):
                if not await self._is_ours():
                    await self._take()
        except (StoreUnavailable, TimeoutError) as error:
            reason = str(error) or f"none within {self.patience:g} s"
            raise VectorIndexUnavailable(f"no answer of the database: {reason}") from error
        return self._times

    async def aclose(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(SQLAlchemyError, OSError):
                await connection.execute(text("SELECT pg_advisory_unlock_all()"))
            await _close(connection)

    async def _is_ours(self) -> bool:
        if self._connection is None:
            return False
        try:
            await self._connection.execute(text("SELECT 1"))
        except (SQLAlchemyError, OSError) as error:
            _log.warning("the hold on the database was lost", extra={"reason": str(error)[:200]})
            await self.aclose()
            return False
        return True

    async def _take(self) -> None:
        with translated():
            connection = await self._connect()
            try:
                locked = text("SELECT pg_advisory_lock(:key)")
                await connection.execute(locked, {"key": _SERVING})
            except BaseException as error:
                await _close(connection)
                if getattr(getattr(error, "orig", None), "sqlstate", None) == _NOT_AVAILABLE:
                    raise IndexHeldElsewhere from error
                raise
        self._connection, self._times = connection, self._times + 1

    async def _connect(self) -> AsyncConnection:
        if self._engine is None:
            self._engine = create_async_engine(
                self.url,
                poolclass=NullPool,
                isolation_level="AUTOCOMMIT",
                hide_parameters=True,
                connect_args={"timeout": self.patience, "server_settings": _SETTINGS},
            )
        return await self._engine.connect()


async def _close(connection: AsyncConnection) -> None:
    with suppress(SQLAlchemyError, OSError):
        await connection.close()

"""A replica that is read from, and how far it has followed its primary."""

import asyncio
import time
from dataclasses import dataclass, field
from logging import getLogger

from sqlalchemy import text

from app.adapters.sql.database import Database
from app.domain.errors import ForewordError

_log = getLogger(__name__)

_PATIENCE = 5.0
"""Seconds in which a replica that is not in trouble follows."""

_ASKED_EVERY = 0.02

_WRITTEN = text("SELECT CAST(pg_current_wal_insert_lsn() - '0/0' AS bigint)")
_REPLAYED = text(
    "SELECT CASE WHEN pg_is_in_recovery() THEN CAST(pg_last_wal_replay_lsn() - '0/0' AS bigint) END"
)
"""Asked only of a standby: any other tells for ever where its recovery from a crash ended."""

_PAGE = 8_192
_PAGE_HEADERS = (24, 40)
"""Bytes of the log that belong to no record; what is written next stands behind them."""


@dataclass(slots=True)
class Replica:
    """Has what the primary had some moments ago; once it was too late, nobody waits for it."""

    database: Database
    patience: float = _PATIENCE
    _behind: bool = field(default=False, init=False)

    async def follows(self) -> bool:
        """
        Whether it has all that is committed by now, for which some seconds are waited.

        What cannot tell, since it is no standby of PostgreSQL, is believed.
        """
        try:
            followed = await self._waited(0.0 if self._behind else self.patience)
        except ForewordError as error:
            _log.warning("the replica does not answer", extra={"reason": str(error)})
            followed = False
        if not followed and not self._behind:
            _log.warning("the replica is behind: for a while it may show what was erased")
        self._behind = not followed
        return followed

    async def _waited(self, seconds: float) -> bool:
        async with self.database.read_latest() as primary:
            written = _end_of_record((await primary.execute(_WRITTEN)).scalar_one())
        ends = time.monotonic() + seconds
        while (replayed := await self._replayed()) is not None and replayed < written:
            if time.monotonic() >= ends:
                return False
            await asyncio.sleep(_ASKED_EVERY)
        return True

    async def _replayed(self) -> int | None:
        async with self.database.read() as replica:
            at: int | None = (await replica.execute(_REPLAYED)).scalar_one()
        return at


def _end_of_record(at: int) -> int:
    """Where the last record ended, given the place `at` where the next one will stand."""
    return at - at % _PAGE if at % _PAGE in _PAGE_HEADERS else at


def replica_of(database: Database) -> Replica | None:
    apart = not database.embedded and database.reader is not database.writer
    return Replica(database) if apart else None

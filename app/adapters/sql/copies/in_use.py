"""Who else is at a PostgreSQL database: whoever replaces what lies there looks for them first."""

import asyncio
import time
from collections.abc import Sequence

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine
from sqlalchemy.pool import NullPool

from app.adapters.sql.database import APPLICATION, translated

_LOOK_AGAIN = 0.1

_THERE = text(
    "SELECT coalesce(host(client_addr), 'this machine') || ', process ' || pid"
    " FROM pg_stat_activity WHERE datname = current_database() AND application_name = :ours"
    " ORDER BY pid"
)


async def others_at(url: str, *, patience: float) -> Sequence[str]:
    """
    The connections of Foreword to a database, by where they come from; not this one.

    Those of a process that has just ended get so many seconds to go.

    Raises:
        StoreUnavailable: The database does not answer.
    """
    until = time.monotonic() + patience
    engine = create_async_engine(
        url,
        poolclass=NullPool,
        isolation_level="AUTOCOMMIT",  # what is going on is looked at once in a transaction
        connect_args={"server_settings": {"application_name": f"{APPLICATION} (looking)"}},
    )
    with translated():
        async with engine.connect() as connection:
            there = await _there(connection)
            while there and time.monotonic() < until:
                await asyncio.sleep(_LOOK_AGAIN)
                there = await _there(connection)
    return there


async def _there(connection: AsyncConnection) -> Sequence[str]:
    return list((await connection.execute(_THERE, {"ours": APPLICATION})).scalars())

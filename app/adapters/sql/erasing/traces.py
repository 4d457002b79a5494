"""
What erasing leaves in the files of SQLite, where no query finds it.

Rows are overwritten as they are deleted (`secure_delete`). Full text keeps what was taken out of it
until its segments are merged, and the log of changes keeps pages as they were until it is emptied.
PostgreSQL has its own way: vacuum.
"""

import sqlite3

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql.fetch import visited

_PAGES_AT_ONCE = 200
"""Some 800 kB: the one writer is kept for some milliseconds."""

# Below zero: all segments are to become one, and a merge that was begun goes on.
_MERGE = text("INSERT INTO full_text(full_text, rank) VALUES ('merge', :pages)")
_CHANGES = text("SELECT total_changes()")
_NOTHING = 2
"""A merge that has nothing to do counts fewer changes. Source: FTS5, "The 'merge' Command"."""


async def merge_some(connection: AsyncConnection) -> bool:
    """Merge some of full text, in a transaction of its own; whether there may be more to do."""
    before = (await connection.execute(_CHANGES)).scalar_one()
    await connection.execute(_MERGE, {"pages": -_PAGES_AT_ONCE})
    after = (await connection.execute(_CHANGES)).scalar_one()
    return int(after) - int(before) >= _NOTHING


async def empty_log(connection: AsyncConnection) -> bool:
    """Write the log of changes into its file; False while others read or write what it holds."""
    return await visited(connection, _emptied)


def _emptied(raw: sqlite3.Connection) -> bool:
    """Without waiting for anybody: whoever writes would wait meanwhile."""
    (patience,) = raw.execute("PRAGMA busy_timeout").fetchone()
    raw.execute("PRAGMA busy_timeout = 0")
    try:
        busy, _, _ = raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    finally:
        raw.execute(f"PRAGMA busy_timeout = {patience}")
    return not busy

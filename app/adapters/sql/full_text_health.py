"""Whether full text is there and whole, as far as that can be told in a moment; making it anew."""

import sqlite3

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql.dialect import is_postgres
from app.adapters.sql.tables_full_text import (
    CLEAR_SQLITE,
    CREATE_POSTGRES,
    CREATE_SQLITE,
    DROP_POSTGRES,
)

# That the vocabulary is asked shows whether it, and the pages behind it, can be.
_TOTALS = text(
    "SELECT (SELECT block FROM full_text_data WHERE id = 1) AS averages,"
    " (SELECT coalesce(sum(messages), 0) FROM scope) AS counted,"
    " EXISTS (SELECT 1 FROM full_text_vocabulary) AS answers"
)
_EXISTS = text("SELECT to_regclass('full_text') IS NOT NULL")
_HOLDS = text(
    "SELECT EXISTS (SELECT 1 FROM full_text) OR NOT EXISTS (SELECT 1 FROM scope WHERE messages > 0)"
)
_LOST = {
    sqlite3.SQLITE_ERROR,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_CORRUPT_VTAB,
    sqlite3.SQLITE_NOMEM,
}
"""
What SQLite says of FTS5 tables that are missing, or of which a part is, or is garbage.

Garbage that is read as a length asks for more memory than there is.
"""


async def is_sound(connection: AsyncConnection) -> bool:
    """
    Whether full text can be asked and holds as many documents as the scopes count.

    PostgreSQL keeps no number of rows: there it is only seen whether there are any.
    """
    if is_postgres(connection):
        there = (await connection.execute(_EXISTS)).scalar_one()
        return bool(there) and bool((await connection.execute(_HOLDS)).scalar_one())
    try:
        row = (await connection.execute(_TOTALS)).one()
    except DBAPIError as error:
        if getattr(error.orig, "sqlite_errorcode", None) in _LOST:
            return False
        raise
    return bool(_documents(row.averages or b"") == row.counted)


async def make_anew(connection: AsyncConnection) -> None:
    """Replace what is left of it by empty tables."""
    postgres = is_postgres(connection)
    clear, create = (DROP_POSTGRES, CREATE_POSTGRES) if postgres else (CLEAR_SQLITE, CREATE_SQLITE)
    for statement in (*clear, *create):
        await connection.execute(text(statement))


def _documents(averages: bytes) -> int:
    """The first number of FTS5's averages record: its documents, seven bits to a byte."""
    documents = 0
    for byte in averages:
        documents = documents << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return documents

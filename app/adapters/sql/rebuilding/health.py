"""Whether full text is there and whole, as far as that can be told in a moment; making it anew."""

import sqlite3
from collections.abc import Mapping, Sequence

from sqlalchemy import func, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql.dialect import is_postgres
from app.adapters.sql.full_text.entries import scoped
from app.adapters.sql.narrowing.recallable import recallable
from app.adapters.sql.tables_full_text import (
    CLEAR_SQLITE,
    CREATE_POSTGRES,
    CREATE_SQLITE,
    DROP_POSTGRES,
)
from app.domain.ids import ItemKey, ScopeKey
from app.domain.memory import Table, item_key
from app.ports.inspecting import Said
from app.text.echo import own_words

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
_FINDS_SQLITE = text("SELECT 1 FROM full_text WHERE rowid = :key AND full_text MATCH :q")
_FINDS_POSTGRES = text(
    "SELECT 1 FROM full_text WHERE item_key = :key AND document @@ (:q)::tsquery"
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


async def said(connection: AsyncConnection, *, limit: int) -> Sequence[Said]:
    """Messages without chunks, one of every so many."""
    m, c = t.message.c, t.conversation.c
    indexed, shown, _ = recallable()
    whole = (m.chunks == 0, m.terms.is_not(None), indexed, shown)
    inside = c.key == m.conversation_key
    counted = select(func.count()).select_from(t.message)
    step = max(1, -(-(await connection.execute(counted)).scalar_one() // limit))
    wanted = (
        select(m.key, m.scope_key, m.content, m.name, m.echo)
        .join(t.conversation, inside)
        .where(m.key % step == 0, *whole)
        .order_by(m.key)
        .limit(limit)
    )
    return [
        Said(
            key=item_key(Table.MESSAGE, row.key),
            scope=ScopeKey(row.scope_key),
            content=own_words(row.content or "", row.echo or ()),
            name=row.name,
        )
        for row in await connection.execute(wanted)
    ]


async def lacking(
    connection: AsyncConnection, terms: Mapping[ItemKey, tuple[ScopeKey, Sequence[str]]]
) -> Sequence[ItemKey]:
    postgres = is_postgres(connection)
    statement, quote, conjunction = (
        (_FINDS_POSTGRES, "'", " & ") if postgres else (_FINDS_SQLITE, '"', " ")
    )
    missing: list[ItemKey] = []
    for key, (scope, several) in terms.items():
        asked = conjunction.join(f"{quote}{scoped(scope, each)}{quote}" for each in several)
        query = asked if postgres else f"terms : ({asked})"
        if several and not (await connection.execute(statement, {"key": key, "q": query})).first():
            missing.append(key)
    return missing


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

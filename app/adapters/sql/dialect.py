"""The few statements that the two databases spell differently."""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import (
    BindParameter,
    Column,
    ColumnElement,
    Insert,
    Integer,
    LargeBinary,
    Table,
    Text,
    bindparam,
    cast,
    func,
    insert,
    literal,
    select,
    text,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection


def is_postgres(connection: AsyncConnection) -> bool:
    return connection.dialect.name == "postgresql"


async def take_name(connection: AsyncConnection, name: str) -> None:
    """Have what goes by this name until the transaction ends; where there is one writer, it has."""
    if is_postgres(connection):
        held = func.pg_advisory_xact_lock(func.hashtextextended(name, 0))
        await connection.execute(select(held))


async def wait_for_long(connection: AsyncConnection) -> None:
    """In this transaction others' locks are waited for, however long they are held."""
    if is_postgres(connection):
        await connection.execute(text("SET LOCAL lock_timeout = 0"))


def unindexed(column: ColumnElement[int]) -> ColumnElement[int]:
    """
    The column, but no index serves a condition on it.

    For where the rows are known by a better one: SQLite, which keeps no statistics here, may go
    through all that a user has instead.
    """
    return column + 0


def shifted(key: Column[int], bits: int) -> ColumnElement[int]:
    """`key << bits`; PostgreSQL shifts a bigint by an integer only, never by another bigint."""
    return key.op("<<")(literal(bits, Integer))


def insert_or_keep(
    connection: AsyncConnection, table: Table, *, key: Sequence[str]
) -> postgresql.Insert | sqlite.Insert:
    """An insert that leaves rows already there under `key` alone. The database decides, not us."""
    if is_postgres(connection):
        return postgresql.insert(table).on_conflict_do_nothing(index_elements=list(key))
    return sqlite.insert(table).on_conflict_do_nothing(index_elements=list(key))


def insert_or_replace(
    connection: AsyncConnection, table: Table, *, key: Sequence[str], values: Sequence[str]
) -> postgresql.Insert | sqlite.Insert:
    """An insert that sets `values` of rows already there under `key`."""
    if is_postgres(connection):
        server = postgresql.insert(table)
        new = {name: server.excluded[name] for name in values}
        return server.on_conflict_do_update(index_elements=list(key), set_=new)
    embedded = sqlite.insert(table)
    new = {name: embedded.excluded[name] for name in values}
    return embedded.on_conflict_do_update(index_elements=list(key), set_=new)


_AT_ONCE = 50
"""Rows of one statement: SQLite's driver keeps one for each number of them that there was."""


async def keys_added(
    connection: AsyncConnection, table: Table, rows: Sequence[Mapping[str, object]]
) -> Sequence[int]:
    """
    Insert rows; their keys, in order.

    Where there is one writer, keys rise from row to row, so a statement takes many rows: asked to
    keep them in order, SQLAlchemy makes one of each, and a visit to the database.
    """
    in_order = is_postgres(connection)
    keys = (await connection.execute(_adding(table, in_order=in_order), rows)).scalars()
    return list(keys) if in_order else sorted(keys)


@cache
def _adding(table: Table, *, in_order: bool) -> Insert:
    added = insert(table).returning(table.c.key, sort_by_parameter_order=in_order)
    return added if in_order else added.execution_options(insertmanyvalues_page_size=_AT_ONCE)


def octets(connection: AsyncConnection, column: ColumnElement[Any]) -> ColumnElement[int]:
    """How many bytes a text, or JSON, has; 0 where there is none."""
    if is_postgres(connection):
        return func.coalesce(func.octet_length(cast(column, Text)), 0)
    return func.coalesce(func.length(cast(column, LargeBinary)), 0)


def with_text(
    connection: AsyncConnection, document: ColumnElement[Any], name: str, text: str
) -> ColumnElement[Any]:
    """JSON, an object, with `text` under `name`, and all else as it is."""
    if is_postgres(connection):
        path, value = cast([name], postgresql.ARRAY(Text)), cast(text, postgresql.JSONB)
        return func.jsonb_set(document, path, value)
    return func.json_set(document, f'$."{name}"', text)


def numbers(keys: Collection[int]) -> BindParameter[Any]:
    """Keys written into the statement: there may be more of them than it can have parameters."""
    return bindparam(None, sorted(keys), expanding=True, literal_execute=True, unique=True)

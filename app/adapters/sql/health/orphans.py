"""Rows that point to rows that are not there, and dropping those that are derived."""

from collections.abc import Iterator, Sequence

from sqlalchemy import Column, ColumnElement, Table, and_, delete, func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import is_postgres

DERIVED = (
    t.chunk,
    t.lineage,
    d.entity,
    d.entity_alias,
    d.mention,
    d.edge,
    d.edge_evidence,
    d.label_term,
    d.embedding,
    d.distillation,
    d.omission,
    d.period_note,
    d.issued,
    d.idempotency,
)
"""What is nothing without what it points to, parents first."""

_UNCHECKED_POSTGRES = (
    "SELECT conname FROM pg_constraint WHERE contype = 'f' AND NOT convalidated"
    " AND connamespace = current_schema()::regnamespace"
)


async def broken_references(connection: AsyncConnection) -> Sequence[str]:
    """Of the truth; PostgreSQL is asked for the constraints that it does not hold."""
    if is_postgres(connection):
        return list((await connection.execute(text(_UNCHECKED_POSTGRES))).scalars())
    derived = {table.name for table in DERIVED}
    rows = await connection.execute(text("PRAGMA foreign_key_check"))
    return [f"{table} {row}: no {parent}" for table, row, parent, _ in rows if table not in derived]


async def orphans(connection: AsyncConnection) -> Sequence[str]:
    """Of what is derived: for each row that is lost its table, and what it lacks."""
    found: list[str] = []
    for table, column, lost in _lost():
        counted = select(func.count()).select_from(table).where(lost)
        rows = (await connection.execute(counted)).scalar_one()
        found += [f"{table.name}: no {column.table.name}"] * rows
    return found


async def drop_orphans(connection: AsyncConnection) -> None:
    """Parents first, so that what hangs on what is dropped is dropped too."""
    for table, _, lost in _lost():
        await connection.execute(delete(table).where(lost))


def _lost() -> Iterator[tuple[Table, Column[int], ColumnElement[bool]]]:
    """By reference of a derived table: the column that it points to, and that nothing is there."""
    for table in DERIVED:
        for key in sorted(table.foreign_keys, key=lambda each: each.parent.name):
            there = key.column.table.alias("there")
            parent = select(there.c[key.column.name]).where(there.c[key.column.name] == key.parent)
            yield table, key.column, and_(key.parent.is_not(None), ~parent.exists())

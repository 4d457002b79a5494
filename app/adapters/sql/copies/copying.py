"""
Every row of one database into another, of the same kind or not.

Backups are SQLite files whatever they are of, so that one of an embedded service can be restored
to PostgreSQL and the other way round.
"""

import sqlite3
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Table,
    bindparam,
    func,
    insert,
    inspect,
    select,
    text,
    true,
    tuple_,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import is_postgres
from app.adapters.sql.schema import metadata
from app.domain.watching import Step, Watch, unwatched

_BATCH = 1_000

Row = Mapping[str, Any]


def copy_file(source: Path, target: Path) -> None:
    """
    The SQLite database `source`, of one moment, as `target`, while others read and write it.

    What was erased is not in it, nor in its free pages. Where there is no `source` none is made:
    with an empty one, SQLite would throw away the log of the database that somebody may put back.
    """
    there = f"{source.absolute().as_uri()}?mode=rw"
    with closing(sqlite3.connect(there, uri=True)) as connection:
        connection.execute("VACUUM INTO ?", (str(target),))


async def copy_rows(
    source: AsyncConnection, target: AsyncConnection, watch: Watch = unwatched
) -> None:
    """
    All rows of `source` into `target`, whose tables are empty.

    Full text is left out, which is another thing on each database: it is built anew at the start.
    """
    copied, total = 0, sum((await counts(source)).values())
    for table in metadata.sorted_tables:
        own = [column.name for column in table.columns if _points_home(column)]
        pointing: dict[str, list[Row]] = {column: [] for column in own}
        async for rows in _rows(source, table):
            await target.execute(insert(table), [dict(row) | dict.fromkeys(own) for row in rows])
            copied += len(rows)
            watch(Step(name="copying", done=copied, total=total, unit="rows"))
            for column, several in pointing.items():
                several += [
                    {"of_key": row["key"], "to": row[column]} for row in rows if row[column]
                ]
        for column, several in pointing.items():
            await _point(target, table, column, several)
    await _go_on_from(target, await _numbered(source))


async def counts(connection: AsyncConnection) -> Mapping[str, int]:
    """Rows by table, of what is copied, as far as the schema of the database has the tables."""
    found: dict[str, int] = {}
    there = set(await connection.run_sync(lambda each: inspect(each).get_table_names()))
    for table in metadata.sorted_tables:
        if table.name not in there:
            continue
        count = await connection.execute(
            select(func.count()).select_from(table).where(_lasts(table))
        )
        found[table.name] = count.scalar_one()
    return found


async def clear(connection: AsyncConnection) -> None:
    """
    Empty every table of a PostgreSQL database.

    The audit log too, which nobody may shorten otherwise: what is restored brings its own.
    """
    names = ", ".join(f'"{table.name}"' for table in metadata.sorted_tables)
    for statement in (
        "ALTER TABLE audit_log DISABLE TRIGGER USER",
        f"TRUNCATE {names}, full_text RESTART IDENTITY",
        "ALTER TABLE audit_log ENABLE TRIGGER USER",
    ):
        await connection.execute(text(statement))


def _lasts(table: Table) -> ColumnElement[bool]:
    """Of rows: they mean the same on another database. What is told of full text does not."""
    return d.projection.c.name.not_like("full_text%") if table is d.projection else true()


def _points_home(column: Column[Any]) -> bool:
    """Whether a column points to rows of its own table, which may come after it."""
    return any(each.column.table is column.table for each in column.foreign_keys)


async def _rows(connection: AsyncConnection, table: Table) -> AsyncIterator[Sequence[Row]]:
    key = list(table.primary_key.columns)
    wanted = select(table).where(_lasts(table)).order_by(*key).limit(_BATCH)
    last: Sequence[Any] | None = None
    while True:
        page = wanted if last is None else wanted.where(tuple_(*key) > tuple_(*last))
        rows = [dict(row) for row in (await connection.execute(page)).mappings()]
        if rows:
            yield rows
        if len(rows) < _BATCH:
            return
        last = [rows[-1][column.name] for column in key]


async def _point(
    target: AsyncConnection, table: Table, column: str, pointing: Sequence[Row]
) -> None:
    """Set what points to rows of the same table, once they are all there."""
    if pointing:
        by_key = update(table).where(table.c.key == bindparam("of_key"))
        await target.execute(by_key.values({column: bindparam("to")}), pointing)


def _counting() -> Sequence[Table]:
    """The tables that number their rows by themselves."""
    return [
        table
        for table in metadata.sorted_tables
        if [column.name for column in table.primary_key.columns] == ["key"]
    ]


async def _numbered(connection: AsyncConnection) -> Mapping[str, int]:
    """The last key that each table gave out, be it to a row that is gone."""
    last: dict[str, int] = {}
    for table in _counting():
        highest = (await connection.execute(select(func.max(table.c.key)))).scalar_one_or_none()
        last[table.name] = highest or 0
    given = (
        "SELECT substr(sequencename, 1, length(sequencename) - length('_key_seq')), last_value"
        " FROM pg_sequences WHERE schemaname = current_schema() AND last_value IS NOT NULL"
    )
    if not is_postgres(connection):
        given = "SELECT name, seq FROM sqlite_sequence"
    for name, key in await connection.execute(text(given)):
        if name in last:
            last[name] = max(last[name], int(key))
    return last


async def _go_on_from(connection: AsyncConnection, last: Mapping[str, int]) -> None:
    """Give out no key again."""
    for name, key in last.items():
        values = {"name": name, "key": key}
        if key == 0:
            continue
        if is_postgres(connection):
            sequence = "pg_get_serial_sequence(:name, 'key')"
            await connection.execute(text(f"SELECT setval({sequence}, :key)"), values)
        else:
            anew = "INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :key)"
            gone = "DELETE FROM sqlite_sequence WHERE name = :name"
            await connection.execute(text(gone), {"name": name})
            await connection.execute(text(anew), values)

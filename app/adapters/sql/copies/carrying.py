"""What the audit log of a database says, and that of an older copy does not: carried into it."""

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import RowMapping, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables_log as t
from app.adapters.sql.database import Database
from app.domain.audit import Action, Deed
from app.domain.ids import TenantId

_BATCH = 1_000
_LATE = timedelta(hours=1)
"""A line is dated before it is committed: what is younger than this may be in the copy or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    tenant: TenantId
    at: datetime
    deed: Deed


async def carry_over(
    replaced: Database, copy: Database, *, taken_at: datetime, wanted: frozenset[Action]
) -> tuple[int, Sequence[Line]]:
    """
    Add to the log of `copy` what that of `replaced` says since; how many lines, and those `wanted`.

    Raises:
        StoreUnavailable, StoreDamaged: A log cannot be read.
    """
    since, names = taken_at - _LATE, {each.value for each in wanted}
    carried, found = 0, list[Line]()
    async with replaced.read() as source, copy.write() as target:
        known = {_identity(row) async for rows in _lines(target, since) for row in rows}
        async for rows in _lines(source, since):
            missing = [row for row in rows if _identity(row) not in known]
            if missing:
                copied = [{name: row[name] for name in row if name != "key"} for row in missing]
                await target.execute(insert(t.audit_log), copied)
            carried += len(missing)
            found += [_line(row) for row in missing if row["action"] in names]
    return carried, found


async def _lines(
    connection: AsyncConnection, since: datetime
) -> AsyncIterator[Sequence[RowMapping]]:
    c, last = t.audit_log.c, 0
    while True:
        page = select(t.audit_log).where(c.at >= since, c.key > last).order_by(c.key).limit(_BATCH)
        rows = (await connection.execute(page)).mappings().all()
        if rows:
            yield rows
        if len(rows) < _BATCH:
            return
        last = rows[-1]["key"]


def _identity(row: RowMapping) -> tuple[Any, ...]:
    """Keys may differ between the two: the same line is one that says the same."""
    told = ("tenant", "at", "actor", "key_id", "action", "subject")
    return *(row[name] for name in told), json.dumps(row["facts"], sort_keys=True)


def _line(row: RowMapping) -> Line:
    deed = Deed(action=Action(row["action"]), subject=row["subject"], facts=row["facts"])
    return Line(tenant=TenantId(row["tenant"]), at=row["at"], deed=deed)

"""Notes that one worker claims for a time, so that no other works at the same."""

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Table, null, or_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql.dialect import is_postgres


def unclaimed(notes: Table, *, now: datetime) -> ColumnElement[bool]:
    leased_until = notes.c.leased_until
    return or_(leased_until.is_(None), leased_until <= now)


def still_held(notes: Table, *, until: datetime | None) -> ColumnElement[bool]:
    """Whether a note is what its worker claimed: nobody took it since, nor put it away."""
    leased_until = notes.c.leased_until
    return leased_until.is_(None) if until is None else leased_until == until


def put_off(notes: Table, *, due_at: datetime, error: str | None, dead: bool) -> dict[str, Any]:
    """What a note says that is left until `due_at`; with an `error`, after one more attempt."""
    left: dict[str, Any] = {"leased_until": null(), "due_at": due_at}
    if error is not None:
        left |= {"error": error, "dead": dead, "attempts": notes.c.attempts + 1}
    return left


def revived(*, now: datetime) -> dict[str, Any]:
    """What a note says that was given up and is tried again."""
    return {"dead": False, "attempts": 0, "due_at": now, "leased_until": null()}


async def release(connection: AsyncConnection, notes: Table) -> None:
    """On PostgreSQL there may be other processes: leases run out there, and not before."""
    if not is_postgres(connection):
        await connection.execute(update(notes).values(leased_until=null()))

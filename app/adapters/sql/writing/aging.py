"""What time does to memory items, of every tenant: how often they were shown, and their end."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import Select, Update, bindparam, case, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql.answers.receipts import forget_shown
from app.adapters.sql.derived.erasing import erase_items
from app.adapters.sql.fetch import Constant, one_of
from app.adapters.sql.governing.audit import SqlAuditWriter
from app.adapters.sql.one_hop import UNREAD
from app.domain.audit import SERVICE, Action, Deed, subject
from app.domain.ids import ERASED, ScopeKey, TenantId
from app.domain.memory import Table, rows_of
from app.ports import NewId
from app.ports.stored import Access


async def count_accesses(connection: AsyncConnection, several: Sequence[Access]) -> None:
    """A document is shown when a part of it is. Nothing that is cached depends on this."""
    shown = Counter(rows_of(Table.MEMORY, (each.key for each in several)))
    if not shown:
        return
    for key, parent in await _PARENTS.fetch(connection, shown=sorted(shown)):
        shown[parent] += shown[key]
    last = max(each.at for each in several)
    rows = [{"of_key": key, "times": shown[key], "last": last} for key in sorted(shown)]
    await connection.execute(_COUNTED, rows, execution_options=UNREAD)


def _parents(*, on_postgres: bool) -> Select[tuple[int, int | None]]:
    i = t.memory_item.c
    shown = one_of(i.key, "shown", on_postgres=on_postgres)
    return select(i.key, i.parent_key).where(shown, i.parent_key.is_not(None))


def _counted() -> Update:
    i = t.memory_item.c
    later = or_(i.last_accessed_at.is_(None), i.last_accessed_at < bindparam("last"))
    values = {
        "access_count": i.access_count + bindparam("times"),
        "last_accessed_at": case((later, bindparam("last")), else_=i.last_accessed_at),
    }
    return update(t.memory_item).where(i.key == bindparam("of_key")).values(values)


_PARENTS = Constant.of_both(lambda on_postgres: _parents(on_postgres=on_postgres))
_COUNTED = _counted()
"""Made once: this is done behind every few answers."""


async def erase_expired(
    connection: AsyncConnection, *, now: datetime, limit: int, new_id: NewId
) -> int:
    i, s = t.memory_item.c, t.scope.c
    expired = (
        select(i.key, i.id, i.type, i.scope_key, s.tenant)
        .join(t.scope, s.key == i.scope_key)
        .where(i.expires_at <= now, i.parent_key.is_(None), s.tenant != ERASED)
        .order_by(i.expires_at, i.scope_key, i.key)
        .limit(limit)
    )
    rows = (await connection.execute(expired)).all()
    for tenant in sorted({TenantId(row.tenant) for row in rows}):
        gone = [row for row in rows if row.tenant == tenant]
        ours = i.key.in_([row.key for row in gone])
        erased = await erase_items(connection, tenant, ours, now=now)
        scopes = {ScopeKey(row.scope_key) for row in gone}
        await forget_shown(connection, erased.keys, scopes=scopes)
        erasure = {"erasure_id": str(new_id())}
        deeds = [_expired(row.id, {**erasure, "type": row.type}) for row in gone]
        whole = {**erasure, **erased.told()}
        ended = Deed(action=Action.ERASURE_ENDED, subject=f"tenant:{tenant}", facts=whole)
        await SqlAuditWriter(connection, tenant, SERVICE).note(*deeds, ended, now=now)
    return len(rows)


def _expired(item: UUID, facts: Mapping[str, object]) -> Deed:
    return Deed(action=Action.MEMORY_EXPIRED, subject=subject("memory", item), facts=facts)

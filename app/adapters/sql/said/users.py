"""The users of a tenant: a range of an index, and of each the end of another."""

from typing import Any

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql.beginnings import behind
from app.adapters.sql.cursors import decode_name, encode_name
from app.domain.conversation import User
from app.domain.ids import TenantId
from app.ports.stored import Page

_LAST_SAID = (
    select(func.max(t.message.c.created_at))
    .where(t.message.c.scope_key == t.scope.c.key)
    .correlate(t.scope)
    .scalar_subquery()
)


async def users(
    connection: AsyncConnection, tenant: TenantId, *, begins: str, cursor: str | None, limit: int
) -> Page[User]:
    after = decode_name(cursor) if cursor else ""
    wanted = listed(tenant, after=after, begins=begins, limit=limit + 1)
    rows = (await connection.execute(wanted)).all()
    items = [
        User(user_id=row.user_id, created_at=row.created_at, last_message_at=row.last_message_at)
        for row in rows[:limit]
    ]
    more = len(rows) > limit
    return Page(items=items, next_cursor=encode_name(items[-1].user_id) if more else None)


def listed(tenant: TenantId, *, after: str, begins: str, limit: int) -> Select[Any]:
    c = t.scope.c
    return (
        select(c.user_id, c.created_at, _LAST_SAID.label("last_message_at"))
        .where(c.tenant == tenant, *_between(after, begins))
        .order_by(c.user_id)
        .limit(limit)
    )


def _between(after: str, begins: str) -> list[ColumnElement[bool]]:
    """Behind `after`, of what begins so; never the empty id, which is nobody's."""
    user = t.scope.c.user_id
    first = user > after if after >= begins else user >= begins
    end = behind(begins)
    return [first] if end is None else [first, user < end]

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Table, bindparam, exists, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql.dialect import insert_or_keep
from app.domain.conversation import PINNED, Scope
from app.domain.ids import ScopeKey, TenantId


def _pinned(table: Table) -> ColumnElement[bool]:
    return exists().where(table.c.scope_key == t.scope.c.key, table.c.importance == PINNED)


_FIND = select(t.scope, or_(_pinned(t.message), _pinned(t.conversation)).label("has_pinned")).where(
    t.scope.c.tenant == bindparam("of_tenant"), t.scope.c.user_id == bindparam("of_user")
)


@dataclass(frozen=True, slots=True)
class SqlScopes:
    """The users of a tenant; "no user" is stored as the empty string."""

    connection: AsyncConnection
    tenant: TenantId

    async def find(self, user_id: str | None) -> Scope | None:
        values = {"of_tenant": self.tenant, "of_user": user_id or ""}
        row = (await self.connection.execute(_FIND, values)).one_or_none()
        if row is None:
            return None
        return Scope(
            key=ScopeKey(row.key),
            user_id=row.user_id or None,
            version=row.version,
            messages=row.messages,
            terms=row.terms,
            has_pinned=bool(row.has_pinned),
        )

    async def ensure(self, user_id: str | None, *, now: datetime) -> Scope:
        if found := await self.find(user_id):
            return found
        tenants = insert_or_keep(self.connection, t.tenant, key=["id"])
        await self.connection.execute(tenants, {"id": self.tenant, "created_at": now})
        scopes = insert_or_keep(self.connection, t.scope, key=["tenant", "user_id"])
        row = {"tenant": self.tenant, "user_id": user_id or "", "created_at": now}
        await self.connection.execute(scopes, row)
        return await self.ensure(user_id, now=now)

    async def touch(self, key: ScopeKey, *, messages: int = 0, terms: int = 0) -> None:
        await self.connection.execute(
            update(t.scope)
            .where(t.scope.c.key == key, t.scope.c.tenant == self.tenant)
            .values(
                version=t.scope.c.version + 1,
                messages=t.scope.c.messages + messages,
                terms=t.scope.c.terms + terms,
            )
        )

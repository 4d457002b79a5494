from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, Table, bindparam, exists, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql.dialect import insert_or_keep
from app.adapters.sql.fetch import Constant
from app.domain.conversation import PINNED, Scope
from app.domain.ids import ScopeKey, TenantId


def _pinned(table: Table) -> ColumnElement[bool]:
    return exists().where(table.c.scope_key == t.scope.c.key, table.c.importance == PINNED)


def _finding() -> Select[Any]:
    c = t.scope.c
    pinned = or_(_pinned(t.message), _pinned(t.conversation))
    return select(c.key, c.user_id, c.version, c.messages, c.terms, pinned).where(
        c.tenant == bindparam("of_tenant"), c.user_id == bindparam("of_user")
    )


_FIND = Constant(sqlite=_finding(), postgres=_finding())


@dataclass(frozen=True, slots=True)
class SqlScopes:
    """The users of a tenant; "no user" is stored as the empty string."""

    connection: AsyncConnection
    tenant: TenantId

    async def find(self, user_id: str | None) -> Scope | None:
        rows = await _FIND.fetch(self.connection, of_tenant=self.tenant, of_user=user_id or "")
        for key, user, version, messages, terms, pinned in rows:
            return Scope(
                key=ScopeKey(key),
                user_id=user or None,
                version=version,
                messages=messages,
                terms=terms,
                has_pinned=bool(pinned),
            )
        return None

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

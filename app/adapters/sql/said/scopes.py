from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    ScalarSelect,
    Select,
    Table,
    bindparam,
    exists,
    func,
    or_,
    select,
    type_coerce,
    union_all,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import insert_or_keep, is_postgres
from app.adapters.sql.fetch import Constant
from app.adapters.sql.governing.flags import flags_version
from app.adapters.sql.governing.personal import derived_until, profile_until
from app.adapters.sql.one_hop import UNREAD
from app.adapters.sql.said.counters import moved
from app.adapters.sql.said.users import users
from app.adapters.sql.tenants import ensure_tenant
from app.adapters.sql.types import from_micros, to_micros
from app.domain.conversation import PINNED, Scope, User
from app.domain.ids import ScopeKey, TenantId
from app.ports.stored import Page


def _pinned(table: Table) -> ColumnElement[bool]:
    return exists().where(table.c.scope_key == t.scope.c.key, table.c.importance == PINNED)


def _finding(*, user: str, shared: bool) -> Select[Any]:
    """The scope of the user that the parameter `user` names; or what is shared, which has none."""
    c = t.scope.c
    tables = (t.message, t.conversation, t.memory_item)
    return select(
        c.key,
        c.user_id,
        c.version,
        c.messages,
        c.terms,
        or_(*map(_pinned, tables)),
        exists().where(t.memory_item.c.scope_key == c.key),
        exists().where(t.chunk.c.scope_key == c.key),
        exists().where(d.entity.c.scope_key == c.key),
        exists().where(d.label_term.c.scope_key == c.key),
        c.shared,
        profile_until(c.key),
        derived_until(c.key),
        flags_version(c.tenant),
    ).where(
        c.tenant == bindparam("of_tenant"),
        c.user_id == bindparam(user),
        c.shared.is_(shared),
    )


def _changes() -> Sequence[ScalarSelect[int]]:
    """The next beginning, end and expiry of memory items of a scope, in microseconds."""
    i = t.memory_item.c
    moments = [type_coerce(each, BigInteger) for each in (i.valid_from, i.valid_to, i.expires_at)]
    return [
        select(func.min(moment))
        .where(i.scope_key == t.scope.c.key, moment > bindparam("moment", type_=BigInteger))
        .scalar_subquery()
        for moment in moments
    ]


_OF_USER = _finding(user="of_user", shared=False)
_SHARED = _finding(user="of_nobody", shared=True)
_FIND, _FIND_SHARED = Constant.alone(_OF_USER), Constant.alone(_SHARED)
_FIND_READABLE = Constant.alone(
    union_all(*(each.add_columns(*_changes()) for each in (_OF_USER, _SHARED)))
)
"""What is shared of "no user" is asked for by the same name."""


@dataclass(frozen=True, slots=True)
class SqlScopes:
    """The users of a tenant; "no user" is stored as the empty string."""

    connection: AsyncConnection
    tenant: TenantId

    async def find(self, user_id: str | None, *, shared: bool = False) -> Scope | None:
        of = {"of_nobody": ""} if shared else {"of_user": user_id or ""}
        statement = _FIND_SHARED if shared else _FIND
        rows = await statement.fetch(self.connection, of_tenant=self.tenant, **of)
        return _scope(rows[0]) if rows else None

    async def find_user(self, key: ScopeKey) -> str | None:
        c = t.scope.c
        named = select(c.user_id).where(c.key == key, c.tenant == self.tenant)
        return (await self.connection.execute(named)).scalar_one_or_none() or None

    async def readable(self, user_id: str | None, *, now: datetime) -> Sequence[Scope]:
        rows = await _FIND_READABLE.fetch(
            self.connection,
            of_tenant=self.tenant,
            of_user=user_id or "",
            of_nobody="",
            moment=to_micros(now),
        )
        return sorted(map(_scope, rows), key=lambda each: each.shared)

    async def page(self, *, begins: str, cursor: str | None, limit: int) -> Page[User]:
        return await users(self.connection, self.tenant, begins=begins, cursor=cursor, limit=limit)

    async def ensure(self, user_id: str | None, *, now: datetime, shared: bool = False) -> Scope:
        if found := await self.find(user_id, shared=shared):
            return found
        await ensure_tenant(self.connection, self.tenant, now=now)
        scopes = insert_or_keep(self.connection, t.scope, key=["tenant", "user_id", "shared"])
        row = {"tenant": self.tenant, "user_id": user_id or "", "shared": shared}
        await self.connection.execute(scopes, {**row, "created_at": now})
        return await self.ensure(user_id, now=now, shared=shared)

    async def hold(self, key: ScopeKey) -> bool:
        """What is stored of them shares it; where there is one writer, nobody erases meanwhile."""
        if not is_postgres(self.connection):
            return True
        ours = select(t.scope.c.key).where(t.scope.c.key == key, t.scope.c.tenant == self.tenant)
        shared = ours.with_for_update(read=True, key_share=True)
        return (await self.connection.execute(shared)).first() is not None

    async def touch(
        self, key: ScopeKey, *, messages: int = 0, terms: int = 0, erased: bool = False
    ) -> None:
        asked = {"of_scope": key, "of_tenant": self.tenant, "documents": messages, "words": terms}
        await self.connection.execute(
            _ERASED_IN if erased else _TOUCHED, asked, execution_options=UNREAD
        )


_TOUCHED = moved(t.scope.c.tenant == bindparam("of_tenant"))
_ERASED_IN = _TOUCHED.values(erased_version=t.scope.c.version + 1)


async def hold_scopes(
    connection: AsyncConnection,
    scopes: Sequence[int] | Select[tuple[int]],
    *,
    entirely: bool = False,
) -> None:
    """
    Take these scopes, or those that are selected, for this transaction; where there is one writer,
    it has them.

    Whoever takes several rows takes conversations first, then scopes, then messages, then memory
    items, and of each the lower keys first: so nobody waits for somebody who waits for them. Who
    stores a row of a scope is not kept from it; given `entirely`, they are.
    """
    if is_postgres(connection):
        c = t.scope.c
        in_order = select(c.key).where(c.key.in_(scopes)).order_by(c.key)
        await connection.execute(in_order.with_for_update(key_share=not entirely))


def _scope(row: Sequence[Any]) -> Scope:
    key, user, version, messages, terms, pinned, items, *told = row
    chunks, entities, labels, shared, profile, derived, flags, *changes = told
    first = min((each for each in changes if each is not None), default=None)
    return Scope(
        key=ScopeKey(key),
        user_id=user or None,
        version=version,
        messages=messages,
        terms=terms,
        has_pinned=bool(pinned),
        has_items=bool(items),
        has_chunks=bool(chunks),
        changes_at=None if first is None else from_micros(first),
        has_entities=bool(entities),
        has_labels=bool(labels),
        shared=bool(shared),
        profile_until=None if profile is None else from_micros(profile),
        derived_until=None if derived is None else from_micros(derived),
        flags_version=flags,
    )

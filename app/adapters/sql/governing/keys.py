"""API keys: of one tenant, and, to let callers in, of all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, bindparam, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql.cursors import newest_first
from app.adapters.sql.tenants import ensure_tenant
from app.domain.errors import KeyNotFound
from app.domain.ids import KeyId, TenantId
from app.domain.keys import ApiKey, Permission, in_order
from app.ports.stored import Page

_c = t.api_key.c


@dataclass(frozen=True, slots=True)
class SqlKeys:
    """The keys of one tenant."""

    connection: AsyncConnection
    tenant: TenantId

    async def page(self, *, cursor: str | None, limit: int) -> Page[ApiKey]:
        ours = select(t.api_key).where(_c.tenant == self.tenant)
        page = await newest_first(self.connection, ours, _c.key, cursor=cursor, limit=limit)
        return page.of(_key)

    async def add(self, key: ApiKey, *, secret_hash: bytes) -> None:
        await ensure_tenant(self.connection, self.tenant, now=key.created_at)
        row = {
            "id": key.id,
            "tenant": self.tenant,
            "name": key.name,
            "hash": secret_hash,
            "scopes": [each.value for each in in_order(key.permissions)],
            "created_at": key.created_at,
            "expires_at": key.expires_at,
        }
        await self.connection.execute(insert(t.api_key), row)

    async def revoke(self, key_id: KeyId, *, now: datetime) -> tuple[ApiKey, bool]:
        ours = (_c.tenant == self.tenant, _c.id == key_id)
        closing = update(t.api_key).where(*ours, _c.revoked_at.is_(None)).values(revoked_at=now)
        closed = (await self.connection.execute(closing)).rowcount > 0
        row = (await self.connection.execute(select(t.api_key).where(*ours))).one_or_none()
        if row is None:
            raise KeyNotFound(key_id=str(key_id))
        return _key(row), closed


@dataclass(frozen=True, slots=True)
class SqlAdmission:
    """Keys of every tenant: who a caller is, is known by them."""

    connection: AsyncConnection

    async def find_key(self, secret_hash: bytes) -> ApiKey | None:
        wanted = select(t.api_key).where(_c.hash == secret_hash)
        row = (await self.connection.execute(wanted)).one_or_none()
        return None if row is None else _key(row)

    async def hashes(self) -> frozenset[bytes]:
        return frozenset((await self.connection.execute(select(_c.hash))).scalars())

    async def any_key(self) -> bool:
        return (await self.connection.execute(select(_c.key).limit(1))).first() is not None

    async def keys(self, tenant: TenantId | None) -> Sequence[ApiKey]:
        wanted = select(t.api_key).order_by(_c.tenant, _c.key)
        if tenant is not None:
            wanted = wanted.where(_c.tenant == tenant)
        return [_key(row) for row in await self.connection.execute(wanted)]


async def note_uses(connection: AsyncConnection, uses: Mapping[KeyId, datetime]) -> None:
    later = (
        update(t.api_key)
        .where(_c.id == bindparam("used"))
        .where(or_(_c.last_used_at.is_(None), _c.last_used_at < bindparam("at")))
        .values(last_used_at=bindparam("at"))
    )
    rows = [{"used": key, "at": at} for key, at in sorted(uses.items())]
    if rows:
        await connection.execute(later, rows)


def _key(row: Row[Any]) -> ApiKey:
    return ApiKey(
        id=KeyId(row.id),
        tenant=TenantId(row.tenant),
        name=row.name,
        permissions=frozenset(map(Permission, row.scopes)),
        created_at=row.created_at,
        expires_at=row.expires_at,
        last_used_at=row.last_used_at,
        revoked_at=row.revoked_at,
    )

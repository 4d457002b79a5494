"""The flags of one tenant: what differs from the defaults, by name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Column, ScalarSelect, and_, delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql.dialect import insert_or_replace
from app.adapters.sql.tenants import ensure_tenant
from app.domain.flags import Flags, FlagState
from app.domain.ids import TenantId


def flags_version(tenant: Column[str]) -> ScalarSelect[int]:
    """To be read along with something else of a tenant."""
    return select(t.tenant.c.flags_version).where(t.tenant.c.id == tenant).scalar_subquery()


@dataclass(frozen=True, slots=True)
class SqlFlags:
    connection: AsyncConnection
    tenant: TenantId

    async def get(self) -> FlagState:
        f = t.flag.c
        switched = and_(f.tenant == t.tenant.c.id, f.name.in_(Flags.__slots__))
        wanted = (
            select(t.tenant.c.flags_version, f.name, f.value)
            .select_from(t.tenant.outerjoin(t.flag, switched))
            .where(t.tenant.c.id == self.tenant)
        )
        rows = (await self.connection.execute(wanted)).all()
        if not rows:
            return FlagState()
        given = {row.name: row.value for row in rows if row.name is not None}
        return FlagState(version=rows[0].flags_version, flags=Flags(**given))

    async def change(
        self, given: Mapping[str, bool | int], *, reset: Sequence[str], now: datetime
    ) -> FlagState:
        """The version first: it holds the row, and other changes of this tenant wait."""
        await ensure_tenant(self.connection, self.tenant, now=now)
        c = t.tenant.c
        await self.connection.execute(
            update(t.tenant).where(c.id == self.tenant).values(flags_version=c.flags_version + 1)
        )
        f = t.flag.c
        await self.connection.execute(
            delete(t.flag).where(f.tenant == self.tenant, f.name.in_(reset))
        )
        if given:
            values = ["value", "updated_at"]
            put = insert_or_replace(self.connection, t.flag, key=["tenant", "name"], values=values)
            row = {"tenant": self.tenant, "updated_at": now}
            rows = [{**row, "name": name, "value": value} for name, value in given.items()]
            await self.connection.execute(put, rows)
        return await self.get()

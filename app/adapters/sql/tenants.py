from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql.dialect import insert_or_keep
from app.domain.ids import TenantId


async def ensure_tenant(connection: AsyncConnection, tenant: TenantId, *, now: datetime) -> None:
    """Store a tenant, unless it is known already."""
    tenants = insert_or_keep(connection, t.tenant, key=["id"])
    await connection.execute(tenants, {"id": tenant, "created_at": now})

"""Who may get in is no content: what is replaced keeps its keys, whatever a backup holds."""

from sqlalchemy import delete, func, insert, select

from app.adapters.sql import tables as t
from app.adapters.sql.database import Database
from app.adapters.sql.tenants import ensure_tenant

_SINCE = "tenant_since"
_KEYS = (
    select(
        t.api_key,
        func.coalesce(t.tenant.c.created_at, t.api_key.c.created_at).label(_SINCE),
    )
    .outerjoin(t.tenant, t.tenant.c.id == t.api_key.c.tenant)
    .order_by(t.api_key.c.key)
)


async def keep_keys(replaced: Database, copy: Database) -> int:
    """
    Put the keys of `replaced` in the place of those of `copy`; how many, closed ones too.

    Where `replaced` never had one, those of `copy` stay. A key brings its tenant along.

    Raises:
        StoreUnavailable, StoreDamaged: They cannot be read.
    """
    async with replaced.read() as source, copy.write() as target:
        keys = [dict(row) for row in (await source.execute(_KEYS)).mappings()]
        if not keys:
            return 0
        tenants = {key["tenant"]: key.pop(_SINCE) for key in keys}
        for tenant, since in sorted(tenants.items()):
            await ensure_tenant(target, tenant, now=since)
        await target.execute(delete(t.api_key))
        await target.execute(insert(t.api_key), keys)
    return len(keys)

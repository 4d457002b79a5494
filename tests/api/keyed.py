"""Callers with keys."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

from asgi_lifespan import LifespanManager
from httpx import ASGITransport, AsyncClient

from app.domain.ids import KeyId
from app.domain.keys import permissions_named, tenant_named
from app.main import create_app
from app.settings import Settings
from app.wiring.keys import a_key_ring

EVERYTHING = "read,write,admin"


async def a_key(
    settings: Settings,
    tenant: str = "acme",
    scopes: str = "read,write",
    expires_at: datetime | None = None,
) -> tuple[KeyId, str]:
    """A key made beside the service, as the command makes it: its id, and how it is written."""
    async with a_key_ring(settings) as ring:
        made, spelled = await ring.create(
            tenant_named(tenant),
            name=f"of {tenant}",
            permissions=permissions_named(scopes),
            expires_at=expires_at,
        )
    return made.id, spelled


@asynccontextmanager
async def the_service(settings: Settings) -> AsyncIterator[Any]:
    """The application, running."""
    async with LifespanManager(
        create_app(settings), startup_timeout=60, shutdown_timeout=60
    ) as manager:
        yield manager.app


def a_caller(
    app: Any, key: str | None = None, *, address: str = "127.0.0.1", host: str = "foreword"
) -> AsyncClient:
    """A client of the application, of `address`, under `key`."""
    return AsyncClient(
        transport=ASGITransport(app, client=(address, 50_000)),
        base_url=f"http://{host}",
        headers={} if key is None else {"Authorization": f"Bearer {key}"},
        timeout=60,
    )


async def revoke(settings: Settings, tenant: str, key_id: KeyId) -> None:
    """As the command does it, beside the service."""
    async with a_key_ring(settings) as ring:
        await ring.revoke(tenant_named(tenant), key_id)

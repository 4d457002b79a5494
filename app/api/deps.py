"""
What a route may ask for. Routes never reach into `request.state` themselves.

Coroutines all of them: FastAPI sends plain functions to a thread, which costs more than they do.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, TypedDict, cast

from fastapi import Depends, Request

from app.adapters.telemetry import PrometheusTelemetry
from app.domain.ids import LOCAL_TENANT, TenantId
from app.ports.store import Store
from app.services.cached import CachedForge
from app.services.forget import Forgetter
from app.services.ingest import Ingestor
from app.services.readiness import Readiness
from app.services.receipts import Replayer
from app.services.waiting import IndexWaiter


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """Everything that routes are made of."""

    store: Store
    ingestor: Ingestor
    waiter: IndexWaiter
    forge: CachedForge
    replayer: Replayer
    forgetter: Forgetter
    readiness: Readiness
    telemetry: PrometheusTelemetry
    flags: Mapping[str, object]
    """What is switched on, as /memory/debug/retrieval shows it."""


class AppState(TypedDict):
    services: Services


async def _services(request: Request) -> Services:
    return cast("Services", request.state.services)


async def _tenant() -> TenantId:
    """Until keys exist, everything belongs to one local tenant."""
    return LOCAL_TENANT


Use = Annotated[Services, Depends(_services)]
Tenant = Annotated[TenantId, Depends(_tenant)]

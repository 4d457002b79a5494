"""HTTP over services whose clock stands in the hand of a test."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

from asgi_lifespan import LifespanManager
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient

from app.adapters.telemetry import PrometheusTelemetry
from app.api import (
    admin,
    context,
    conversations,
    entities,
    flags,
    inside,
    memories,
    moving,
    users,
)
from app.api.paths import EncodedSlashes
from app.api.problems import install_problem_handlers
from app.domain.ids import LOCAL_TENANT
from app.domain.keys import ANYONE_HERE
from app.services.exporting import Exporter
from app.services.generations import Generation, Generations
from app.services.logbook import Logbook
from app.services.measuring import Meter
from app.services.readiness import Readiness
from app.services.rebuilding import Rebuilder
from app.services.succession import Successor
from app.services.waiting import IndexWaiter
from tests.fakes import Memory

ROUTERS = (
    *(conversations.router, users.router, context.router),
    *(flags.router, inside.router, admin.router),
    *(memories.router, entities.router, moving.router),
)


async def _nothing_to_retire(_: Sequence[str]) -> None:
    """There is one model only."""


def services_of(memory: Memory) -> SimpleNamespace:
    """Those that what users do needs; jobs, keys and the like are not among them."""
    telemetry = PrometheusTelemetry()
    readiness = Readiness(
        store=memory.store,
        embedder=memory.embedder,
        reranker=None,
        vectors=memory.vectors,
        healer=memory.healer,
        rebuilder=Rebuilder(store=memory.store),
        successor=Successor(
            store=memory.store,
            generations=Generations(Generation(memory.embedder, memory.vectors)),
            clock=memory.clock,
            retire=_nothing_to_retire,
        ),
        consolidator=memory.consolidator,
        telemetry=telemetry,
        clock=memory.clock,
    )
    return SimpleNamespace(
        store=memory.store,
        ingestor=memory.ingestor,
        waiter=IndexWaiter(memory.store, memory.indexer),
        forge=memory.cached,
        replayer=memory.replayer,
        forgetter=memory.forgetter,
        readiness=readiness,
        sizes=readiness.sizes,
        telemetry=telemetry,
        flags=memory.flags,
        meter=Meter(store=memory.store, clock=memory.clock),
        steward=memory.steward,
        keeper=memory.keeper,
        exporter=Exporter(
            store=memory.store,
            clock=memory.clock,
            logbook=Logbook(store=memory.store, clock=memory.clock, tenant=LOCAL_TENANT),
        ),
    )


@asynccontextmanager
async def talking_over(memory: Memory) -> AsyncIterator[AsyncClient]:
    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[dict[str, Any]]:
        yield {"services": services_of(memory), "caller": ANYONE_HERE}

    app = FastAPI(lifespan=lifespan)
    install_problem_handlers(app)
    app.add_middleware(EncodedSlashes)
    for router in ROUTERS:
        app.include_router(router)
    async with (
        LifespanManager(app) as running,
        AsyncClient(transport=ASGITransport(running.app), base_url="http://foreword") as client,
    ):
        yield client

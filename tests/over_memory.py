"""HTTP over services whose clock stands in the hand of a test."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

from asgi_lifespan import LifespanManager
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient
from starlette.routing import Route

from app.adapters.telemetry import PrometheusTelemetry
from app.api.deps import Mounted, Proxy
from app.api.mcp.late import answering_late
from app.api.paths import EncodedSlashes
from app.api.problems import install_problem_handlers
from app.api.routes import (
    admin,
    context,
    conversations,
    entities,
    flags,
    inside,
    memories,
    moving,
    proxy,
    users,
)
from app.domain.ids import LOCAL_TENANT
from app.domain.keys import ANYONE_HERE
from app.services.common.logbook import Logbook
from app.services.indexing.generations import Generation, Generations
from app.services.indexing.rebuilding import Rebuilder
from app.services.indexing.succession import Successor
from app.services.memories.viewing import Viewer
from app.services.moving.exporting import Exporter
from app.services.operating.measuring import Meter
from app.services.operating.readiness import Readiness
from app.services.writing.waiting import IndexWaiter
from tests.fakes import Memory

ROUTERS = (
    *(conversations.router, users.router, context.router),
    *(flags.router, inside.router, admin.router),
    *(memories.router, entities.router, moving.router, proxy.router),
)
_MOST_ASKED = 1_000_000


async def _nothing_to_retire(_: Sequence[str]) -> None:
    """There is one model only."""


def services_of(memory: Memory, before_model: Proxy | None) -> SimpleNamespace:
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
        viewer=Viewer(memory.keeper.preparer.tokens),
        exporter=Exporter(
            store=memory.store,
            clock=memory.clock,
            logbook=Logbook(store=memory.store, clock=memory.clock, tenant=LOCAL_TENANT),
        ),
        proxy=before_model,
    )


@asynccontextmanager
async def talking_over(
    memory: Memory, before_model: Proxy | None = None
) -> AsyncIterator[AsyncClient]:
    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[dict[str, Any]]:
        services: Any = services_of(memory, before_model)
        async with answering_late(services, body_bytes=_MOST_ASKED) as mcp:
            yield {"services": services, "caller": ANYONE_HERE, "mcp": mcp}

    app = FastAPI(lifespan=lifespan)
    install_problem_handlers(app)
    app.add_middleware(EncodedSlashes)
    for router in ROUTERS:
        app.include_router(router)
    app.router.routes.append(Route("/mcp", Mounted("/mcp", "mcp")))
    async with (
        LifespanManager(app) as running,
        AsyncClient(transport=ASGITransport(running.app), base_url="http://foreword") as client,
    ):
        yield client

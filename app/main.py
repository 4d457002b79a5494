"""The composition root: settings in, application out; every part opened, in order."""

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cache

from fastapi import FastAPI
from starlette.routing import Route
from threadpoolctl import threadpool_limits

from app import __version__
from app.adapters.private import own_directory
from app.adapters.resident import give_back
from app.adapters.sql.database import open_database
from app.adapters.sql.migrate import upgrade
from app.adapters.sql.store import SqlStore
from app.adapters.telemetry import PrometheusTelemetry
from app.adapters.tokenizer import BpeTokenCounter
from app.adapters.upstream import HttpUpstream, open_client
from app.adapters.words import read_words
from app.api.deps import AppState, Mounted, Services
from app.api.gate import who_acts
from app.api.mcp.late import answering_late
from app.api.middleware import ClearStart, Envelope
from app.api.openapi import describe_keys
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
    operations,
    proxy,
    ui,
    users,
)
from app.settings import Settings, load_settings, revealed
from app.wiring.guarding import guard, tell_of_keys
from app.wiring.models import open_models
from app.wiring.opening import check_database, telling_of_no_room
from app.wiring.services import Parts
from app.wiring.succeeding import open_generations

_CHAPTERS = ("store", "context", "memories", "entities", "govern", "proxy", "see inside", "move")
"""What the description tells first, in this order."""

# What is asked with every turn first: a request is held against each route until one fits. Made
# once, with their modules: routers that an application includes make all of their routes anew.
_ROUTES = [
    route
    for each in (
        *(context, conversations, proxy, memories, entities, users, flags),
        *(inside, moving, operations, admin, ui),
    )
    for route in each.router.routes
]


def create_app(settings: Settings | None = None) -> FastAPI:
    """The service as an ASGI application; its parts are opened when it starts."""
    settings = settings or load_settings()
    telemetry = PrometheusTelemetry()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[AppState]:
        async with AsyncExitStack() as stack:
            with telling_of_no_room(settings.data_dir):
                services = await _open(settings, telemetry, stack)
            speaking = answering_late(services, body_bytes=settings.limits.body_bytes)
            yield AppState(services=services, mcp=await stack.enter_async_context(speaking))

    app = FastAPI(
        title="Foreword",
        version=__version__,
        summary="Memory for LLM agents.",
        lifespan=lifespan,
        docs_url=None,  # ours, for FastAPI's pages load what they are made of from elsewhere
        redoc_url=None,
        openapi_tags=[{"name": name} for name in _CHAPTERS],
        routes=[*_ROUTES, Route("/mcp", Mounted("/mcp", "mcp"))],
    )
    install_problem_handlers(app)
    guard(app, settings)
    app.add_middleware(Envelope, telemetry=telemetry)
    app.add_middleware(ClearStart)
    describe_keys(app)
    return app


async def _open(
    settings: Settings,
    telemetry: PrometheusTelemetry,
    stack: AsyncExitStack,
    *,
    working: bool = True,
) -> Services:
    """Open every part, in the order in which they need each other; `stack` closes them."""
    own_directory(settings.data_dir)
    # Our matrices are small: more threads would only spin and take the processor from the others.
    threadpool_limits(limits=1, user_api="blas")
    # To read the tokenizer's tables and the words takes longer than all else, which need not wait.
    reading = asyncio.create_task(asyncio.to_thread(BpeTokenCounter, settings.tokenizer.encoding))
    words = asyncio.create_task(asyncio.to_thread(read_words))
    stack.push_async_callback(asyncio.wait, [reading, words])
    checkup = await check_database(settings, stack)
    store = await _open_store(settings, stack)
    store.database.refusals.watchman = checkup
    if checkup is not None:
        checkup.opened()
    models = await open_models(settings, telemetry.batch_embedded, telemetry.llm_answered, stack)
    generations = await open_generations(
        settings, models.embedder, telemetry.batch_embedded, store, stack
    )
    telemetry.describe(version=__version__, model=lambda: generations.embedder.model)
    parts = Parts(
        settings=settings,
        telemetry=telemetry,
        store=store,
        tokens=await reading,
        words=await words,
        generations=generations,
        reranker=models.reranker,
        language=models.language,
        recogniser=models.recogniser,
        checkup=checkup,
        upstream=await _open_upstream(settings, stack),
    )
    return await _begun(parts, settings, stack, working=working)


async def _begun(
    parts: Parts, settings: Settings, stack: AsyncExitStack, *, working: bool
) -> Services:
    """The services of opened parts, with what goes on behind the answers."""
    services = parts.services
    if working:
        await stack.enter_async_context(services.at_work())
        await tell_of_keys(services.doorkeeper, settings)
    stack.push_async_callback(services.jobs.stop)
    stack.push_async_callback(services.doorkeeper.drain)
    if services.proxy is not None:
        stack.push_async_callback(services.proxy.prompter.drain)
        stack.push_async_callback(services.proxy.exchanges.drain)
    _settle()
    return services


_NEW_AT_MOST = 10_000
"""
New objects, from which on it is looked which of them are garbage. Python's 700 are fewer than one
question makes: of the 25 ms of a processor that it takes, 0.4 went into looking, and now 0.03 do.
"""


@cache
def _settle() -> None:
    """Make this process one that serves; once: what a closed application left must not stay."""
    # What is loaded by now stays: looking through all of it would stop everything for a moment.
    gc.freeze()
    gc.set_threshold(_NEW_AT_MOST)
    gc.enable()  # `serve` does without while it loads
    give_back()


async def open_services(
    settings: Settings, stack: AsyncExitStack, *, working: bool = True
) -> Services:
    """
    The services without HTTP, for commands that work in process; `stack` closes them.

    Without `working` nothing is done behind them: what lies there is seen as it lies there.
    """
    with telling_of_no_room(settings.data_dir):
        return await _open(settings, PrometheusTelemetry(), stack, working=working)


async def _open_upstream(settings: Settings, stack: AsyncExitStack) -> HttpUpstream | None:
    chosen = settings.proxy
    if chosen.upstream_url is None:
        return None
    client = open_client(
        chosen.upstream_url, timeout_s=chosen.timeout_s, connect_s=chosen.connect_s
    )
    return HttpUpstream(await stack.enter_async_context(client), chosen.upstream_url)


async def _open_store(settings: Settings, stack: AsyncExitStack) -> SqlStore:
    database = open_database(
        settings.database_url,
        readers=settings.database.readers,
        busy_timeout=settings.database.busy_timeout_s,
        durable=settings.database.durable,
        replica_url=revealed(settings.database.replica_url),
        max_mb=settings.database.max_mb,
    )
    stack.push_async_callback(database.dispose)
    await upgrade(database.writer)
    return SqlStore(database, who_acts)

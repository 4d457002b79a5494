"""The composition root: the one place that knows which class plays which part."""

import asyncio
import gc
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from logging import getLogger

from fastapi import FastAPI
from pydantic import SecretStr
from threadpoolctl import threadpool_limits
from uuid_utils.compat import uuid7

from app import __version__
from app.adapters.absent import AbsentEmbedder, AbsentVectorIndex
from app.adapters.cache import CacheLimits, TtlAnswerCache
from app.adapters.embedder import (
    HttpEmbedder,
    ModelSpec,
    OllamaEmbedder,
    OnnxEmbedder,
    OpenAIEmbedder,
    Retries,
    compile_model,
)
from app.adapters.sql.database import open_database
from app.adapters.sql.migrate import upgrade
from app.adapters.sql.store import SqlStore
from app.adapters.telemetry import PrometheusTelemetry
from app.adapters.tokenizer import BpeTokenCounter
from app.adapters.vectors import open_edge_index, open_server_index
from app.adapters.weights import read_weights
from app.api import context, conversations, inside
from app.api.answers import JsonAnswers
from app.api.deps import AppState, Services
from app.api.middleware import BodyLimit, ClearStart, Envelope
from app.api.problems import DESCRIBED, install_problem_handlers
from app.domain.errors import EmbedderUnavailable, VectorIndexUnavailable
from app.ports import Embedder, VectorIndex
from app.services.cached import CachedForge
from app.services.forge import ContextForge, ForgeLimits
from app.services.forget import Forgetter
from app.services.healing import Healer
from app.services.hydrate import Hydrator
from app.services.indexing import Indexer, IndexerLimits
from app.services.ingest import Ingestor
from app.services.packing import Packer
from app.services.prepare import Preparer
from app.services.readiness import Readiness
from app.services.rebuilding import Rebuilder
from app.services.recall import Recaller
from app.services.receipts import Recorder, Replayer
from app.services.situation import Surveyor
from app.services.waiting import IndexWaiter
from app.services.workers import Janitor, Workers
from app.settings import Settings, load_settings

_log = getLogger(__name__)

OnBatch = Callable[[int, float], None]
OpenEmbedder = Callable[[Settings, OnBatch], Awaitable[OnnxEmbedder | HttpEmbedder]]


def create_app(settings: Settings | None = None) -> FastAPI:
    """The service as an ASGI application; its parts are opened when it starts."""
    settings = settings or load_settings()
    telemetry = PrometheusTelemetry()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[AppState]:
        async with AsyncExitStack() as stack:
            yield AppState(services=await _open(settings, telemetry, stack))

    app = FastAPI(
        title="Foreword",
        version=__version__,
        summary="Memory for LLM agents.",
        lifespan=lifespan,
        responses=dict(DESCRIBED),
    )
    install_problem_handlers(app)
    app.add_middleware(BodyLimit, most=settings.limits.body_bytes)
    app.add_middleware(Envelope, telemetry=telemetry)
    app.add_middleware(ClearStart)
    for router in (conversations.router, context.router, inside.router):
        app.include_router(router)
    return app


async def _open(
    settings: Settings, telemetry: PrometheusTelemetry, stack: AsyncExitStack
) -> Services:
    """Open every part, in the order in which they need each other; `stack` closes them."""
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    # Our matrices are small: more threads would only spin and take the processor from the others.
    threadpool_limits(limits=1, user_api="blas")
    # What is loaded by now stays: looking through all of it would stop everything for a moment.
    gc.freeze()
    store = await _open_store(settings, stack)
    embedder = await _open_embedder(settings, telemetry, stack)
    vectors = await _open_vectors(settings, embedder, stack)
    telemetry.describe(version=__version__, model=embedder.model)
    parts = _Parts(settings, telemetry, store, embedder, vectors)
    await stack.enter_async_context(parts.workers.running())
    return parts.services


async def open_services(settings: Settings, stack: AsyncExitStack) -> Services:
    """The services without HTTP, for commands that work in process; `stack` closes them."""
    return await _open(settings, PrometheusTelemetry(), stack)


async def _open_store(settings: Settings, stack: AsyncExitStack) -> SqlStore:
    database = open_database(
        settings.database_url,
        readers=settings.database.readers,
        busy_timeout=settings.database.busy_timeout_s,
        durable=settings.database.durable,
        replica_url=_secret(settings.database.replica_url),
    )
    stack.push_async_callback(database.dispose)
    await upgrade(database.writer)
    return SqlStore(database)


async def _open_embedder(
    settings: Settings, telemetry: PrometheusTelemetry, stack: AsyncExitStack
) -> Embedder:
    """The model; without it the service starts all the same, and says so."""
    chosen = settings.embedder
    try:
        embedder = await _EMBEDDERS[chosen.kind](settings, telemetry.batch_embedded)
    except EmbedderUnavailable as error:
        _log.error("no embedder: semantic search is off", extra={"reason": str(error)})
        return AbsentEmbedder(str(error))
    stack.push_async_callback(embedder.aclose)
    return embedder


async def _compiled(settings: Settings, on_batch: OnBatch) -> OnnxEmbedder:
    chosen = settings.embedder
    spec = ModelSpec(source=chosen.model, precision=chosen.precision)
    compiled = await asyncio.to_thread(compile_model, spec, settings.model_cache)
    return await OnnxEmbedder.open(
        compiled,
        threads=chosen.threads,
        batch_size=chosen.batch,
        query_cache=chosen.query_cache,
        on_batch=on_batch,
    )


def _over_http(kind: type[HttpEmbedder]) -> OpenEmbedder:
    async def open_embedder(settings: Settings, on_batch: OnBatch) -> HttpEmbedder:
        chosen = settings.embedder
        return await kind.open(
            base_url=chosen.base_url or "",
            model=chosen.model,
            api_key=_secret(chosen.api_key),
            batch_size=chosen.batch,
            query_cache=chosen.query_cache,
            retries=Retries(attempts=chosen.attempts, timeout=chosen.timeout_s),
            on_batch=on_batch,
        )

    return open_embedder


_EMBEDDERS: Mapping[str, OpenEmbedder] = {
    "compiled": _compiled,
    "openai": _over_http(OpenAIEmbedder),
    "ollama": _over_http(OllamaEmbedder),
}


async def _open_vectors(
    settings: Settings, embedder: Embedder, stack: AsyncExitStack
) -> VectorIndex:
    """One index per model: vectors of two models cannot be compared."""
    if isinstance(embedder, AbsentEmbedder):
        return AbsentVectorIndex("there is no embedder")
    name = re.sub(r"[^A-Za-z0-9]+", "-", embedder.model).strip("-")
    chosen = settings.qdrant
    if chosen.url is None:
        directory = settings.data_dir / "vectors" / name
        index = open_edge_index(directory, dimension=embedder.dimension)
        return await stack.enter_async_context(index)
    server = open_server_index(
        chosen.url,
        collection=f"{chosen.collection}-{name}",
        dimension=embedder.dimension,
        api_key=_secret(chosen.api_key),
        timeout=chosen.timeout_s,
        on_disk=chosen.on_disk,
    )
    try:
        return await stack.enter_async_context(server)
    except VectorIndexUnavailable as error:
        _log.error("no vector index: semantic search is off", extra={"reason": str(error)})
        return AbsentVectorIndex(str(error))


class _Parts:
    """The services, wired."""

    def __init__(
        self,
        settings: Settings,
        telemetry: PrometheusTelemetry,
        store: SqlStore,
        embedder: Embedder,
        vectors: VectorIndex,
    ) -> None:
        tokens = BpeTokenCounter(settings.tokenizer.encoding)
        cache = TtlAnswerCache(
            CacheLimits(
                entries=settings.cache.entries,
                megabytes=settings.cache.megabytes,
                seconds=settings.cache.ttl_s,
            )
        )
        recorder = Recorder(store=store)
        replayer = Replayer(store=store, recorder=recorder, model=embedder.model)
        indexer = _indexer(settings, telemetry, store, embedder, vectors)
        healer = Healer(store=store, vectors=vectors, indexer=indexer, clock=now)
        rebuilder = Rebuilder(store=store)
        forge = _forge(
            settings,
            telemetry,
            tokens,
            Recaller(
                store=store,
                embedder=embedder,
                vectors=vectors,
                telemetry=telemetry,
                deadline=settings.retrieval.deadline_s,
                lexical_complete=lambda: rebuilder.complete,
            ),
        )
        self.workers = Workers(
            indexer=indexer,
            healer=healer,
            rebuilder=rebuilder,
            recorder=recorder,
            janitor=Janitor(store=store, clock=now),
        )
        self.services = Services(
            store=store,
            ingestor=Ingestor(
                store=store, preparer=Preparer(tokens, uuid7), clock=now, new_id=uuid7
            ),
            waiter=IndexWaiter(store, indexer),
            forge=CachedForge(
                surveyor=Surveyor(store),
                forge=forge,
                cache=cache,
                recorder=recorder,
                replayer=replayer,
                renderer=JsonAnswers(),
                telemetry=telemetry,
            ),
            replayer=replayer,
            forgetter=Forgetter(
                store=store,
                vectors=vectors,
                cache=cache,
                recorder=recorder,
                indexer=indexer,
                clock=now,
                new_id=uuid7,
            ),
            readiness=Readiness(
                store=store,
                embedder=embedder,
                vectors=vectors,
                healer=healer,
                rebuilder=rebuilder,
                telemetry=telemetry,
                clock=now,
            ),
            telemetry=telemetry,
            flags={"hybrid": True, "rerank": False},
        )


def _indexer(
    settings: Settings,
    telemetry: PrometheusTelemetry,
    store: SqlStore,
    embedder: Embedder,
    vectors: VectorIndex,
) -> Indexer:
    return Indexer(
        store=store,
        embedder=embedder,
        vectors=vectors,
        telemetry=telemetry,
        clock=now,
        limits=IndexerLimits(
            batch=settings.indexer.batch,
            idle=settings.indexer.idle_s,
            lease=settings.indexer.lease_s,
            attempts=settings.indexer.attempts,
        ),
    )


def _forge(
    settings: Settings,
    telemetry: PrometheusTelemetry,
    tokens: BpeTokenCounter,
    recaller: Recaller,
) -> ContextForge:
    return ContextForge(
        recaller=recaller,
        hydrator=Hydrator(store=recaller.store, embedder=recaller.embedder),
        packer=Packer(tokens),
        telemetry=telemetry,
        clock=now,
        new_id=uuid7,
        limits=ForgeLimits(
            per_source=settings.retrieval.per_source,
            floor=settings.retrieval.floor,
            sufficient=settings.retrieval.sufficient,
        ),
        model=read_weights(settings.retrieval.weights),
    )


def now() -> datetime:
    return datetime.now(UTC)


def _secret(value: SecretStr | None) -> str | None:
    return None if value is None else value.get_secret_value()

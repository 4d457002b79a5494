"""Opening the models that the settings name. A model that is missing is told, and done without."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from logging import getLogger
from pathlib import Path

import httpx

from app.adapters.embedder import (
    CompiledModel,
    HttpEmbedder,
    ModelSpec,
    OllamaEmbedder,
    OnnxEmbedder,
    OpenAIEmbedder,
    Retries,
    compile_model,
)
from app.adapters.language_model import ChatModel, LlmLimits, OnAnswer
from app.adapters.late import LateEmbedder, LateReranker
from app.adapters.recogniser import open_spacy
from app.adapters.reranker import OnnxReranker, compile_reranker
from app.adapters.trust import trust
from app.domain.errors import RecogniserUnavailable
from app.domain.watching import Watch, counting, unwatched
from app.ports.embedding import Embedder
from app.ports.language import Recogniser, Reranker
from app.settings import Settings, revealed
from app.wiring.opening import PATIENCE, try_to_open

_log = getLogger(__name__)

OnBatch = Callable[[int, float], None]
OpenEmbedder = Callable[[Settings, OnBatch], Awaitable[OnnxEmbedder | HttpEmbedder]]


@dataclass(frozen=True, slots=True)
class Models:
    """What turns texts into vectors, and what reads them again, if that is wanted."""

    embedder: LateEmbedder
    reranker: LateReranker | None
    language: ChatModel | None
    recogniser: Recogniser | None


async def open_models(
    settings: Settings, on_batch: OnBatch, on_answer: OnAnswer, stack: AsyncExitStack
) -> Models:
    """Open what is wanted; the service starts without it all the same, and says so."""
    return Models(
        embedder=await open_embedder(settings, on_batch, stack),
        reranker=await _open_reranker(settings, stack),
        language=await _open_language(settings, on_answer, stack),
        recogniser=await open_recogniser(settings),
    )


async def open_recogniser(settings: Settings) -> Recogniser | None:
    """What finds more names, if that is wanted and there; spaCy is not imported before."""
    model = settings.distil.spacy_model
    if model is None:
        return None
    try:
        return await asyncio.to_thread(open_spacy, model)
    except RecogniserUnavailable as error:
        _log.error("no recogniser: names are found by rules alone", extra={"reason": str(error)})
        return None


async def _open_language(
    settings: Settings, on_answer: OnAnswer, stack: AsyncExitStack
) -> ChatModel | None:
    """Nothing is asked of it yet: while it is away, rules do its work."""
    chosen = settings.llm
    if chosen.url is None or chosen.model is None:
        return None
    key = revealed(chosen.api_key)
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    client = httpx.AsyncClient(headers=headers, timeout=chosen.timeout_s, verify=trust(chosen.url))
    return ChatModel(
        client=await stack.enter_async_context(client),
        url=chosen.url.rstrip("/"),
        model=chosen.model,
        limits=LlmLimits(
            timeout=chosen.timeout_s,
            attempts=chosen.attempts,
            concurrency=chosen.concurrency,
        ),
        on_answer=on_answer,
    )


def compile_models(settings: Settings, watch: Watch = unwatched) -> Mapping[str, Path]:
    """
    Compile what the settings name and is not in the cache; the folder of each, by what it is for.

    Raises:
        EmbedderUnavailable: The embedding model, or what compiling it needs, is not there.
        RerankerUnavailable: The same of the cross-encoder.
    """
    wanted = {"model": partial(_compiled_embedder, settings)}
    if settings.reranker.model is not None:
        wanted["reranker"] = partial(_compiled_reranker, settings, settings.reranker.model)
    compiled = counting(watch, "compiling", "models", len(wanted))
    folders = {}
    for purpose, compiling in wanted.items():
        folders[purpose] = compiling().folder
        compiled(1)
    return folders


async def open_embedder(
    settings: Settings, on_batch: OnBatch, stack: AsyncExitStack
) -> LateEmbedder:
    kind = settings.embedder.kind

    @asynccontextmanager
    async def opening() -> AsyncIterator[Embedder]:
        async with aclosing(await _EMBEDDERS[kind](settings, on_batch)) as embedder:
            yield embedder

    embedder = LateEmbedder(opening)
    stack.push_async_callback(embedder.aclose)
    within = None if kind == "compiled" else PATIENCE
    await try_to_open(embedder, "no embedder: semantic search is off", within=within)
    return embedder


async def _open_reranker(settings: Settings, stack: AsyncExitStack) -> LateReranker | None:
    chosen = settings.reranker
    if chosen.model is None:
        return None
    compiling = partial(_compiled_reranker, settings, chosen.model)

    @asynccontextmanager
    async def opening() -> AsyncIterator[Reranker]:
        compiled = await asyncio.to_thread(compiling)
        opened = OnnxReranker.open(compiled, threads=chosen.threads, waiting=chosen.waiting)
        async with aclosing(await opened) as reranker:
            yield reranker

    reranker = LateReranker(opening)
    stack.push_async_callback(reranker.aclose)
    await try_to_open(reranker, "no reranker: candidates stay as fused", within=None)
    return reranker


def _compiled_embedder(settings: Settings) -> CompiledModel:
    chosen = settings.embedder
    spec = ModelSpec(
        source=chosen.model,
        precision=chosen.precision,
        query_prompt=chosen.query_prompt,
        document_prompt=chosen.document_prompt,
    )
    return compile_model(spec, settings.model_cache)


def _compiled_reranker(settings: Settings, model: str) -> CompiledModel:
    spec = ModelSpec(source=model, precision=settings.reranker.precision, task="rerank")
    return compile_reranker(spec, settings.model_cache)


async def _in_process(settings: Settings, on_batch: OnBatch) -> OnnxEmbedder:
    chosen = settings.embedder
    compiled = await asyncio.to_thread(_compiled_embedder, settings)
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
            api_key=revealed(chosen.api_key),
            batch_size=chosen.batch,
            query_cache=chosen.query_cache,
            retries=Retries(attempts=chosen.attempts, timeout=chosen.timeout_s),
            on_batch=on_batch,
        )

    return open_embedder


_EMBEDDERS: Mapping[str, OpenEmbedder] = {
    "compiled": _in_process,
    "openai": _over_http(OpenAIEmbedder),
    "ollama": _over_http(OllamaEmbedder),
}

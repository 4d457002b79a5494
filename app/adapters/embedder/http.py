"""Embedding models behind HTTP: anything that speaks as OpenAI does, and Ollama."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from http import HTTPStatus
from time import perf_counter
from typing import Any, ClassVar, Self, cast

import httpx
import numpy as np
import stamina

from app.adapters.embedder.cache import QueryCache
from app.adapters.embedder.onnx_embedder import OnBatch, ignore_batch
from app.adapters.trust import trust
from app.domain.errors import EmbedderUnavailable
from app.ports.embedding import Embedding
from app.ranking import Floats

_RETRY_AFTER_BOUND = 30.0
"""Seconds: a server that asks for a longer pause is taken at this much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """How patient to be, in seconds: `timeout` bounds one attempt, the waits bound the pauses."""

    attempts: int = 4
    timeout: float = 30.0
    first_wait: float = 0.2
    longest_wait: float = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """Where texts are sent, and where in an answer their vectors are, in the order of the texts."""

    name: str
    path: str
    vectors: Callable[[Any], Sequence[Sequence[float]]]


def _openai_vectors(answer: Mapping[str, Any]) -> Sequence[Sequence[float]]:
    ordered = sorted(answer["data"], key=lambda each: each["index"])
    return [each["embedding"] for each in ordered]


def _ollama_vectors(answer: Mapping[str, Any]) -> Sequence[Sequence[float]]:
    return cast("Sequence[Sequence[float]]", answer["embeddings"])


class HttpEmbedder:
    """Embeds by asking a server. Which one: its subclasses, which differ in their dialect alone."""

    dialect: ClassVar[Dialect]

    def __init__(
        self,
        endpoint: "_Endpoint",
        dimension: int,
        *,
        batch_size: int,
        query_cache: int,
        on_batch: OnBatch,
    ) -> None:
        self._endpoint = endpoint
        self._dimension = dimension
        self._batch_size = batch_size
        self._on_batch = on_batch
        self._cache = QueryCache(query_cache)

    @classmethod
    async def open(  # noqa: PLR0913  (each is a knob of the composition root)
        cls,
        *,
        base_url: str,
        model: str,
        api_key: str | None = None,
        batch_size: int = 64,
        query_cache: int = 1024,
        retries: Retries | None = None,
        on_batch: OnBatch = ignore_batch,
    ) -> Self:
        """
        Connect, and embed one word to learn the dimension.

        Raises:
            EmbedderUnavailable: The server does not answer, or not with a vector.
        """
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        retries = retries or Retries()
        async with AsyncExitStack() as stack:
            client = httpx.AsyncClient(
                headers=headers, timeout=retries.timeout, verify=trust(base_url)
            )
            await stack.enter_async_context(client)
            url = httpx.URL(base_url.rstrip("/") + cls.dialect.path)
            endpoint = _Endpoint(client, url, model, cls.dialect, retries)
            probe = await endpoint.embed(["dimension"])
            stack.pop_all()
        return cls(
            endpoint,
            probe.shape[1],
            batch_size=batch_size,
            query_cache=query_cache,
            on_batch=on_batch,
        )

    @property
    def model(self) -> str:
        return f"{self.dialect.name}/{self._endpoint.model}/{self._dimension}"

    @property
    def dimension(self) -> int:
        return self._dimension

    @property
    def word_dimension(self) -> int:
        return 0

    async def embed(self, texts: Sequence[str]) -> Floats:
        vectors = np.empty((len(texts), self._dimension), dtype=np.float32)
        for start in range(0, len(texts), self._batch_size):
            batch = texts[start : start + self._batch_size]
            vectors[start : start + len(batch)] = await self._embed_batch(batch)
        return vectors

    async def read(self, texts: Sequence[str]) -> Sequence[Embedding]:
        """Whole texts alone: no server tells the vectors of their words."""
        return [Embedding(vector) for vector in await self.embed(texts)]

    async def read_query(self, text: str) -> Embedding:
        return await self._cache.get(text, self._read_one)

    def reads(self, text: str) -> bool:  # noqa: ARG002  (nobody tells which scripts it was made for)
        return True

    async def aclose(self) -> None:
        await self._endpoint.client.aclose()

    async def _read_one(self, text: str) -> Embedding:
        return Embedding((await self._embed_batch([text]))[0])

    async def _embed_batch(self, batch: Sequence[str]) -> Floats:
        started = perf_counter()
        vectors = await self._endpoint.embed(batch)
        if vectors.shape[1] != self._dimension:
            raise self._endpoint.failure(
                f"answers with {vectors.shape[1]} dimensions instead of {self._dimension}"
            )
        self._on_batch(len(batch), perf_counter() - started)
        return vectors


class OpenAIEmbedder(HttpEmbedder):
    """`POST {base_url}/embeddings`, for example with `https://api.openai.com/v1` as base."""

    dialect = Dialect(name="openai", path="/embeddings", vectors=_openai_vectors)


class OllamaEmbedder(HttpEmbedder):
    """`POST {base_url}/api/embed`, for example with `http://127.0.0.1:11434` as base."""

    dialect = Dialect(name="ollama", path="/api/embed", vectors=_ollama_vectors)


@dataclass(frozen=True, slots=True)
class _Endpoint:
    """One URL that turns texts into vectors, whose failures are all EmbedderUnavailable."""

    client: httpx.AsyncClient
    url: httpx.URL
    model: str
    dialect: Dialect
    retries: Retries

    async def embed(self, texts: Sequence[str]) -> Floats:
        """Unit vectors, shape (len(texts), whatever the server answers)."""
        body = {"model": self.model, "input": [_legible(text) for text in texts]}
        response = await self._post_patiently(body)
        try:
            vectors = np.array(self.dialect.vectors(response.json()), dtype=np.float32)
        except (ValueError, TypeError, KeyError) as error:
            raise self.failure("answers with something else than vectors") from error
        return self._normalise(vectors, len(texts))

    def failure(self, what: str) -> EmbedderUnavailable:
        return EmbedderUnavailable(f"The embedding model at {self.url.host} {what}.")

    async def _post_patiently(self, body: Mapping[str, Any]) -> httpx.Response:
        patience = stamina.retry_context(
            on=_worth_another_try,
            attempts=self.retries.attempts,
            timeout=None,
            wait_initial=self.retries.first_wait,
            wait_max=self.retries.longest_wait,
            wait_jitter=self.retries.first_wait,
        )
        try:
            async for attempt in patience:
                with attempt:
                    return await self._post(body)
        except httpx.HTTPStatusError as error:
            raise self.failure(f"answers with status {error.response.status_code}") from error
        except TimeoutError as error:
            raise self.failure(f"did not answer within {self.retries.timeout} s") from error
        except httpx.HTTPError as error:
            raise self.failure(f"cannot be reached ({type(error).__name__})") from error
        raise self.failure("was not asked")  # no attempt is allowed

    async def _post(self, body: Mapping[str, Any]) -> httpx.Response:
        async with asyncio.timeout(self.retries.timeout):  # httpx's bounds each part alone
            response = await self.client.post(self.url, json=body)
        return response.raise_for_status()

    def _normalise(self, vectors: Floats, count: int) -> Floats:
        if vectors.ndim != 2 or len(vectors) != count:
            raise self.failure(f"answers with shape {vectors.shape} to {count} texts")
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise self.failure("answers with vectors without a direction")
        return cast("Floats", vectors / lengths)


def _legible(text: str) -> str:
    """`text` without half surrogates, which UTF-8 cannot carry, and never empty: OpenAI says no."""
    return text.encode("utf-8", "replace").decode("utf-8") or " "


def _worth_another_try(error: Exception) -> bool | float:
    """Whether it may help to ask again, or after how many seconds."""
    if not isinstance(error, httpx.HTTPStatusError):
        return isinstance(error, httpx.TransportError | TimeoutError)
    status = error.response.status_code
    if status != HTTPStatus.TOO_MANY_REQUESTS and status < HTTPStatus.INTERNAL_SERVER_ERROR:
        return False
    return _pause(error.response.headers.get("Retry-After", ""))


def _pause(retry_after: str) -> bool | float:
    """Seconds, bounded; True, for a pause of our own, where none or a date is given."""
    return min(float(retry_after), _RETRY_AFTER_BOUND) if retry_after.isdecimal() else True

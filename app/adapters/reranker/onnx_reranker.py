"""A compiled cross-encoder, run in process by ONNX Runtime."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Self, TypeVar, cast

import numpy as np
import onnxruntime
from tokenizers import Encoding, Tokenizer

from app.adapters.embedder.compile import CompiledModel, ModelSpec, compile_model
from app.adapters.embedder.onnx_embedder import (
    CHARACTERS_PER_PIECE,
    batches,
    legible,
    open_session,
)
from app.domain.errors import EmbedderUnavailable, RerankerBusy, RerankerUnavailable
from app.ranking import Floats

T = TypeVar("T")

_BATCH = 32
"""Pairs read at once, at most."""


def compile_reranker(spec: ModelSpec, cache_dir: Path) -> CompiledModel:
    """
    The compiled cross-encoder of `spec`, from `cache_dir` where it is there and intact.

    Raises:
        RerankerUnavailable: The model, or what compiling it needs, is not there.
    """
    try:
        return compile_model(spec, cache_dir)
    except EmbedderUnavailable as error:
        raise RerankerUnavailable(error.detail) from error


@dataclass(frozen=True, slots=True)
class _Model:
    """Session and tokenizer; called from threads."""

    session: onnxruntime.InferenceSession
    tokenizer: Tokenizer
    """Cuts a pair to what the model reads, the longer text first."""
    prompt: str
    characters: int
    """Of a text, far more than a pair needs: what lies beyond is not even read for word pieces."""

    def pair(self, query: str, text: str) -> Encoding:
        asked = self.prompt + query[: self.characters]
        return self.tokenizer.encode(legible(asked), legible(text[: self.characters]))

    def score(self, batch: Sequence[Encoding]) -> Floats:
        """Shape (len(batch),); padded to the longest."""
        longest = max(len(each.ids) for each in batch)
        columns = {
            "input_ids": [each.ids for each in batch],
            "attention_mask": [each.attention_mask for each in batch],
            "token_type_ids": [each.type_ids for each in batch],
        }
        inputs = {
            each.name: np.array(
                [row + [0] * (longest - len(row)) for row in columns[each.name]], dtype=np.int64
            )
            for each in self.session.get_inputs()
        }
        return cast("Floats", self.session.run(None, inputs)[0])


@dataclass(frozen=True, slots=True)
class _Reading:
    """One query's work, done in threads, none of which is begun once its time is over."""

    model: _Model
    ends: float

    def pair(self, query: str, text: str) -> Encoding:
        self._in_time()
        return self.model.pair(query, text)

    def pairs(self, query: str, texts: Sequence[str]) -> list[Encoding]:
        return [self.pair(query, text) for text in texts]

    def score(self, batch: Sequence[Encoding]) -> Floats:
        self._in_time()
        return self.model.score(batch)

    def _in_time(self) -> None:
        if perf_counter() >= self.ends:
            raise TimeoutError


class OnnxReranker:
    """
    Scores with a compiled cross-encoder, off the event loop.

    Queries are read one after another, each by all threads at once: those that wait are few, and
    the others are told so at once. What is late is dropped: it ends with the batches that are being
    read, of at most 512 word pieces or one pair each.
    """

    def __init__(
        self, compiled: CompiledModel, model: _Model, *, threads: int, waiting: int
    ) -> None:
        self._compiled = compiled
        self._model = model
        self._threads = threads
        self._most = waiting + 1
        self._inside = 0
        self._turn = asyncio.Lock()
        self._lane = ThreadPoolExecutor(threads, thread_name_prefix="rerank")

    @classmethod
    async def open(cls, compiled: CompiledModel, *, threads: int = 2, waiting: int = 4) -> Self:
        """
        Load `compiled`.

        Args:
            compiled: From `compile_reranker`.
            threads: Batches read at the same time.
            waiting: Queries that may wait for the one that is being read.

        Raises:
            RerankerUnavailable: The files cannot be loaded.
        """
        try:
            model = await asyncio.to_thread(_load, compiled)
        except Exception as error:
            raise RerankerUnavailable(f"{compiled.name} cannot be loaded: {error}") from error
        return cls(compiled, model, threads=threads, waiting=waiting)

    @property
    def model(self) -> str:
        return self._compiled.name

    async def score(self, query: str, texts: Sequence[str], *, seconds: float) -> Floats:
        if self._inside >= self._most:
            raise RerankerBusy
        self._inside += 1
        reading = _Reading(self._model, ends=perf_counter() + seconds)
        try:
            async with asyncio.timeout(seconds), self._turn:
                return await self._read(reading, query, texts)
        finally:
            self._inside -= 1

    async def aclose(self) -> None:
        """Let go of the threads once they have done what they are at."""
        await asyncio.to_thread(self._lane.shutdown)

    async def _read(self, reading: _Reading, query: str, texts: Sequence[str]) -> Floats:
        pairs = await self._run(partial(reading.pairs, query, texts))
        scores = np.empty(len(pairs), dtype=np.float32)
        waiting = batches([each.ids for each in pairs], _BATCH)

        async def take_turns() -> None:
            for rows in waiting:
                batch = [pairs[row] for row in rows]
                scores[rows] = await self._run(partial(reading.score, batch))

        await asyncio.gather(*(take_turns() for _ in range(self._threads)))
        if not np.isfinite(scores).all():
            raise RerankerUnavailable("The reranking model answers with what is no number.")
        return scores

    async def _run(self, call: Callable[[], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._lane, call)
        except TimeoutError:
            raise
        except Exception as error:
            raise RerankerUnavailable(f"The reranking model failed: {error}") from error


def _load(compiled: CompiledModel) -> _Model:
    tokenizer = Tokenizer.from_file(str(compiled.tokenizer_path))
    tokenizer.no_padding()
    tokenizer.enable_truncation(compiled.max_pieces)
    return _Model(
        session=open_session(compiled),
        tokenizer=tokenizer,
        prompt=compiled.query_prompt,
        characters=compiled.max_pieces * CHARACTERS_PER_PIECE,
    )

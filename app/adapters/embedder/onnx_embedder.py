"""A compiled model, run in process by ONNX Runtime."""

import asyncio
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import perf_counter
from typing import Self, TypeVar

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from app.adapters.embedder.cache import QueryCache
from app.adapters.embedder.compile import CompiledModel
from app.adapters.embedder.stretches import Pieces, behind_prompt, both_ends, joined
from app.adapters.embedder.telling import Telling, telling_pieces
from app.domain.errors import EmbedderUnavailable
from app.ports.embedding import Embedding
from app.ranking import Floats, Words, no_words
from app.text.alphabets import alphabets_of, is_written_in

OnBatch = Callable[[int, float], None]
"""Told of every batch: how many texts, and how many seconds they took."""

_In = TypeVar("_In")
_Out = TypeVar("_Out")

CHARACTERS_PER_PIECE = 200
"""Far more than any text needs: what lies beyond is not even read for word pieces."""

_PIECES_PER_BATCH = 512
"""Padding included. Larger batches are no faster, and cost memory: some 15 MB for this one."""

_PADDING_PER_BATCH = 8
"""Pieces. To read the weights once more, for a batch of its own, takes as long as some ten."""


_BACKGROUND = 10
"""The nice value of threads that embed documents."""


def _step_back() -> None:
    """
    Let requests have the processor first, where the system can order threads.

    Measured on two processors with two such threads: a write beside a busy indexer takes half as
    long, and indexing is as fast.
    """
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _BACKGROUND)


def legible(text: str) -> str:
    """`text` without half surrogates, which UTF-8 cannot carry."""
    return text.encode("utf-8", "replace").decode("utf-8")


def ignore_batch(_texts: int, _seconds: float) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True)
class _Model:
    """Session and tokenizer; called from threads."""

    session: onnxruntime.InferenceSession
    tokenizer: Tokenizer
    facts: CompiledModel
    alphabets: frozenset[str] | None
    telling: Telling

    def read_query(self, text: str) -> Pieces:
        # One by one: reading a batch starts threads of its own, beside ours.
        reach = self.facts.max_pieces * CHARACTERS_PER_PIECE
        read = self.tokenizer.encode(self.facts.query_prompt + legible(text[:reach]))
        if len(text) <= reach and not read.overflowing:
            return read.ids
        last = self.tokenizer.encode(legible(text[-reach:]))
        return both_ends(read, last, most=self.facts.max_pieces)

    def read_whole(self, text: str) -> list[Pieces]:
        """All of `text`, in as many stretches as the model needs to read it."""
        prompt = self.facts.document_prompt
        first = self.tokenizer.encode(prompt + legible(text))
        if prompt and first.overflowing:
            return behind_prompt(first, len(prompt), most=self.facts.max_pieces)
        return [first.ids, *(stretch.ids for stretch in first.overflowing)]

    def read_all(self, texts: Sequence[str]) -> list[list[Pieces]]:
        return [self.read_whole(text) for text in texts]

    def embed(self, batch: Sequence[Pieces]) -> Sequence[Embedding]:
        """Each of them; padded to the longest."""
        ids = np.zeros((len(batch), max(map(len, batch))), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, pieces in enumerate(batch):
            ids[row, : len(pieces)] = pieces
            mask[row, : len(pieces)] = 1
        answer = self.session.run(None, {"input_ids": ids, "attention_mask": mask})
        vectors, words = answer if len(answer) > 1 else (answer[0], [no_words()] * len(batch))
        told = zip(batch, vectors, words, strict=True)
        return [Embedding(vector, self._telling(each, said)) for each, vector, said in told]

    def embed_query(self, text: str) -> Embedding:
        return self.embed([self.read_query(text)])[0]

    def _telling(self, pieces: Pieces, words: Words) -> Words:
        """Those of a text that say something; where none does, all that there are."""
        if not len(words):
            return words
        own = words[: len(pieces)]
        telling = self.telling[pieces]
        return own[telling] if telling.any() else own[1:-1]


class OnnxEmbedder:
    """
    Embeds with a compiled model, off the event loop.

    Queries and documents have threads of their own, so a query never waits behind a long list;
    lists take turns batch by batch. A text has the same vector whatever it is embedded with. Of a
    document all is read: what is too long for the model has the mean of its stretches. Of a query
    that is too long its beginning and its end are read: a question mostly stands at one of them.
    """

    def __init__(
        self,
        compiled: CompiledModel,
        model: _Model,
        *,
        threads: int,
        batch_size: int,
        query_cache: int,
        on_batch: OnBatch,
    ) -> None:
        self._compiled = compiled
        self._model = model
        self._threads = threads
        self._batch_size = batch_size
        self._on_batch = on_batch
        self._cache = QueryCache(query_cache)
        self._queries = ThreadPoolExecutor(1, thread_name_prefix="embed-query")
        self._documents = ThreadPoolExecutor(
            threads, thread_name_prefix="embed-documents", initializer=_step_back
        )

    @classmethod
    async def open(
        cls,
        compiled: CompiledModel,
        *,
        threads: int = 1,
        batch_size: int = 32,
        query_cache: int = 1024,
        on_batch: OnBatch = ignore_batch,
    ) -> Self:
        """
        Load `compiled`.

        Args:
            compiled: From `compile_model`.
            threads: Batches of documents at the same time. Queries have one more.
            batch_size: Texts, at most; long texts make smaller batches.
            query_cache: How many queries' vectors to remember.
            on_batch: Told of every batch, queries included.

        Raises:
            EmbedderUnavailable: The files cannot be loaded.
        """
        try:
            model = await asyncio.to_thread(_load, compiled)
        except Exception as error:
            raise EmbedderUnavailable(f"{compiled.name} cannot be loaded: {error}") from error
        return cls(
            compiled,
            model,
            threads=threads,
            batch_size=batch_size,
            query_cache=query_cache,
            on_batch=on_batch,
        )

    @property
    def model(self) -> str:
        return self._compiled.name

    @property
    def dimension(self) -> int:
        return self._compiled.dimension

    @property
    def word_dimension(self) -> int:
        return self._compiled.word_dimension

    async def embed(self, texts: Sequence[str]) -> Floats:
        vectors = [each.vector for each in await self.read(texts)]
        return np.stack(vectors) if vectors else np.empty((0, self.dimension), dtype=np.float32)

    async def read(self, texts: Sequence[str]) -> Sequence[Embedding]:
        whole, _ = await _run(self._documents, self._model.read_all, texts)
        read = [stretch for stretches in whole for stretch in stretches]
        found: dict[int, Embedding] = {}
        waiting = batches(read, self._batch_size)

        async def take_turns() -> None:
            for rows in waiting:
                batch = [read[row] for row in rows]
                embedded, seconds = await _run(self._documents, self._model.embed, batch)
                found.update(zip(rows, embedded, strict=True))
                self._on_batch(len(rows), seconds)

        await asyncio.gather(*(take_turns() for _ in range(self._threads)))
        return joined([found[row] for row in range(len(read))], whole)

    async def read_query(self, text: str) -> Embedding:
        return await self._cache.get(text, self._read_query)

    def reads(self, text: str) -> bool:
        return is_written_in(text, self._model.alphabets)

    async def aclose(self) -> None:
        """Let go of both threads once they have done what they are at."""
        for lane in (self._queries, self._documents):
            await asyncio.to_thread(lane.shutdown)

    async def _read_query(self, text: str) -> Embedding:
        embedding, seconds = await _run(self._queries, self._model.embed_query, text)
        self._on_batch(1, seconds)
        return embedding


def batches(read: Sequence[Pieces], batch_size: int) -> Iterator[list[int]]:
    """
    Rows of `read`, shortest first, in batches of at most `batch_size`.

    A batch, padded to its longest text, has at most 512 pieces, of which at most 8 are padding, or
    is one text.
    """
    batch: list[int] = []
    pieces = 0
    for row in sorted(range(len(read)), key=lambda row: len(read[row])):
        padded = (len(batch) + 1) * len(read[row])
        padding = padded - pieces - len(read[row])
        large = padded > _PIECES_PER_BATCH or padding > _PADDING_PER_BATCH
        if batch and (large or len(batch) == batch_size):
            yield batch
            batch, pieces = [], 0
        batch.append(row)
        pieces += len(read[row])
    if batch:
        yield batch


async def _run(
    lane: ThreadPoolExecutor, call: Callable[[_In], _Out], argument: _In
) -> tuple[_Out, float]:
    """What `call` answers in `lane`, and how many seconds it took there."""

    def timed() -> tuple[_Out, float]:
        started = perf_counter()
        return call(argument), perf_counter() - started

    try:
        return await asyncio.get_running_loop().run_in_executor(lane, timed)
    except Exception as error:
        raise EmbedderUnavailable(f"The embedding model failed: {error}") from error


def open_session(compiled: CompiledModel) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    # One thread inside a call: two calls at once finish sooner than one call by two threads does.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(
        compiled.model_path, options, providers=["CPUExecutionProvider"]
    )


def _load(compiled: CompiledModel) -> _Model:
    tokenizer = Tokenizer.from_file(str(compiled.tokenizer_path))
    tokenizer.no_padding()
    tokenizer.enable_truncation(compiled.max_pieces)
    for prompt in (compiled.query_prompt, compiled.document_prompt):
        if len(tokenizer.encode(prompt).ids) > compiled.max_pieces // 2:
            raise ValueError(f"the prompt {prompt[:40]!r} leaves no room for a text")
    alphabets = alphabets_of(tokenizer.get_vocab())
    return _Model(open_session(compiled), tokenizer, compiled, alphabets, telling_pieces(tokenizer))

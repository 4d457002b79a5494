"""An embedder that needs no model, a server that speaks as real ones do, and the real model."""

import asyncio
import json
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Literal
from zlib import crc32

import numpy as np

from app.adapters.embedder.compile import CompiledModel, ModelSpec, compile_model
from app.ports.embedding import Embedding
from app.ranking import Floats


class FakeEmbedder:
    """A bag of words, each hashed to an axis: texts that share words are near each other."""

    def __init__(self, dimension: int = 64) -> None:
        self._dimension = dimension

    @property
    def model(self) -> str:
        return f"fake-{self._dimension}"

    @property
    def dimension(self) -> int:
        return self._dimension

    @property
    def word_dimension(self) -> int:
        return 0

    async def embed(self, texts: Sequence[str]) -> Floats:
        await asyncio.sleep(0)
        return self.vectors(texts)

    async def read(self, texts: Sequence[str]) -> Sequence[Embedding]:
        return [Embedding(vector) for vector in await self.embed(texts)]

    async def read_query(self, text: str) -> Embedding:
        [embedding] = await self.read([text])
        return embedding

    def reads(self, text: str) -> bool:  # noqa: ARG002  (every word has its axis)
        return True

    def vectors(self, texts: Sequence[str]) -> Floats:
        rows = np.zeros((len(texts), self._dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.casefold().split() or [""]:
                row[crc32(word.strip(".,:;!?").encode("utf-8", "replace")) % self._dimension] += 1
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What the stub answers instead of vectors. `body` None: nothing, until it is closed."""

    status: int = 200
    body: str | None = ""
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class StubServer:
    """Answers `script` first, then by `rule`, or vectors of length 3; OpenAI's in reverse order."""

    url: str
    script: list[Answer] = field(default_factory=list)
    rule: Callable[[Any], Answer] | None = None
    bodies: list[Any] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)
    fake: FakeEmbedder = field(default_factory=lambda: FakeEmbedder(dimension=32))

    def answer(self, path: str, body: Any) -> Answer | None:
        self.bodies.append(body)
        if self.script:
            return self.script.pop(0)
        if self.rule is not None:
            return self.rule(body)
        vectors = (self.fake.vectors(body["input"]) * 3).tolist()
        if path == "/api/embed":
            return Answer(body=json.dumps({"embeddings": vectors}))
        data = [{"index": index, "embedding": each} for index, each in enumerate(vectors)]
        return Answer(body=json.dumps({"data": data[::-1]}))


@contextmanager
def stub_server() -> Iterator[StubServer]:
    stub = StubServer(url="")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            stub.keys.append(self.headers.get("Authorization"))
            answer = stub.answer(self.path, body)
            if answer is None or answer.body is None:
                stub.closing.wait()
                return
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.body.encode())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        stub.url = f"http://127.0.0.1:{server.server_port}"
        try:
            yield stub
        finally:
            stub.closing.set()
            server.shutdown()
            thread.join()


@cache
def a_compiled_model(precision: Literal["int8", "fp32"] = "int8") -> CompiledModel:
    """The real one, compiled by the first test that wants it."""
    return compile_model(ModelSpec(precision=precision), model_cache())


def loaded_once(load: Callable[[CompiledModel], Any]) -> Callable[[CompiledModel], Any]:
    """`load`, which keeps what it loaded for as long as the files stay as they were."""
    kept: dict[object, Any] = {}

    def loaded(compiled: CompiledModel) -> Any:
        files = [each.stat() for each in (compiled.model_path, compiled.tokenizer_path)]
        told = [(each.st_ino, each.st_mtime_ns, each.st_size) for each in files]
        key = (repr(compiled), *told)
        if key not in kept:
            kept[key] = load(compiled)
        return kept[key]

    return loaded


def hashed_once(sha256_of: Callable[[Path], str]) -> Callable[[Path], str]:
    """`sha256_of`, which reads a file again only where it changed."""
    kept: dict[object, str] = {}

    def hashed(path: Path) -> str:
        file = path.stat()
        key = (path, file.st_ino, file.st_mtime_ns, file.st_size)
        if key not in kept:
            kept[key] = sha256_of(path)
        return kept[key]

    return hashed


def model_cache() -> Path:
    chosen = os.environ.get("FOREWORD_MODEL_CACHE")
    return Path(chosen) if chosen else Path.home() / ".cache" / "foreword" / "models"

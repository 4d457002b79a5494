"""An embedding server that can stall: Ollama's REST call over real HTTP, vectors by counting."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from zlib import crc32

import numpy as np
import orjson

DIMENSION = 64


@dataclass
class SlowEmbedder:
    url: str
    stalls: bool = False
    asked: int = 0
    closing: threading.Event = field(default_factory=threading.Event)

    def answer(self, texts: list[str]) -> bytes:
        self.asked += len(texts)
        while self.stalls and not self.closing.wait(0.01):
            pass
        return orjson.dumps({"embeddings": [_vector(text) for text in texts]})


def _vector(text: str) -> list[float]:
    """Words, each at its place."""
    vector = np.full(DIMENSION, 0.01)
    for word in text.lower().split():
        vector[crc32(word.encode()) % DIMENSION] += 1
    found: list[float] = vector.tolist()
    return found


@contextmanager
def slow_embedder() -> Iterator[SlowEmbedder]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = orjson.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answer = model.answer(body["input"])
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: Any) -> None:
            pass

    with _Server(("127.0.0.1", 0), Handler) as server:
        model = SlowEmbedder(f"http://127.0.0.1:{server.server_port}")
        serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        serving.start()
        try:
            yield model
        finally:
            model.closing.set()
            server.shutdown()
            serving.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, *_: Any) -> None:
        """Who asked has stopped waiting."""

"""
What the proxy adds to a chat completion, and how soon a streamed context begins.

    python -m loadtests.proxy --messages 10000 --asked 400

A stub of a model answers at once, in a process of its own; each question is asked of it directly
and through the service in turn, so that both see the same moments of the machine. No two questions
are alike, so none is answered from a cache.

What passed through is stored, indexed and distilled afterwards, which a model's seconds hide and a
stub's do not: each question waits for that, unless `--busy` says that it shall be in the way.
"""

import argparse
import asyncio
import multiprocessing
import os
import random
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx

from loadtests.scenarios.corpus import asked, messages
from loadtests.server import Server

OWNER = "owner"
POSTED = 20
JSON = (
    b'{"id":"c","object":"chat.completion","created":1,"model":"stub","choices":[{"index":0,'
    b'"message":{"role":"assistant","content":"Understood."},"finish_reason":"stop"}]}'
)
CHUNK = (
    b'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"stub","choices":'
    b'[{"index":0,"delta":{"content":"word "},"finish_reason":null}]}\n\n'
)
STREAM = CHUNK * 50 + b"data: [DONE]\n\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("--messages", type=int, default=10_000, help="Stored, of one user.")
    parser.add_argument("--asked", type=int, default=400, help="Questions of each kind.")
    parser.add_argument("--busy", action="store_true", help="Ask on while the last is stored.")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as room, stub() as model:
        os.environ["FOREWORD_PROXY__UPSTREAM_URL"] = model
        os.environ["FOREWORD_PROXY__DEADLINE_S"] = "5"
        server = Server(Path(sys.executable).with_name("foreword"), Path(room) / "data")
        server.start()
        try:
            with httpx.Client(timeout=600, trust_env=False) as client:
                fill(client, server.url, chosen.messages)
                before = at_once if chosen.busy else partial(settle, client, server.url)
                measure(client, server.url, model, chosen.asked, before)
        finally:
            server.stop()


def fill(client: httpx.Client, url: str, count: int) -> None:
    rng = random.Random(1)
    for at in range(0, count, POSTED):
        body = {"user_id": OWNER, "external_id": f"chat-{at}", "messages": messages(rng, POSTED)}
        last = at + POSTED >= count
        answer = client.post(
            f"{url}/conversations",
            json=body,
            params={"wait": "indexed", "wait_s": 600} if last else {},
        )
        answer.raise_for_status()


def at_once() -> None:
    pass


def settle(client: httpx.Client, url: str) -> None:
    """Until nothing is left to be done: seen twice, since one thing follows from another."""
    quiet = 0
    while quiet < 2:
        time.sleep(0.02)
        parts = client.get(f"{url}/readyz").json()["parts"]
        lags = [parts[name].get("lag", 0) for name in ("distilling", "vectors")]
        quiet = 0 if any(lags) else quiet + 1


def measure(
    client: httpx.Client, url: str, model: str, count: int, before: Callable[[], None]
) -> None:
    rng = random.Random(2)

    def complete(base: str, *, stream: bool) -> float:
        said = [{"role": "user", "content": question(rng)}]
        body = {"model": "stub", "messages": said, "stream": stream}
        headers = {"X-Foreword-User": OWNER}
        answer, first, all_of_it = timed(client, f"{base}/chat/completions", body, headers)
        if base != model and answer.headers["x-foreword-memory"] != "used":
            raise RuntimeError(answer.headers)
        return first if stream else all_of_it

    def context(accept: str, told: str = "json") -> float:
        body = {"query": question(rng), "user_id": OWNER, "format": told}
        _, first, all_of_it = timed(client, f"{url}/context", body, {"Accept": accept})
        return all_of_it if accept == "application/json" else first

    alone = partial(context, "application/json", "markdown")
    for stream, told in ((False, "whole answer"), (True, "first chunk of a stream")):
        ways = [partial(complete, base, stream=stream) for base in (model, f"{url}/v1")]
        direct, through, memory = in_turn([*ways, alone], count, before)
        print(f"{told}: direct {figures(direct)}; through the proxy {figures(through)}")
        added = [b - a for a, b in zip(direct, through, strict=True)]
        beyond = [b - a for a, b in zip(memory, added, strict=True)]
        print(f"  so the proxy adds {figures(added)} to it")
        print(f"  of which POST /context, as markdown, is {figures(memory)}")
        print(f"  and the proxy itself {figures(beyond)}")

    kinds = ("application/json", "text/event-stream")
    whole, first = in_turn([partial(context, each) for each in kinds], count, before)
    print(f"POST /context: whole {figures(whole)}; first event of a stream {figures(first)}")


def question(rng: random.Random) -> str:
    return f"{asked(rng)} This is about ticket {rng.randrange(10**9)}."


def timed(
    client: httpx.Client, url: str, body: Mapping[str, Any], headers: Mapping[str, str]
) -> tuple[httpx.Response, float, float]:
    """An answer, and the milliseconds until its first bytes and until its last ones."""
    began = time.perf_counter()
    with client.stream("POST", url, json=body, headers=headers) as answer:
        chunks = answer.iter_raw()
        next(chunks)
        first = time.perf_counter() - began
        for _ in chunks:
            pass
        all_of_it = time.perf_counter() - began
    return answer.raise_for_status(), first * 1_000, all_of_it * 1_000


def in_turn(
    ways: Sequence[Callable[[], float]], count: int, before: Callable[[], None]
) -> list[list[float]]:
    took: list[list[float]] = [[] for _ in ways]
    for number in range(count + 20):
        for at in range(len(ways)) if number % 2 else reversed(range(len(ways))):
            before()
            milliseconds = ways[at]()
            if number >= 20:  # what comes before warms up
                took[at].append(milliseconds)
    return took


def figures(milliseconds: list[float]) -> str:
    cuts = statistics.quantiles(milliseconds, n=20)
    return f"p50 {statistics.median(milliseconds):.1f} / p95 {cuts[-1]:.1f} ms"


@contextmanager
def stub() -> Iterator[str]:
    """The base URL of a model that answers at once."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(100)
        running = multiprocessing.Process(target=_answer, args=(listening,), daemon=True)
        running.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        finally:
            running.terminate()
            running.join()


def _answer(listening: socket.socket) -> None:
    async def serve() -> None:
        server = await asyncio.start_server(_converse, sock=listening)
        await server.serve_forever()

    asyncio.run(serve())


async def _converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
            body = (await reader.readexactly(length)).replace(b" ", b"")
            told, kind = (
                (STREAM, b"text/event-stream")
                if b'"stream":true' in body
                else (JSON, b"application/json")
            )
            writer.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\nContent-Length: %d\r\n\r\n%b"
                % (kind, len(told), told)
            )
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


if __name__ == "__main__":
    main()

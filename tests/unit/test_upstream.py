"""How long a connection to the upstream waits for the next request."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace

import httpcore._async.http11
import pytest

from app.adapters.presence import free_port
from app.adapters.upstream import HttpUpstream, open_client
from app.ports.upstream import Passed

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
MODELS = Passed(method="GET", path="/models")


@dataclass(slots=True)
class Upstream:
    """A server that answers everything, and may close what waits."""

    url: str = ""
    open: list[asyncio.StreamWriter] = field(default_factory=list)

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open.append(writer)
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                writer.write(ANSWER)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()


@asynccontextmanager
async def a_server() -> AsyncIterator[Upstream]:
    found = Upstream()
    with free_port() as listening:
        host, port = listening.getsockname()
        found.url = f"http://{host}:{port}/v1"
        async with await asyncio.start_server(found.converse, sock=listening):
            try:
                yield found
            finally:
                for each in found.open:
                    each.close()
                    await each.wait_closed()


async def asked(upstream: HttpUpstream) -> None:
    async with upstream.ask(MODELS) as reply:
        assert [chunk async for chunk in reply.chunks()] == [b"{}"]


@pytest.mark.parametrize(("thinking", "connections"), [(6.0, 1), (45.0, 1), (58.0, 2)])
async def test_a_connection_waits_while_somebody_thinks(
    monkeypatch: pytest.MonkeyPatch, thinking: float, connections: int
) -> None:
    now = 1_000.0
    clock = SimpleNamespace(monotonic=lambda: now)
    monkeypatch.setattr(httpcore._async.http11, "time", clock)
    async with a_server() as server, open_client(server.url, timeout_s=60, connect_s=60) as client:
        upstream = HttpUpstream(client, server.url)
        await asked(upstream)
        now += thinking
        await asked(upstream)
        assert len(server.open) == connections


async def test_a_connection_that_was_closed_over_there_is_made_anew() -> None:
    async with a_server() as server, open_client(server.url, timeout_s=60, connect_s=60) as client:
        upstream = HttpUpstream(client, server.url)
        await asked(upstream)
        server.open[0].close()
        await server.open[0].wait_closed()
        await asked(upstream)
        assert len(server.open) == 2

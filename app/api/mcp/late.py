"""The way to the MCP server that opens it with the first request: to import its package takes
0.4 s and 30 MB, which a service that nobody asks so can do without.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from starlette.types import Receive, Scope, Send

from app.api.deps import Services
from app.api.mcp.reading import CountedBeside

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager


@dataclass(slots=True)
class LateMcp:
    """
    Answers MCP requests.

    The server lives in a task of its own, in the context of the application's start: what it
    begins in one task it has to end there, and it must not stay with who asked first.
    """

    services: Services
    body_bytes: int
    _context: Context = field(default_factory=copy_context)
    _ended: asyncio.Event = field(default_factory=asyncio.Event)
    _serving: asyncio.Task[None] | None = None
    _manager: "asyncio.Future[StreamableHTTPSessionManager]" = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )

    async def handle_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._serving is None:
            self._serving = asyncio.create_task(self._serve(), context=self._context)
        either: set[asyncio.Future[Any]] = {self._serving, self._manager}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not self._manager.done():
            await self._serving  # it raises what kept it from answering
        await CountedBeside(self._manager.result().handle_request)(scope, receive, send)

    async def end(self) -> None:
        self._ended.set()
        if self._serving is not None:
            await asyncio.wait({self._serving})

    async def _serve(self) -> None:
        await asyncio.to_thread(_import)
        from app.api.mcp.server import answering  # noqa: PLC0415  (what this class is for)

        async with answering(self.services, body_bytes=self.body_bytes) as manager:
            self._manager.set_result(manager)
            await self._ended.wait()


@asynccontextmanager
async def answering_late(services: Services, *, body_bytes: int) -> AsyncIterator[LateMcp]:
    """Answer MCP requests until the block ends."""
    late = LateMcp(services, body_bytes)
    try:
        yield late
    finally:
        await late.end()


def _import() -> None:
    """In a thread: nothing waits for it but the first request."""
    import app.api.mcp.server  # noqa: F401, PLC0415

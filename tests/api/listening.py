"""The application on a real port of this machine, in the process of the test."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import uvicorn
from fastapi import FastAPI

from app.adapters.presence import free_port
from app.main import create_app
from app.settings import Settings

PATIENCE = 60.0


@dataclass(slots=True)
class Listening:
    url: str
    server: uvicorn.Server
    serving: asyncio.Task[None]

    async def end(self) -> None:
        """As a signal ends it."""
        self.server.should_exit = True
        await self.serving


async def _until(true: Callable[[], bool]) -> None:
    while not true():  # noqa: ASYNC110  (nobody tells when a server has started)
        await asyncio.sleep(0.01)


@asynccontextmanager
async def listening_to(settings: Settings) -> AsyncIterator[Listening]:
    """The service as `foreword serve` runs it, answering on a free port."""
    async with listening_app(create_app(settings)) as found:
        yield found


@asynccontextmanager
async def listening_app(app: FastAPI) -> AsyncIterator[Listening]:
    """The same of any application."""
    with free_port() as socket_:
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=10,
        )
        server = uvicorn.Server(config)
        # Signals are the test runner's.
        serving = asyncio.create_task(server._serve([socket_]))
        async with asyncio.timeout(PATIENCE):
            await _until(lambda: server.started or serving.done())
        found = Listening(f"http://127.0.0.1:{socket_.getsockname()[1]}", server, serving)
        try:
            yield found
        finally:
            await found.end()

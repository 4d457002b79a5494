"""
What the gate costs on POST /context: key, scope, rate, places.

    python -m loadtests.gate

In process, on the embedded engines: two applications, of which one has no gate, are asked the same
question in turn, so that both see the same moments of the machine. The answer comes from the cache,
so the gate is as large a part of it as it can be.
"""

import asyncio
import statistics
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from asgi_lifespan import LifespanManager
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Receive, Scope, Send

from app.api.gate import Gate
from app.domain.audit import ANYONE
from app.domain.ids import TenantId
from app.domain.keys import USUAL, Caller
from app.main import create_app
from app.settings import LimitSettings, Settings
from app.wiring.keys import a_key_ring

ASKED = 2_000
ACME = TenantId("acme")
SAID = {"user_id": "alice", "messages": [{"role": "user", "content": "We picked PostgreSQL."}]}
QUESTION = {"user_id": "alice", "query": "Which database did we pick?"}


class NoGate:
    """Lets everybody in, as one caller."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope["state"]["caller"] = Caller(tenant=ACME, permissions=USUAL, actor=ANYONE)
        await self._app(scope, receive, send)


async def main() -> None:
    async with AsyncExitStack() as stack:
        base = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        guarded = await stack.enter_async_context(_asking(base / "guarded", gate=True))
        open_ = await stack.enter_async_context(_asking(base / "open", gate=False))
        took: dict[bool, list[float]] = {True: [], False: []}
        for number in range(2 * ASKED):
            through = number % 4 in {0, 3}  # neither always comes first
            began = time.perf_counter()
            answer = await (guarded if through else open_).post("/context", json=QUESTION)
            took[through].append((time.perf_counter() - began) * 1_000)
            answer.raise_for_status()
    with_gate, without = statistics.median(took[True]), statistics.median(took[False])
    print(f"POST /context from the cache, p50 of {ASKED}: with the gate {with_gate:.3f} ms,")
    print(f"without {without:.3f} ms, so it costs {with_gate - without:.3f} ms")


@asynccontextmanager
async def _asking(directory: Path, *, gate: bool) -> AsyncIterator[AsyncClient]:
    """A client of an application that holds one conversation."""
    settings = Settings(data_dir=directory, limits=LimitSettings(requests_per_s=100_000))
    async with a_key_ring(settings) as ring:
        _, key = await ring.create(ACME, name="gate", permissions=USUAL, expires_at=None)
    app = create_app(settings)
    if not gate:
        app.user_middleware = _without_gate(app)
    async with (
        LifespanManager(app, startup_timeout=60, shutdown_timeout=60) as manager,
        AsyncClient(
            transport=ASGITransport(manager.app),
            base_url="http://foreword",
            headers={"Authorization": f"Bearer {key}"},
        ) as client,
    ):
        (await client.post("/conversations?wait=indexed", json=SAID)).raise_for_status()
        yield client


def _without_gate(app: FastAPI) -> list[Middleware]:
    guarded: object = Gate
    return [Middleware(NoGate) if each.cls is guarded else each for each in app.user_middleware]


asyncio.run(main())

"""
The command `foreword mcp`: MCP over standard input and output.

It passes on to the `/mcp` of a server: one that is named, or runs on this data, or else one that
it runs itself, on a port of this machine that other commands find too. Where the one that ran on
this data ends, it passes on to the next, or becomes it: no request needs another one before it.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import cast

import httpx2
import typer
import uvicorn
from anyio import AsyncFile
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from pydantic import SecretStr

from app.adapters.passing import Passing
from app.adapters.presence import Address, find_server, free_port, held, local_key, telling
from app.adapters.trust import trust
from app.adapters.typed import Typed
from app.api.logging import configure_logging
from app.domain.errors import DataDirectoryInUse
from app.domain.user_ids import user_id_problem
from app.settings import Settings
from app.terminal import STARTING, server_or_alone, stop

_PATIENCE = 600.0
_LOOK_AGAIN = 0.02
_FAREWELL = 5

_RETURNING = 2.0
"""Seconds that a server which is gone gets to come back, before this process is one itself."""

_GONE = 503


def speak_mcp(settings: Settings, *, url: str | None, key: str | None, user_id: str | None) -> None:
    """Serve MCP over standard input and output until the input ends, or we are told to."""
    configure_logging("warning", json=settings.log.json_lines)
    if key is not None and not (key.isascii() and key.isprintable()):
        stop("the key has characters that no key has")
    if user_id is not None and (problem := user_id_problem(user_id)) is not None:
        stop(f"the user id {problem}")
    headers = {} if user_id is None else {b"X-Foreword-User": user_id.encode()}
    if url is not None:
        asyncio.run(_pass_on(url, key, headers))
        return
    if find_server(settings.data_dir) is None:
        import app.main  # noqa: F401, PLC0415  (slow: better before others are kept out)
    with server_or_alone(settings) as server:
        if server is None:
            asyncio.run(_serve_and_pass_on(settings, headers))
            return
    asyncio.run(_pass_on_to_whichever(settings, server, key, headers))


async def _pass_on_to_whichever(
    settings: Settings, server: Address, key: str | None, headers: dict[bytes, bytes]
) -> None:
    async with AsyncExitStack() as own:
        finding = _Finding(settings, server, own)
        await _pass_on(server.url, key, headers, finding)


async def _serve_and_pass_on(settings: Settings, headers: dict[bytes, bytes]) -> None:
    async with _serving(settings) as here:
        await _pass_on(here.url, here.key, headers)


class _Server(uvicorn.Server):
    """Ends with the input, which signals end: it takes none itself."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def _serving(settings: Settings) -> AsyncIterator[Address]:
    """A server of our own, for as long as the block runs."""
    from app.main import create_app  # noqa: PLC0415  (as above)

    own = settings.server.model_copy(update={"local_key": SecretStr(key := local_key())})
    app = create_app(settings.model_copy(update={"server": own}))
    with free_port() as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        config = uvicorn.Config(
            app, log_config=None, access_log=False, timeout_graceful_shutdown=_FAREWELL
        )
        server = _Server(config)
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        while not server.started and not serving.done():  # noqa: ASYNC110  (nobody tells)
            await asyncio.sleep(_LOOK_AGAIN)
        if serving.done():
            stop("the service could not be started; see the lines above")
        with telling(settings.data_dir, url, key) if settings.embedded else nullcontext():
            try:
                yield Address(url=url, key=key, pid=0)
            finally:
                server.should_exit = True
                await serving


async def _pass_on(
    url: str,
    key: str | None,
    headers: dict[bytes, bytes],
    transport: httpx2.AsyncBaseTransport | None = None,
) -> None:
    """Until standard input ends, or a signal tells to end."""
    opened = {} if key is None else {b"Authorization": f"Bearer {key}".encode()}
    refusals: list[str] = []
    http = httpx2.AsyncClient(
        headers={**headers, **opened},
        timeout=_PATIENCE,
        verify=trust(url),
        trust_env=not url.startswith("http://127."),
        transport=transport,
        event_hooks={"response": [partial(_note_refusal, refusals)]},
    )
    try:
        async with http:
            await _reach(http, url)
            async with Client(
                streamable_http_client(f"{url.rstrip('/')}/mcp", http_client=http)
            ) as client:
                server = Passing(client).server()
                typed = Typed()
                with typed.ended_by_signals():
                    async with stdio_server(cast("AsyncFile[str]", typed)) as (read, write):
                        await server.run(read, write, server.create_initialization_options())
    except* (httpx2.HTTPError, MCPError) as errors:
        first: BaseException = errors
        while isinstance(first, BaseExceptionGroup):  # each task group puts one around it
            first = first.exceptions[0]
        stop(refusals[-1] if refusals else f"the server at {url} does not answer: {first}")


async def _note_refusal(refusals: list[str], answer: httpx2.Response) -> None:
    """The SDK tells only that there was an error, not that the key is wrong."""
    if answer.status_code in {401, 403}:
        from app.client.wire import refusal_in  # noqa: PLC0415  (slow, and rarely needed)

        refusals.append(str(refusal_in(await answer.aread(), answer.status_code)))


async def _reach(http: httpx2.AsyncClient, url: str) -> None:
    """Wait for a server that is just being started."""
    ends = asyncio.get_running_loop().time() + STARTING
    while True:
        try:
            await http.get(f"{url.rstrip('/')}/healthz")
        except httpx2.ConnectError:
            if asyncio.get_running_loop().time() > ends:
                raise
            await asyncio.sleep(_LOOK_AGAIN)
        else:
            return


@dataclass(slots=True)
class _Finding(httpx2.AsyncBaseTransport):
    """
    Sends requests to whichever server has this data, under its key where they bring none.

    Only what has reached nobody is sent again. What broke off is answered as an error of the
    server, and the next request finds the next one.
    """

    settings: Settings
    server: Address
    own: AsyncExitStack
    """What of this process lasts until it ends: the server, once it is one."""
    _inner: httpx2.AsyncHTTPTransport = field(default_factory=httpx2.AsyncHTTPTransport)
    _looking: asyncio.Task[None] | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        try:
            try:
                return await self._send(request)
            except httpx2.ConnectError:
                await self._another()
                return await self._send(request)
        except httpx2.ConnectError:
            raise
        except httpx2.TransportError:
            return httpx2.Response(_GONE)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def _send(self, request: httpx2.Request) -> httpx2.Response:
        there, headers = httpx2.URL(self.server.url), request.headers.copy()
        headers["Host"] = there.netloc.decode()
        headers.setdefault("Authorization", f"Bearer {self.server.key}")
        url = request.url.copy_with(scheme=there.scheme, host=there.host, port=there.port)
        extensions, body = request.extensions, request.stream
        sent = httpx2.Request(
            request.method, url, headers=headers, stream=body, extensions=extensions
        )
        return await self._inner.handle_async_request(sent)

    async def _another(self) -> None:
        """Find a server, for all who wait for one: whoever goes meanwhile stops nothing."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        await asyncio.shield(self._looking)

    async def _look(self) -> None:
        """
        Until one listens.

        Raises:
            ConnectError: None does in time, or it cannot be started.
        """
        now = asyncio.get_running_loop().time
        begun = now()
        while now() < begun + STARTING:
            found = find_server(self.settings.data_dir)
            if found is not None and await _listens(found):
                self.server = found
                return
            if now() > begun + _RETURNING and await self._become():
                return
            await asyncio.sleep(_LOOK_AGAIN)
        raise httpx2.ConnectError("no server runs on this data")

    async def _become(self) -> bool:
        """Whether this process is the server now; not if another has the data."""
        async with AsyncExitStack() as stack:
            try:
                stack.enter_context(held(self.settings.data_dir))
            except DataDirectoryInUse:
                return False
            try:
                self.server = await stack.enter_async_context(_serving(self.settings))
            except typer.Exit as error:
                raise httpx2.ConnectError("no server can be started") from error
            self.own.push_async_callback(stack.pop_all().aclose)
        return True


async def _listens(server: Address) -> bool:
    there = httpx2.URL(server.url)
    try:
        _, writer = await asyncio.open_connection(there.host, there.port)
    except OSError:
        return False
    writer.close()
    return True

"""
The command `foreword mcp`: MCP over standard input and output.

It passes on to the `/mcp` of a server: one that is named, or runs on this data, or else one that
it runs itself, on a port of this machine that other commands find too.
"""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from typing import Any

import httpx2
import uvicorn
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
)
from pydantic import SecretStr

from app import __version__
from app.adapters.presence import Address, find_server, held, local_key, telling
from app.api.logging import configure_logging
from app.domain.errors import DataDirectoryInUse
from app.settings import Settings
from app.terminal import server_of, stop

_PATIENCE = 600.0
_LOOK_AGAIN = 0.02
_FAREWELL = 5
_STARTING = 10.0
"""Seconds that a server may take to begin to listen."""

Context = ServerRequestContext[Any]
Page = PaginatedRequestParams | None


def speak_mcp(settings: Settings, *, url: str | None, key: str | None, user_id: str | None) -> None:
    """Serve MCP over standard input and output until the input ends."""
    configure_logging("warning", json=settings.log.json_lines)
    headers = {} if user_id is None else {"X-Foreword-User": user_id}
    if url is not None:
        asyncio.run(_pass_on(url, key, headers))
        return
    if find_server(settings.data_dir) is None:
        import app.main  # noqa: F401, PLC0415  (slow: better before others are kept out)
    try:
        with held(settings.data_dir) if settings.embedded else nullcontext():
            asyncio.run(_serve_and_pass_on(settings, headers))
    except DataDirectoryInUse as error:
        server = server_of(settings.data_dir, error)
        asyncio.run(_pass_on(server.url, key or server.key, headers))


async def _serve_and_pass_on(settings: Settings, headers: dict[str, str]) -> None:
    async with _serving(settings) as here:
        await _pass_on(here.url, here.key, headers)


@asynccontextmanager
async def _serving(settings: Settings) -> AsyncIterator[Address]:
    """A server of our own, for as long as the block runs."""
    from app.main import create_app  # noqa: PLC0415  (as above)

    own = settings.server.model_copy(update={"local_key": SecretStr(key := local_key())})
    app = create_app(settings.model_copy(update={"server": own}))
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        config = uvicorn.Config(
            app, log_config=None, access_log=False, timeout_graceful_shutdown=_FAREWELL
        )
        server = uvicorn.Server(config)
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


async def _pass_on(url: str, key: str | None, headers: dict[str, str]) -> None:
    """Until standard input ends."""
    opened = {} if key is None else {"Authorization": f"Bearer {key}"}
    http = httpx2.AsyncClient(
        headers={**headers, **opened},
        timeout=_PATIENCE,
        trust_env=not url.startswith("http://127."),
    )
    try:
        async with http:
            await _reach(http, url)
            async with Client(
                streamable_http_client(f"{url.rstrip('/')}/mcp", http_client=http)
            ) as client:
                server = _Passing(client).server()
                async with stdio_server() as (read, write):
                    await server.run(read, write, server.create_initialization_options())
    except* (httpx2.HTTPError, MCPError) as errors:
        stop(f"the server at {url} does not answer: {errors.exceptions[0]}")


async def _reach(http: httpx2.AsyncClient, url: str) -> None:
    """Wait for a server that is just being started."""
    ends = asyncio.get_running_loop().time() + _STARTING
    while True:
        try:
            await http.get(f"{url.rstrip('/')}/healthz")
        except httpx2.ConnectError:
            if asyncio.get_running_loop().time() > ends:
                raise
            await asyncio.sleep(_LOOK_AGAIN)
        else:
            return


class _Passing:
    """Answers what the client asks by asking a server the same."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def server(self) -> Server[Any]:
        return Server(
            "foreword",
            title="Foreword",
            version=__version__,
            instructions=self._client.instructions,
            on_list_tools=self._tools,
            on_call_tool=self._call,
            on_list_resources=self._resources,
            on_list_resource_templates=self._templates,
            on_read_resource=self._read,
        )

    async def _tools(self, _: Context, params: Page) -> ListToolsResult:
        return await self._client.list_tools(cursor=_cursor(params))

    async def _call(self, _: Context, params: CallToolRequestParams) -> CallToolResult:
        return await self._client.call_tool(params.name, params.arguments)

    async def _resources(self, _: Context, params: Page) -> ListResourcesResult:
        return await self._client.list_resources(cursor=_cursor(params))

    async def _templates(self, _: Context, params: Page) -> ListResourceTemplatesResult:
        return await self._client.list_resource_templates(cursor=_cursor(params))

    async def _read(self, _: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        return await self._client.read_resource(params.uri)


def _cursor(params: Page) -> str | None:
    return None if params is None else params.cursor

"""An MCP server that knows nothing by itself: it asks another one."""

from typing import Any

from mcp.client.client import Client
from mcp.server import Server, ServerRequestContext
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

from app import __version__

Context = ServerRequestContext[Any]
Page = PaginatedRequestParams | None


class Passing:
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

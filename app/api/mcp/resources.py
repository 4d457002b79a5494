"""The resources: conversations to be read, and bundles as they were answered."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_REQUEST, ListResourcesResult, Resource

from app.api.deps import Services
from app.api.mcp.answers import transcript
from app.api.mcp.asking import Asker, Asking, asked_by, own
from app.api.schemas.bundles import bundle_out, to_json
from app.domain.conversation import Conversation, ConversationFilter
from app.domain.ids import BundleId, ConversationId

_LISTED = 100
_READ = 500
"""Messages of a conversation that are read, the newest."""


@dataclass(frozen=True, slots=True)
class NewestConversations:
    """Lists the caller's newest conversations as resources: others are not listed."""

    services: Services

    async def __call__(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        answer = await call_next(ctx)
        if ctx.method != "resources/list":
            return answer
        try:
            with asked_by(ctx) as asker:
                wanted = ConversationFilter(user_id=asker.user_id)
                async with self.services.store.read(asker.tenant) as snapshot:
                    page = await snapshot.conversations.page(wanted, cursor=None, limit=_LISTED)
        except ToolError as error:
            raise MCPError(INVALID_REQUEST, str(error)) from error
        return ListResourcesResult(resources=[_resource(each) for each in page.items])


def _resource(conversation: Conversation) -> Resource:
    return Resource(
        uri=f"foreword://conversations/{conversation.id}",
        name=conversation.label or conversation.external_id or str(conversation.id),
        description=f"{conversation.message_count} messages",
        mime_type="text/markdown",
    )


def offer_resources(server: MCPServer[Any], services: Services) -> None:
    """Register what can be read by its address."""

    @server.resource(
        "foreword://conversations/{conversation_id}",
        name="conversation",
        description="A stored conversation as a transcript: its newest 500 messages, whole, "
        "or as many of them as fit 16 MiB.",
        mime_type="text/markdown",
    )
    async def conversation(ctx: Asking, conversation_id: str) -> str:
        wanted = ConversationId(_id(conversation_id))
        with _read_by(ctx) as asker:
            async with services.store.read(asker.tenant) as snapshot:
                found = own(asker, await snapshot.conversations.get(wanted))
                newest = await snapshot.messages.page(
                    found.key, cursor=None, limit=_READ, newest_first=True
                )
        return transcript(found, newest.items[::-1], more=newest.next_cursor is not None)

    @server.resource(
        "foreword://bundles/{bundle_id}",
        name="bundle",
        description="What recall answered: each memory with its score, sources and lineage.",
        mime_type="application/json",
    )
    async def bundle(ctx: Asking, bundle_id: str) -> str:
        wanted = BundleId(_id(bundle_id))
        with _read_by(ctx) as asker:
            only_of = asker.user_id if asker.bound else None
            found = await services.replayer.replay(asker.tenant, wanted, only_of=only_of)
        return to_json(bundle_out(found, request=None, cache_hit=False)).decode()


@contextmanager
def _read_by(ctx: Asking) -> Iterator[Asker]:
    """Who reads; refusals are those of a resource, not of a tool."""
    try:
        with asked_by(ctx) as asker:
            yield asker
    except ToolError as error:
        raise ResourceError(str(error)) from error


def _id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as error:
        raise ResourceNotFoundError("There is nothing under this address.") from error

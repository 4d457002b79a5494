"""Who asks through MCP, the caller whose key the gate saw on behalf of one user, and of what."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any, cast

from mcp.server.context import ServerRequestContext
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field
from starlette.requests import Request

from app.api.deps import require
from app.api.passing import user_in
from app.api.problems import detail_of
from app.api.schemas import fields
from app.domain.conversation import Conversation
from app.domain.errors import ConversationNotFound, ForewordError
from app.domain.ids import ConversationId, TenantId
from app.domain.keys import Caller, Permission
from app.ports.store import Snapshot

Asking = Context[Any, Any]

UserId = Annotated[
    fields.UserId | None,
    Field(
        description="Whose memory. Leave it out unless you keep the memories of several users "
        "apart; then pass the same id every time."
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """A tenant and one of its users; `bound` to that user: the connection is for nobody else."""

    tenant: TenantId
    user_id: str | None
    bound: bool


@contextmanager
def asked_by(
    ctx: Asking | ServerRequestContext[Any, Any],
    user_id: str | None = None,
    *,
    needed: Permission = Permission.READ,
) -> Iterator[Asker]:
    """
    Whoever asks, if they may; errors of ours inside are told to the model.

    A connection that names its user, in `X-Foreword-User`, cannot ask for another.
    """
    inner = ctx.request_context if isinstance(ctx, Context) else ctx
    request = cast("Request", inner.request)
    caller: Caller = request.state.caller
    try:
        require(caller, needed)
        bound = user_in(request.headers)
        if bound is not None and user_id not in {None, bound}:
            raise ToolError("This connection is for one user; leave user_id out.")
        yield Asker(tenant=caller.tenant, user_id=bound or user_id, bound=bound is not None)
    except ForewordError as error:
        raise ToolError(" ".join(filter(None, (error.title, detail_of(error))))) from error


def own(asker: Asker, conversation: Conversation) -> Conversation:
    """
    A conversation that the asker may read.

    Raises:
        ConversationNotFound: The connection is for another user.
    """
    if asker.bound and conversation.user_id != asker.user_id:
        raise ConversationNotFound(conversation_id=str(conversation.id))
    return conversation


async def which(
    snapshot: Snapshot, asker: Asker, wanted: ConversationId | None, name: str
) -> Conversation:
    """
    The conversation of this id, or of this name of the asker's.

    Raises:
        ConversationNotFound: There is none, or it is of another user than the one named.
    """
    if wanted is not None:
        found = await snapshot.conversations.get(wanted)
        if asker.user_id in {None, found.user_id}:
            return found
        raise ConversationNotFound(conversation_id=str(wanted))
    scope = await snapshot.scopes.find(asker.user_id)
    named = await snapshot.conversations.find(scope.key, name) if scope else None
    if named is None:
        raise ConversationNotFound(conversation_external_id=name)
    return named

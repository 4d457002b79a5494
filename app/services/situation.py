"""Whose memory a request is about: what must be known before anything is searched or cached."""

from dataclasses import dataclass

from app.domain.context import ContextRequest
from app.domain.conversation import Conversation
from app.domain.errors import ConversationNotFound
from app.domain.ids import TenantId
from app.ports import RecallFilter
from app.ports.store import Snapshot, Store
from app.services.recall import Situation


@dataclass(frozen=True, slots=True)
class Surveyor:
    """Resolves ids and filters, in one snapshot."""

    store: Store

    async def survey(self, tenant: TenantId, request: ContextRequest) -> Situation | None:
        """
        The situation of a request; None where nothing was ever said.

        Raises:
            ConversationNotFound: The running conversation does not exist, or is another user's.
        """
        async with self.store.read(tenant) as snapshot:
            conversation = await _running(snapshot, request)
            user_id = conversation.user_id if conversation else request.user_id
            scope = await snapshot.scopes.find(user_id)
            if scope is None:
                return None
            filters = request.filters
            within = RecallFilter(
                scopes=[scope.key],
                conversations=await snapshot.conversations.matching(scope.key, filters),
                without_conversations=await snapshot.conversations.keys(
                    scope.key, filters.exclude_conversation_ids
                ),
                roles=frozenset(filters.roles),
                types=frozenset(filters.types),
                after=filters.after,
                before=filters.before,
                as_of=request.as_of,
            )
        return Situation(tenant=tenant, scope=scope, conversation=conversation, within=within)


async def _running(snapshot: Snapshot, request: ContextRequest) -> Conversation | None:
    if request.conversation_id is not None:
        found = await snapshot.conversations.get(request.conversation_id)
        if request.user_id is not None and found.user_id != request.user_id:
            raise ConversationNotFound(conversation_id=str(request.conversation_id))
        return found
    if request.conversation_external_id is None:
        return None
    scope = await snapshot.scopes.find(request.user_id)
    external_id = request.conversation_external_id
    by_name = scope and await snapshot.conversations.find(scope.key, external_id)
    if not by_name:
        raise ConversationNotFound(conversation_external_id=external_id)
    return by_name

"""Where what is stored belongs: to a conversation that is there, or to its user, anew."""

from dataclasses import dataclass
from datetime import datetime

from app.domain.conversation import Conversation, NewConversation, Scope
from app.domain.errors import ConversationNotFound
from app.domain.ids import ConversationId, ScopeKey
from app.ports.store import Transaction
from app.services.writing.identities import conversation_here


@dataclass(frozen=True, slots=True)
class Entrance:
    """Held until the transaction ends: `known` if there is one, else its scope."""

    scope: Scope
    known: Conversation | None
    id: ConversationId
    """That it is to have if it is not known."""
    position: int
    """Of the first message that is new."""


async def enter(
    transaction: Transaction, new: NewConversation, fresh_id: ConversationId, *, now: datetime
) -> Entrance:
    """
    The way in. What somebody erases at this moment is gone: then it is looked for once more.

    Each time that happens somebody has erased something, so this comes to an end.
    """
    scope = await transaction.scopes.ensure(new.user_id, now=now)
    try:
        known, own_id = await _place(transaction, scope.key, new, fresh_id)
        if known is not None:
            position = await transaction.conversations.lock(known.key)
            return Entrance(scope, known, own_id, position)
    except ConversationNotFound:
        return await enter(transaction, new, fresh_id, now=now)
    if await transaction.scopes.hold(scope.key):
        return Entrance(scope, None, own_id, 0)
    return await enter(transaction, new, fresh_id, now=now)


async def owner(
    transaction: Transaction, user_id: str | None, *, now: datetime, shared: bool = False
) -> Scope:
    """
    Whose it is that is stored outside of conversations, kept from being erased until the
    transaction ends; whoever somebody erases at this moment is known anew.
    """
    scope = await transaction.scopes.ensure(user_id, now=now, shared=shared)
    if await transaction.scopes.hold(scope.key):
        return scope
    return await owner(transaction, user_id, now=now, shared=shared)


async def _place(
    transaction: Transaction, scope: ScopeKey, new: NewConversation, fresh_id: ConversationId
) -> tuple[Conversation | None, ConversationId]:
    """
    The conversation, if it is stored already, and the id that it is to have if not.

    It is known by its external id, or by the id that it brings from another store.
    """
    conversations = transaction.conversations
    known = await conversations.claim(scope, new.external_id) if new.external_id else None
    if new.id is None or known is not None:
        return known, fresh_id
    is_here, own_id = await conversation_here(transaction, new.id, scope)
    if own_id is None:
        return None, fresh_id
    if is_here and new.external_id is None:
        return await conversations.get(own_id), own_id
    return None, fresh_id if is_here else own_id

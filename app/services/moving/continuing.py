"""Going on with what came in before, when a list of messages that tells no conversation grew."""

from collections.abc import Mapping, Sequence

from app.domain.conversation import Conversation
from app.domain.ids import ScopeKey
from app.formats.found import Grown, Said
from app.ports.store import Transaction

_LEAST = 2
"""Messages that tell a chat: with one alone, many begin."""


async def taken(
    transaction: Transaction, several: Sequence[Said], scopes: Mapping[str | None, ScopeKey]
) -> Sequence[str | None]:
    """
    Under which external ids these conversations are to be stored; all are taken.

    That is their own, or that of the conversation that they go on with: one that was called by a
    beginning of the list, and holds nothing but messages of it.
    """
    own = [(scopes[each.conversation.user_id], each.conversation.external_id) for each in several]
    earlier = [
        await transaction.conversations.named(scope, each.grown.names) if each.grown else ()
        for each, (scope, _) in zip(several, own, strict=True)
    ]
    found = {(each.scope, each.external_id) for before in earlier for each in before}
    claims = {(scope, name) for scope, name in {*own, *found} if name is not None}
    await transaction.conversations.take(claims)
    return [
        await _name(transaction, each, scope, before)
        for each, (scope, _), before in zip(several, own, earlier, strict=True)
    ]


async def _name(
    transaction: Transaction, said: Said, scope: ScopeKey, earlier: Sequence[Conversation]
) -> str | None:
    own = said.conversation.external_id
    if said.grown is None or not earlier or own is None:
        return own
    if await transaction.conversations.find(scope, own) is not None:
        return own
    longest_first = sorted(earlier, key=lambda each: (-each.message_count, each.key))
    for each in longest_first:
        if await _is_of(transaction, each, said.grown):
            return each.external_id
    return own


async def _is_of(transaction: Transaction, before: Conversation, grown: Grown) -> bool:
    """Whether all that a conversation holds is of the list, so that it ends where that goes on."""
    stored = await transaction.messages.stored(
        before.key, external_ids=(), content_hashes=(), last=len(grown.messages) + 1
    )
    return len(stored) >= _LEAST and {each.external_id for each in stored} <= grown.messages

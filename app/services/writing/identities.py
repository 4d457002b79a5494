"""
The ids of what comes from another store of ours: the same as there, where nobody has them here.

Where somebody else has one, it is made of that id and of whose it is here: the same each time, so
that what is brought again is known again.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from uuid import UUID

from app.domain.conversation import Conversation, NewMessage
from app.domain.ids import ConversationId, ItemId, MessageId, ScopeKey
from app.ports.moving import Holder
from app.ports.store import Transaction
from app.ports.stored import PreparedMessage


def candidates(own: UUID, scope: ScopeKey) -> tuple[UUID, UUID]:
    """The ids that something of this id can have here, the better first."""
    return own, made_of(own, scope)


def made_of(told: object, scope: ScopeKey) -> UUID:
    """The id of what is known by `told` in a scope, and nowhere else."""
    digest = blake2b(f"{scope}\0{told}".encode(), digest_size=16).digest()
    return UUID(bytes=digest, version=5)


async def conversation_here(
    transaction: Transaction, own: ConversationId, scope: ScopeKey
) -> tuple[bool, ConversationId | None]:
    """Whether a conversation of this id is here, and its id here; None: both are others'."""
    known, free = await _here(transaction, "conversation", own, scope)
    found = known or free
    return known is not None, None if found is None else ConversationId(found)


async def item_here(
    transaction: Transaction, own: ItemId, scope: ScopeKey
) -> tuple[bool, ItemId | None]:
    """The same of a memory item."""
    known, free = await _here(transaction, "memory", own, scope)
    found = known or free
    return known is not None, None if found is None else ItemId(found)


async def messages_here(
    transaction: Transaction, own: Collection[MessageId], scope: ScopeKey
) -> Mapping[MessageId, MessageId]:
    """Of those of these messages that are here, the ids here."""
    if not own:
        return {}
    ways = {each: candidates(each, scope) for each in own}
    asked = {each for way in ways.values() for each in way}
    held = await transaction.identities.held("message", asked)
    ours = {each for each, holder in held.items() if holder.scope == scope}
    return {
        own_id: MessageId(each)
        for own_id, way in ways.items()
        for each in reversed(way)  # the better one last, which stays
        if each in ours
    }


async def _here(
    transaction: Transaction, kind: str, own: UUID, scope: ScopeKey
) -> tuple[UUID | None, UUID | None]:
    ways = candidates(own, scope)
    held = await transaction.identities.held(kind, ways)
    known = next((each for each in ways if each in held and held[each].scope == scope), None)
    return known, next((each for each in ways if each not in held), None)


async def with_own_ids(
    transaction: Transaction,
    conversation: Conversation,
    new: Sequence[NewMessage],
    prepared: Sequence[PreparedMessage],
) -> Sequence[PreparedMessage]:
    """Messages under the ids that they bring; one that can have none of those keeps its new one."""
    if not any(each.id for each in new):
        return prepared
    ways = [None if each.id is None else candidates(each.id, conversation.scope) for each in new]
    asked = [id_ for way in ways for id_ in way or ()]
    held = await transaction.identities.held("message", asked)
    chosen = _chosen(ways, held, conversation)
    return [
        each if id_ is None else replace(each, message=replace(each.message, id=MessageId(id_)))
        for each, id_ in zip(prepared, chosen, strict=True)
    ]


def _chosen(
    ways: Sequence[tuple[UUID, UUID] | None],
    held: Mapping[UUID, Holder],
    conversation: Conversation,
) -> Iterator[UUID | None]:
    """Of each message the id that this conversation or nobody has; each is given out once."""
    given: set[UUID] = set()
    for way in ways:
        free = [
            each
            for each in way or ()
            if each not in given
            and (each not in held or held[each].conversation == conversation.key)
        ]
        here = [each for each in free if each in held]
        found = next(iter([*here, *free]), None)
        given |= {found} if found else set()
        yield found

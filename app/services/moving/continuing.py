"""Going on with what came in before, when a list of messages that tells no conversation changed."""

import re
from collections.abc import Mapping, Sequence
from itertools import chain

from app.domain.conversation import Conversation, NewMessage
from app.domain.ids import ScopeKey
from app.formats.found import Grown, Said
from app.ports.store import Transaction
from app.ports.stored import StoredMessage
from app.services.writing.prepare import content_hash

_LEAST = 2
"""Messages that tell a chat: with one alone, many begin."""

_MADE_OF_WORDS = re.compile("[0-9a-f]{32}")
"""What a list that tells no conversation is called."""


async def taken(
    transaction: Transaction, several: Sequence[Said], scopes: Mapping[str | None, ScopeKey]
) -> Sequence[str | None]:
    """
    Under which external ids these conversations are to be stored; all are taken.

    That is their own, or that of a conversation that came in as such a list too: of one that says
    all of this and more, else of one that they go on with, which was called by a beginning of the
    list and holds nothing but messages of it.
    """
    own = [(scopes[each.conversation.user_id], each.conversation.external_id) for each in several]
    known = [
        await _known(transaction, scope, each.grown) if each.grown else ()
        for each, (scope, _) in zip(several, own, strict=True)
    ]
    claims = {(each.scope, each.external_id) for each in chain.from_iterable(known)} | {*own}
    await transaction.conversations.take(
        {(scope, name) for scope, name in claims if name is not None}
    )
    return [
        await _name(transaction, each, scope, others)
        for each, (scope, _), others in zip(several, own, known, strict=True)
    ]


async def _known(transaction: Transaction, scope: ScopeKey, grown: Grown) -> Sequence[Conversation]:
    """What such a list may have been before, when it was longer or shorter; the longest first."""
    conversations, place = transaction.conversations, len(grown.messages) - 1
    found = [*await conversations.named(scope, grown.names)]
    if place + 1 >= _LEAST and (last := grown.messages[-1].external_id) is not None:
        longer = await conversations.going_beyond(scope, last, position=place)
        found += [each for each in longer if _MADE_OF_WORDS.fullmatch(each.external_id or "")]
    return sorted(found, key=lambda each: (-each.message_count, each.key))


async def _name(
    transaction: Transaction, said: Said, scope: ScopeKey, known: Sequence[Conversation]
) -> str | None:
    own = said.conversation.external_id
    if said.grown is None or not known or own is None:
        return own
    if await transaction.conversations.find(scope, own) is not None:
        return own
    for each in known:
        if await _is_the_same(transaction, each, said.grown):
            return each.external_id
    return own


async def _is_the_same(transaction: Transaction, there: Conversation, grown: Grown) -> bool:
    """Whether one of the two, what is stored and the list, is the beginning of the other."""
    ids = [each.external_id for each in grown.messages if each.external_id is not None]
    if there.message_count > len(ids):
        stored = await transaction.messages.stored(
            there.key, external_ids=ids, content_hashes=(), last=0
        )
        begins = [each for each in stored if each.position < len(ids)]
        return len(begins) == len(ids) and all(map(_says_again, grown.messages, begins))
    stored = await transaction.messages.stored(
        there.key, external_ids=(), content_hashes=(), last=len(ids) + 1
    )
    return len(stored) >= _LEAST and {each.external_id for each in stored} <= {*ids}


def _says_again(message: NewMessage, there: StoredMessage) -> bool:
    """Whether that is this message; said at the same time, if it tells one."""
    return (
        (message.external_id, str(message.role), message.name)
        == (there.external_id, there.role, there.name)
        and content_hash(message.content, message.tool_calls) == there.content_hash
        and message.created_at in {None, there.created_at}
    )

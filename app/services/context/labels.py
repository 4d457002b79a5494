"""
Conversations that a query calls by their label: "How was TCK-5588 fixed?", "the Atlas kickoff".

What is said in a ticket hardly says its number, and in a kickoff of what it is the kickoff.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from app.domain.errors import StoreUnavailable
from app.domain.ids import ConversationKey
from app.ports.conversations import ConversationReader
from app.ports.store import Store
from app.ranking.labelling import fitting
from app.services.context.situation import Situation
from app.services.context.sought import Sought
from app.text.names import named_in
from app.text.topic import words_sought

_MOST = 20
"""Conversations that are called so: a ticket has some, and of an invoice number each may be one."""

_Labels = Mapping[ConversationKey, str]


class Called(NamedTuple):
    """Conversations by whether a number in their label calls them, or its words alone."""

    by_number: frozenset[ConversationKey] = frozenset()
    by_words: frozenset[ConversationKey] = frozenset()


async def called_in(query: str, sought: Sought, situation: Situation, store: Store) -> Called:
    """
    Those of the conversations that may be searched which the query calls by their label.

    Where there is no label, or neither a number nor words are sought, that costs no look; where
    the store fails, the sources tell so. A search that is not hybrid heeds no words.
    """
    names = [each for each in named_in(words_sought(query)).names if each.numbers]
    words = sought.asked if situation.flags.hybrid else frozenset[str]()
    if not (names or words) or not situation.scope.has_labels:
        return Called()
    try:
        async with store.read(situation.tenant) as snapshot:
            ask = snapshot.conversations
            numbered = await _having(ask, situation, {each.numbers[-1] for each in names})
            worded = await _having(ask, situation, words)
    except StoreUnavailable:
        return Called()
    by_number = {key for key, label in numbered.items() if any(each.is_in(label) for each in names)}
    fits = fitting(words, set(worded.values()))
    by_words = {key for key, label in worded.items() if label in fits}
    return Called(_inside(situation, by_number), _inside(situation, by_words - by_number))


async def _having(
    conversations: ConversationReader, situation: Situation, terms: Collection[str]
) -> _Labels:
    if not terms:
        return {}
    return await conversations.labelled(situation.within.scopes, terms=terms, limit=_MOST)


def _inside(
    situation: Situation, called: Collection[ConversationKey]
) -> frozenset[ConversationKey]:
    inside = situation.inside(called)
    return frozenset() if inside is None else frozenset(inside.within.conversations or ())

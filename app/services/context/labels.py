"""Conversations that a query calls by a number in their label: "How was TCK-5588 fixed?"."""

from app.domain.errors import StoreUnavailable
from app.domain.ids import ConversationKey
from app.ports.store import Store
from app.services.context.situation import Situation
from app.text.names import named_in
from app.text.topic import words_sought

_MOST = 20
"""Conversations that are called so: a ticket has some, and of an invoice number each may be one."""


async def called_in(query: str, situation: Situation, store: Store) -> frozenset[ConversationKey]:
    """
    Those of the conversations that may be searched whose label has a number that the query names.

    What is said in a ticket hardly says its number. Queries without one cost no look; where the
    store fails, the sources tell so.
    """
    names = [each for each in named_in(words_sought(query)).names if each.numbers]
    if not names:
        return frozenset()
    try:
        async with store.read(situation.tenant) as snapshot:
            labels = await snapshot.conversations.labelled(
                situation.within.scopes,
                holding=sorted({each.numbers[-1] for each in names}),
                limit=_MOST,
            )
    except StoreUnavailable:
        return frozenset()
    called = {key for key, label in labels.items() if any(each.is_in(label) for each in names)}
    inside = situation.inside(called)
    return frozenset() if inside is None else frozenset(inside.within.conversations or ())

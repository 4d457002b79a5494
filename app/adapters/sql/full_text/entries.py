"""
What goes into full text, on either database, and how it is told apart by scope and place.

Terms hold word characters only, so none of them reaches a query syntax.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Float, Integer, TextualSelect, text

from app.adapters.sql.fetch import Asked, Reading
from app.domain.ids import ConversationKey, ItemKey, ScopeKey

MAX_CONTINUATIONS = 16
"""Of one beginning: more of them tell little, and each would be searched for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """
    A document as it is indexed, and as it must be told again to be removed.

    What is in no conversation is, or is a part of, the memory item `item`.
    """

    key: ItemKey
    scope: ScopeKey
    conversation: ConversationKey | None
    terms: Sequence[str]
    item: ItemKey | None = None

    @property
    def place(self) -> str:
        return (
            place_of_item(self.item) if self.conversation is None else place_of(self.conversation)
        )


def scoped(scope: ScopeKey, term: str) -> str:
    return f"{scope}:{term}"


def _unscoped(term: str) -> str:
    return term.partition(":")[2]


def place_of(conversation: ConversationKey) -> str:
    return f"c{conversation}"


def place_of_item(item: ItemKey | None) -> str:
    return f"i{item}"


def places_of(conversations: Sequence[ConversationKey], items: Sequence[ItemKey] = ()) -> list[str]:
    return [*map(place_of, conversations), *map(place_of_item, items)]


def summed(rows: Iterable[tuple[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for term, documents in rows:
        total[term] = total.get(term, 0) + documents
    return total


def continued(
    scopes: Sequence[ScopeKey], beginning: str, asked: Callable[[str], Asked]
) -> Reading[Mapping[str, int]]:
    """
    The first MAX_CONTINUATIONS terms that begin so in any of `scopes`, and how many hold each.

    `asked` makes the question for one scoped beginning; its rows are scoped terms and counts.
    """
    found: list[tuple[str, int]] = []
    for scope in scopes:
        rows = yield asked(scoped(scope, beginning))
        found += [(_unscoped(term), documents) for term, documents in rows]
    return dict(sorted(summed(found).items())[:MAX_CONTINUATIONS])


def selects(sql: str) -> TextualSelect:
    return text(sql).columns(item_key=Integer, weight=Float)

"""
Full text: FTS5 on SQLite, tsvector with GIN on PostgreSQL, one way of asking.

Every term carries its scope ("12:word"), so a search reads the postings of one user only, however
many others there are, and what a term is worth does not depend on what others said. The index
finds; `app.ranking.bm25` scores. No text reaches a query syntax: terms hold word characters only.

Statements are constant: terms and weights travel as one parameter, so nothing is compiled twice.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql.dialect import is_postgres
from app.adapters.sql.fetch import Constant, Reading
from app.adapters.sql.full_text.entries import Entry
from app.adapters.sql.full_text.postgres import Tsvector
from app.adapters.sql.full_text.sqlite import Fts5
from app.domain.ids import ConversationKey, ItemKey, ScopeKey

MAX_CONVERSATIONS_INSIDE = 32
"""More conversations than this are filtered by a join instead of inside the index."""


class FullText(Protocol):
    @property
    def postings(self) -> Constant | None:
        """What `most_telling` reads, asked with `matches`; None where the best are asked for."""
        ...

    async def add(self, entries: Sequence[Entry]) -> None: ...

    async def remove(self, entries: Sequence[Entry]) -> None: ...

    async def clear(self) -> None:
        """Take out everything, of every scope."""
        ...

    async def held(
        self, conversations: Sequence[ConversationKey], items: Sequence[ItemKey] = ()
    ) -> Sequence[ItemKey]:
        """What the index holds of these conversations, and of memory items that are in none."""
        ...

    def frequencies(
        self, scopes: Sequence[ScopeKey], terms: Sequence[str]
    ) -> Reading[Mapping[str, int]]:
        """How many documents of the scopes hold each of `terms`, where any does."""
        ...

    def held_among(
        self, scopes: Sequence[ScopeKey], terms: Sequence[str]
    ) -> Reading[Mapping[str, int]]:
        """The same of hundreds of terms, few of which any document holds; frequent ones roughly."""
        ...

    def continuations(
        self, scopes: Sequence[ScopeKey], beginning: str
    ) -> Reading[Mapping[str, int]]:
        """The first MAX_CONTINUATIONS terms that begin so, in order, as `frequencies` has them."""
        ...

    def matches(
        self,
        scopes: Sequence[ScopeKey],
        weights: Mapping[str, float],
        conversations: Sequence[ConversationKey],
        without: Sequence[str] = (),
    ) -> Mapping[str, object]:
        """
        What FTS5_SEARCH or TSVECTOR_SEARCH is to find: what holds any of the terms, inside
        `conversations` where there are any.

        What holds a term of `without` is left out.
        """
        ...


def full_text(connection: AsyncConnection) -> FullText:
    return Tsvector(connection) if is_postgres(connection) else Fts5(connection)

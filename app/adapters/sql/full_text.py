"""
Full text: FTS5 on SQLite, tsvector with GIN on PostgreSQL, one way of asking.

Every term carries its scope ("12:word"), so a search reads the postings of one user only, however
many others there are, and what a term is worth does not depend on what others said. The index
finds; `app.ranking.bm25` scores. No text reaches a query syntax: terms hold word characters only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Select,
    Text,
    bindparam,
    cast,
    column,
    delete,
    func,
    insert,
    literal,
    select,
    table,
    union_all,
)
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects.postgresql import TSQUERY
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql.dialect import is_postgres
from app.adapters.sql.tables_full_text import full_text_postgres
from app.domain.ids import ConversationKey, ItemKey, ScopeKey

MAX_CONVERSATIONS_INSIDE = 32
"""More conversations than this are filtered by a join instead of inside the index."""

_MAX_DISTINCT_TERMS = 50_000
"""A tsvector holds less than a megabyte; the rest of such a message is found through its chunks."""

_fts5 = table("full_text", column("rowid"), column("terms"), column("place"), column("full_text"))
_vocabulary = table("full_text_vocabulary", column("term"), column("doc"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A document as it is indexed, and as it must be told again to be removed."""

    key: ItemKey
    scope: ScopeKey
    conversation: ConversationKey
    terms: Sequence[str]


class FullText(Protocol):
    async def add(self, entries: Sequence[Entry]) -> None: ...

    async def remove(self, entries: Sequence[Entry]) -> None: ...

    async def held(self, conversations: Sequence[ConversationKey]) -> Sequence[ItemKey]:
        """What the index holds of these conversations."""
        ...

    async def frequencies(self, scope: ScopeKey, terms: Sequence[str]) -> Mapping[str, int]:
        """How many documents of the scope hold each of `terms`, where any does."""
        ...

    def holding(
        self,
        scope: ScopeKey,
        weights: Mapping[str, float],
        conversations: Sequence[ConversationKey],
    ) -> Select[tuple[int, float]]:
        """Selects `item_key` and `weight`, once for each of the terms that a document holds."""
        ...


def full_text(connection: AsyncConnection) -> FullText:
    return _Tsvector(connection) if is_postgres(connection) else _Fts5(connection)


def _scoped(scope: ScopeKey, term: str) -> str:
    return f"{scope}:{term}"


def _place(conversation: ConversationKey) -> str:
    return f"c{conversation}"


@dataclass(frozen=True, slots=True)
class _Fts5:
    connection: AsyncConnection

    async def add(self, entries: Sequence[Entry]) -> None:
        if entries:
            await self.connection.execute(insert(_fts5), [_fts5_row(each) for each in entries])

    async def remove(self, entries: Sequence[Entry]) -> None:
        rows = [{"full_text": "delete", **_fts5_row(each)} for each in entries]
        if rows:
            await self.connection.execute(insert(_fts5), rows)

    async def held(self, conversations: Sequence[ConversationKey]) -> Sequence[ItemKey]:
        places = " OR ".join(f'"{_place(each)}"' for each in conversations)
        wanted = select(_fts5.c.rowid).where(_fts5.c.full_text.op("MATCH")(f"place : ({places})"))
        return list((await self.connection.execute(wanted)).scalars()) if conversations else []

    async def frequencies(self, scope: ScopeKey, terms: Sequence[str]) -> Mapping[str, int]:
        scoped = {_scoped(scope, term): term for term in terms}
        wanted = select(_vocabulary.c.term, _vocabulary.c.doc).where(
            _vocabulary.c.term.in_(list(scoped))
        )
        return {scoped[row.term]: row.doc for row in await self.connection.execute(wanted)}

    def holding(
        self,
        scope: ScopeKey,
        weights: Mapping[str, float],
        conversations: Sequence[ConversationKey],
    ) -> Select[tuple[int, float]]:
        places = " OR ".join(f'"{_place(each)}"' for each in conversations)
        inside = f" AND place : ({places})" if places else ""
        return _one_by_one(
            _fts5.c.rowid,
            {
                _fts5.c.full_text.op("MATCH")(f'terms : "{_scoped(scope, term)}"{inside}'): weight
                for term, weight in weights.items()
            },
        )


def _fts5_row(entry: Entry) -> dict[str, object]:
    terms = " ".join(_scoped(entry.scope, term) for term in entry.terms)
    return {"rowid": entry.key, "terms": terms, "place": _place(entry.conversation)}


@dataclass(frozen=True, slots=True)
class _Tsvector:
    connection: AsyncConnection

    async def add(self, entries: Sequence[Entry]) -> None:
        if not entries:
            return
        lexemes = bindparam("lexemes", type_=ARRAY(Text))
        rows = postgresql.insert(full_text_postgres).values(
            item_key=bindparam("key"), document=func.array_to_tsvector(lexemes)
        )
        replacing = rows.on_conflict_do_update(
            index_elements=["item_key"], set_={"document": rows.excluded.document}
        )
        await self.connection.execute(replacing, [_tsvector_row(each) for each in entries])

    async def remove(self, entries: Sequence[Entry]) -> None:
        keys = [entry.key for entry in entries]
        await self.connection.execute(
            delete(full_text_postgres).where(full_text_postgres.c.item_key.in_(keys))
        )

    async def held(self, conversations: Sequence[ConversationKey]) -> Sequence[ItemKey]:
        places = cast(" | ".join(f"'{_place(each)}'" for each in conversations), TSQUERY)
        wanted = select(full_text_postgres.c.item_key).where(
            full_text_postgres.c.document.op("@@")(places)
        )
        return list((await self.connection.execute(wanted)).scalars()) if conversations else []

    async def frequencies(self, scope: ScopeKey, terms: Sequence[str]) -> Mapping[str, int]:
        counts = [
            select(literal(term).label("term"), func.count().label("doc"))
            .select_from(full_text_postgres)
            .where(full_text_postgres.c.document.op("@@")(_tsquery(_scoped(scope, term))))
            for term in terms
        ]
        rows = await self.connection.execute(union_all(*counts))
        return {row.term: row.doc for row in rows if row.doc}

    def holding(
        self,
        scope: ScopeKey,
        weights: Mapping[str, float],
        conversations: Sequence[ConversationKey],
    ) -> Select[tuple[int, float]]:
        places = " | ".join(f"'{_place(each)}'" for each in conversations)
        inside = f" & ({places})" if places else ""
        return _one_by_one(
            full_text_postgres.c.item_key,
            {
                full_text_postgres.c.document.op("@@")(
                    _tsquery(_scoped(scope, term), inside)
                ): weight
                for term, weight in weights.items()
            },
        )


def _tsvector_row(entry: Entry) -> dict[str, object]:
    distinct = sorted(set(entry.terms))[:_MAX_DISTINCT_TERMS]
    scoped = [_scoped(entry.scope, term) for term in distinct]
    return {"key": entry.key, "lexemes": [_place(entry.conversation), *scoped]}


def _tsquery(lexeme: str, inside: str = "") -> ColumnElement[object]:
    return cast(f"'{lexeme}'{inside}", TSQUERY)


def _one_by_one(
    key: ColumnElement[int], weights: Mapping[ColumnElement[bool], float]
) -> Select[tuple[int, float]]:
    each = [
        select(key.label("item_key"), literal(weight).label("weight")).where(condition)
        for condition, weight in weights.items()
    ]
    found = union_all(*each).subquery("found")
    return select(found.c.item_key, found.c.weight)

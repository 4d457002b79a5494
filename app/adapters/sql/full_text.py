"""
Full text: FTS5 on SQLite, tsvector with GIN on PostgreSQL, one way of asking.

Every term carries its scope ("12:word"), so a search reads the postings of one user only, however
many others there are, and what a term is worth does not depend on what others said. The index
finds; `app.ranking.bm25` scores. No text reaches a query syntax: terms hold word characters only.

Statements are constant: terms and weights travel as one parameter, so nothing is compiled twice.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Protocol

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Float,
    Integer,
    Text,
    TextualSelect,
    bindparam,
    delete,
    func,
    insert,
    text,
)
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql.dialect import is_postgres
from app.adapters.sql.fetch import Constant
from app.adapters.sql.tables_full_text import fts5, full_text_postgres
from app.domain.ids import ConversationKey, ItemKey, ScopeKey

MAX_CONVERSATIONS_INSIDE = 32
"""More conversations than this are filtered by a join instead of inside the index."""

MAX_CONTINUATIONS = 16
"""Of one beginning: more of them tell little, and each would be searched for."""

_MAX_DOCUMENTS_READ = 500
"""On PostgreSQL, to find continuations: the documents whose lexemes are looked through."""

_MAX_TSVECTOR_BYTES = 1_000_000
"""A tsvector holds 2**20 bytes; the rest of such a message is found through its chunks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A document as it is indexed, and as it must be told again to be removed."""

    key: ItemKey
    scope: ScopeKey
    conversation: ConversationKey
    terms: Sequence[str]


@dataclass(frozen=True, slots=True)
class Search:
    """A statement that selects `item_key` and `weight` once per matched term, and its values."""

    statement: TextualSelect
    values: Mapping[str, object]


class FullText(Protocol):
    async def add(self, entries: Sequence[Entry]) -> None: ...

    async def remove(self, entries: Sequence[Entry]) -> None: ...

    async def clear(self) -> None:
        """Take out everything, of every scope."""
        ...

    async def held(self, conversations: Sequence[ConversationKey]) -> Sequence[ItemKey]:
        """What the index holds of these conversations."""
        ...

    async def frequencies(self, scope: ScopeKey, terms: Sequence[str]) -> Mapping[str, int]:
        """How many documents of the scope hold each of `terms`, where any does."""
        ...

    async def continuations(self, scope: ScopeKey, beginning: str) -> Mapping[str, int]:
        """The first MAX_CONTINUATIONS terms that begin so, in order, as `frequencies` has them."""
        ...

    def search(
        self,
        scope: ScopeKey,
        weights: Mapping[str, float],
        conversations: Sequence[ConversationKey],
        without: Sequence[str] = (),
    ) -> Search:
        """
        Finds what holds any of the terms, inside `conversations` where there are any.

        What holds a term of `without` is left out.
        """
        ...


def full_text(connection: AsyncConnection) -> FullText:
    return _Tsvector(connection) if is_postgres(connection) else _Fts5(connection)


def _scoped(scope: ScopeKey, term: str) -> str:
    return f"{scope}:{term}"


def _unscoped(term: str) -> str:
    return term.partition(":")[2]


def _place(conversation: ConversationKey) -> str:
    return f"c{conversation}"


def _selects(sql: str) -> TextualSelect:
    return text(sql).columns(item_key=Integer, weight=Float)


_FTS5_FREQUENCIES = Constant.on_sqlite(
    "SELECT term, doc FROM full_text_vocabulary WHERE term IN (SELECT value FROM json_each(:terms))"
)
_LAST_CHARACTER = "\U0010ffff"
_FTS5_CONTINUATIONS = Constant.on_sqlite(
    "SELECT term, doc FROM full_text_vocabulary WHERE term >= :first AND term < :last LIMIT :most"
)
_FTS5_HELD = text("SELECT rowid FROM full_text WHERE full_text MATCH :places")
# CROSS JOIN keeps SQLite from turning the two around; LIMIT -1 has it read the JSON only once.
FTS5_SEARCH = _selects(
    "SELECT f.rowid AS item_key, j.weight"
    " FROM (SELECT value ->> 0 AS query, value ->> 1 AS weight"
    "       FROM json_each(:matches) LIMIT -1) AS j"
    " CROSS JOIN full_text AS f ON f.full_text MATCH j.query"
)


@dataclass(frozen=True, slots=True)
class _Fts5:
    connection: AsyncConnection

    async def add(self, entries: Sequence[Entry]) -> None:
        if entries:
            await self.connection.execute(insert(fts5), [_fts5_row(each) for each in entries])

    async def remove(self, entries: Sequence[Entry]) -> None:
        rows = [{"full_text": "delete", **_fts5_row(each)} for each in entries]
        if rows:
            await self.connection.execute(insert(fts5), rows)

    async def clear(self) -> None:
        await self.connection.execute(insert(fts5), {"full_text": "delete-all"})

    async def held(self, conversations: Sequence[ConversationKey]) -> Sequence[ItemKey]:
        places = " OR ".join(f'"{_place(each)}"' for each in conversations)
        if not places:
            return []
        rows = await self.connection.execute(_FTS5_HELD, {"places": f"place : ({places})"})
        return list(rows.scalars())

    async def frequencies(self, scope: ScopeKey, terms: Sequence[str]) -> Mapping[str, int]:
        scoped = {_scoped(scope, term): term for term in terms}
        rows = await _FTS5_FREQUENCIES.fetch(self.connection, terms=list(scoped))
        return {scoped[term]: documents for term, documents in rows}

    async def continuations(self, scope: ScopeKey, beginning: str) -> Mapping[str, int]:
        first = _scoped(scope, beginning)
        rows = await _FTS5_CONTINUATIONS.fetch(
            self.connection, first=first, last=first + _LAST_CHARACTER, most=MAX_CONTINUATIONS
        )
        return {_unscoped(term): documents for term, documents in rows}

    def search(
        self,
        scope: ScopeKey,
        weights: Mapping[str, float],
        conversations: Sequence[ConversationKey],
        without: Sequence[str] = (),
    ) -> Search:
        places = " OR ".join(f'"{_place(each)}"' for each in conversations)
        inside = f" AND place : ({places})" if places else ""
        unwanted = " OR ".join(f'"{_scoped(scope, term)}"' for term in without)
        outside = f" NOT terms : ({unwanted})" if unwanted else ""
        matches = [
            [f'(terms : "{_scoped(scope, term)}"{inside}){outside}', weight]
            for term, weight in weights.items()
        ]
        return Search(FTS5_SEARCH, {"matches": json.dumps(matches)})


def _fts5_row(entry: Entry) -> dict[str, object]:
    terms = " ".join(_scoped(entry.scope, term) for term in entry.terms)
    return {"rowid": entry.key, "terms": terms, "place": _place(entry.conversation)}


_TEXTS = ARRAY(Text)
_KEYS = ARRAY(BigInteger)
_TSVECTOR_FREQUENCIES = text(
    "SELECT t.term, (SELECT count(*) FROM full_text WHERE document @@ t.query::tsquery) AS doc"
    " FROM unnest(:terms, :queries) AS t(term, query)"
).bindparams(bindparam("terms", type_=_TEXTS), bindparam("queries", type_=_TEXTS))
# Lexemes are counted in the documents that the index finds; PostgreSQL keeps no list of them.
_TSVECTOR_CONTINUATIONS = text(
    "SELECT held.lexeme, count(*) FROM"
    " (SELECT document FROM full_text WHERE document @@ (:query)::tsquery LIMIT :read) AS found,"
    " unnest(found.document) AS held"
    " WHERE starts_with(held.lexeme, :first)"
    ' GROUP BY held.lexeme ORDER BY held.lexeme COLLATE "C" LIMIT :most'
)
_TSVECTOR_HELD = text("SELECT item_key FROM full_text WHERE document @@ (:places)::tsquery")
TSVECTOR_SEARCH = _selects(
    "SELECT f.item_key, t.weight FROM unnest(:queries, :weights) AS t(query, weight)"
    " JOIN full_text AS f ON f.document @@ t.query::tsquery"
).bindparams(bindparam("queries", type_=_TEXTS), bindparam("weights", type_=ARRAY(Float)))


@dataclass(frozen=True, slots=True)
class _Tsvector:
    connection: AsyncConnection

    async def add(self, entries: Sequence[Entry]) -> None:
        if entries:
            await self.connection.execute(_TSVECTOR_ADD, [_tsvector_row(each) for each in entries])

    async def remove(self, entries: Sequence[Entry]) -> None:
        c = full_text_postgres.c
        keys = func.any(bindparam("keys", [entry.key for entry in entries], type_=_KEYS))
        await self.connection.execute(delete(full_text_postgres).where(c.item_key == keys))

    async def clear(self) -> None:
        await self.connection.execute(text("TRUNCATE full_text"))

    async def held(self, conversations: Sequence[ConversationKey]) -> Sequence[ItemKey]:
        places = " | ".join(f"'{_place(each)}'" for each in conversations)
        if not places:
            return []
        rows = await self.connection.execute(_TSVECTOR_HELD, {"places": places})
        return list(rows.scalars())

    async def frequencies(self, scope: ScopeKey, terms: Sequence[str]) -> Mapping[str, int]:
        queries = [f"'{_scoped(scope, term)}'" for term in terms]
        rows = await self.connection.execute(
            _TSVECTOR_FREQUENCIES, {"terms": list(terms), "queries": queries}
        )
        return {row.term: row.doc for row in rows if row.doc}

    async def continuations(self, scope: ScopeKey, beginning: str) -> Mapping[str, int]:
        first = _scoped(scope, beginning)
        values = {"first": first, "query": f"'{first}':*", "most": MAX_CONTINUATIONS}
        rows = await self.connection.execute(
            _TSVECTOR_CONTINUATIONS, {**values, "read": _MAX_DOCUMENTS_READ}
        )
        return {_unscoped(term): documents for term, documents in rows}

    def search(
        self,
        scope: ScopeKey,
        weights: Mapping[str, float],
        conversations: Sequence[ConversationKey],
        without: Sequence[str] = (),
    ) -> Search:
        places = " | ".join(f"'{_place(each)}'" for each in conversations)
        inside = f" & ({places})" if places else ""
        outside = "".join(f" & !'{_scoped(scope, term)}'" for term in without)
        queries = [f"'{_scoped(scope, term)}'{inside}{outside}" for term in weights]
        return Search(TSVECTOR_SEARCH, {"queries": queries, "weights": list(weights.values())})


def _adding() -> postgresql.Insert:
    lexemes = bindparam("lexemes", type_=_TEXTS)
    rows = postgresql.insert(full_text_postgres).values(
        item_key=bindparam("key"), document=func.array_to_tsvector(lexemes)
    )
    return rows.on_conflict_do_update(
        index_elements=["item_key"], set_={"document": rows.excluded.document}
    )


_TSVECTOR_ADD = _adding()


def _tsvector_row(entry: Entry) -> dict[str, object]:
    lexemes = [_scoped(entry.scope, term) for term in dict.fromkeys(entry.terms)]
    sizes = accumulate(len(lexeme.encode()) for lexeme in lexemes)
    fitting = [
        lexeme for lexeme, size in zip(lexemes, sizes, strict=True) if size <= _MAX_TSVECTOR_BYTES
    ]
    return {"key": entry.key, "lexemes": [_place(entry.conversation), *fitting]}

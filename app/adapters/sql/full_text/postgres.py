"""Full text on PostgreSQL: tsvector with GIN."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from sqlalchemy import ARRAY, BigInteger, Float, Text, bindparam, delete, func, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql.fetch import Constant, Reading
from app.adapters.sql.full_text.entries import (
    MAX_CONTINUATIONS,
    Entry,
    continued,
    places_of,
    scoped,
    selects,
    summed,
)
from app.adapters.sql.portioned import portions
from app.adapters.sql.tables_full_text import full_text_postgres
from app.domain.ids import ConversationKey, ItemKey, ScopeKey

_MAX_DOCUMENTS_READ = 500
"""To find continuations: the documents whose lexemes are looked through."""

_MAX_TSVECTOR_BYTES = 1_000_000
"""A tsvector holds 2**20 bytes; the rest of such a message is found through its chunks."""

_TEXTS = ARRAY(Text)
_KEYS = ARRAY(BigInteger)
_TSVECTOR_FREQUENCIES = Constant.alone(
    text(
        "SELECT t.term, (SELECT count(*) FROM full_text WHERE document @@ t.query::tsquery) AS doc"
        " FROM unnest(:terms, :queries) AS t(term, query)"
    ).bindparams(bindparam("terms", type_=_TEXTS), bindparam("queries", type_=_TEXTS))
)
# Lexemes are counted in the documents that the index finds; PostgreSQL keeps no list of them.
_TSVECTOR_CONTINUATIONS = Constant.alone(
    text(
        "SELECT held.lexeme, count(*) FROM"
        " (SELECT document FROM full_text WHERE document @@ (:query)::tsquery LIMIT :read)"
        " AS found, unnest(found.document) AS held"
        " WHERE starts_with(held.lexeme, :first)"
        ' GROUP BY held.lexeme ORDER BY held.lexeme COLLATE "C" LIMIT :most'
    )
)
# One look into the index for all of them, and for few documents.
_TSVECTOR_HELD_AMONG = Constant.alone(
    text(
        "SELECT held.lexeme, count(*) FROM"
        " (SELECT document FROM full_text WHERE document @@ (:query)::tsquery LIMIT :read)"
        " AS found, unnest(found.document) AS held"
        " WHERE held.lexeme = ANY(:terms) GROUP BY held.lexeme"
    ).bindparams(bindparam("terms", type_=_TEXTS))
)
_TSVECTOR_HELD = text("SELECT item_key FROM full_text WHERE document @@ (:places)::tsquery")
TSVECTOR_SEARCH = selects(
    "SELECT f.item_key, t.weight FROM unnest(:queries, :weights) AS t(query, weight)"
    " JOIN full_text AS f ON f.document @@ t.query::tsquery"
).bindparams(bindparam("queries", type_=_TEXTS), bindparam("weights", type_=ARRAY(Float)))


@dataclass(frozen=True, slots=True)
class Tsvector:
    connection: AsyncConnection
    postings: Constant | None = None

    async def add(self, entries: Sequence[Entry]) -> None:
        for some in portions(entries):
            await self.connection.execute(_TSVECTOR_ADD, [_tsvector_row(each) for each in some])

    async def remove(self, entries: Sequence[Entry]) -> None:
        c = full_text_postgres.c
        keys = func.any(bindparam("keys", [entry.key for entry in entries], type_=_KEYS))
        await self.connection.execute(delete(full_text_postgres).where(c.item_key == keys))

    async def clear(self) -> None:
        await self.connection.execute(text("TRUNCATE full_text"))

    async def held(
        self, conversations: Sequence[ConversationKey], items: Sequence[ItemKey] = ()
    ) -> Sequence[ItemKey]:
        places = " | ".join(f"'{each}'" for each in places_of(conversations, items))
        if not places:
            return []
        rows = await self.connection.execute(_TSVECTOR_HELD, {"places": places})
        return list(rows.scalars())

    def frequencies(
        self, scopes: Sequence[ScopeKey], terms: Sequence[str]
    ) -> Reading[Mapping[str, int]]:
        queries = [_tsquery_any(scopes, term) for term in terms]
        rows = yield _TSVECTOR_FREQUENCIES, {"terms": list(terms), "queries": queries}
        return {term: documents for term, documents in rows if documents}

    def held_among(
        self, scopes: Sequence[ScopeKey], terms: Sequence[str]
    ) -> Reading[Mapping[str, int]]:
        asked = {scoped(scope, term): term for scope in scopes for term in terms}
        if not asked:
            return {}
        query = " | ".join(f"'{each}'" for each in asked)
        rows = yield (
            _TSVECTOR_HELD_AMONG,
            {"terms": list(asked), "query": query, "read": _MAX_DOCUMENTS_READ},
        )
        return summed((asked[term], documents) for term, documents in rows)

    def continuations(
        self, scopes: Sequence[ScopeKey], beginning: str
    ) -> Reading[Mapping[str, int]]:
        bounds = {"most": MAX_CONTINUATIONS, "read": _MAX_DOCUMENTS_READ}
        return continued(
            scopes,
            beginning,
            lambda first: (
                _TSVECTOR_CONTINUATIONS,
                {"first": first, "query": f"'{first}':*", **bounds},
            ),
        )

    def matches(
        self,
        scopes: Sequence[ScopeKey],
        weights: Mapping[str, float],
        conversations: Sequence[ConversationKey],
        without: Sequence[str] = (),
    ) -> Mapping[str, object]:
        places = " | ".join(f"'{each}'" for each in places_of(conversations))
        inside = f" & ({places})" if places else ""
        outside = "".join(f" & !({_tsquery_any(scopes, term)})" for term in without)
        queries = [f"({_tsquery_any(scopes, term)}){inside}{outside}" for term in weights]
        return {"queries": queries, "weights": list(weights.values())}


def _tsquery_any(scopes: Sequence[ScopeKey], term: str) -> str:
    return " | ".join(f"'{scoped(scope, term)}'" for scope in scopes)


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
    lexemes = [scoped(entry.scope, term) for term in dict.fromkeys(entry.terms)]
    sizes = accumulate(len(lexeme.encode()) for lexeme in lexemes)
    fitting = [
        lexeme for lexeme, size in zip(lexemes, sizes, strict=True) if size <= _MAX_TSVECTOR_BYTES
    ]
    return {"key": entry.key, "lexemes": [entry.place, *fitting]}

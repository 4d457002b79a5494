"""Full text on SQLite: FTS5."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import insert, text
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
from app.adapters.sql.one_hop import UNREAD
from app.adapters.sql.portioned import portions
from app.adapters.sql.tables_full_text import fts5
from app.domain.ids import ConversationKey, ItemKey, ScopeKey

_FTS5_FREQUENCIES = Constant.alone(
    text(
        "SELECT term, doc FROM full_text_vocabulary"
        " WHERE term IN (SELECT value FROM json_each(:terms))"
    )
)
_LAST_CHARACTER = "\U0010ffff"
_FTS5_CONTINUATIONS = Constant.alone(
    text(
        "SELECT term, doc FROM full_text_vocabulary"
        " WHERE term >= :first AND term < :last LIMIT :most"
    )
)
_FTS5_INSERT = insert(fts5)
_FTS5_HELD = text("SELECT rowid FROM full_text WHERE full_text MATCH :places")
# CROSS JOIN keeps SQLite from turning the two around; LIMIT -1 has it read the JSON only once.
FTS5_SEARCH = selects(
    "SELECT f.rowid AS item_key, j.weight"
    " FROM (SELECT value ->> 0 AS query, value ->> 1 AS weight"
    "       FROM json_each(:matches) LIMIT -1) AS j"
    " CROSS JOIN full_text AS f ON f.full_text MATCH j.query"
)
# A row for each term, not for each of its thousand postings: to fetch a row is to let go of the
# interpreter and to wait for it again.
_FTS5_POSTINGS = Constant.alone(
    text(
        "SELECT value ->> 1, (SELECT group_concat(rowid) FROM full_text"
        "                     WHERE full_text MATCH (value ->> 0))"
        " FROM json_each(:matches)"
        " WHERE (SELECT count(*) FROM scope WHERE tenant = :of_tenant"
        "        AND key IN (SELECT value FROM json_each(:the_scopes))) = :how_many"
    )
)


@dataclass(frozen=True, slots=True)
class Fts5:
    connection: AsyncConnection
    postings: Constant | None = _FTS5_POSTINGS

    async def add(self, entries: Sequence[Entry]) -> None:
        for some in portions(entries):
            await self._change([_fts5_row(each) for each in some])

    async def remove(self, entries: Sequence[Entry]) -> None:
        for some in portions(entries):
            await self._change([{"full_text": "delete", **_fts5_row(each)} for each in some])

    async def clear(self) -> None:
        await self._change([{"full_text": "delete-all"}])

    async def _change(self, rows: Sequence[Mapping[str, object]]) -> None:
        await self.connection.execute(_FTS5_INSERT, rows, execution_options=UNREAD)

    async def held(
        self, conversations: Sequence[ConversationKey], items: Sequence[ItemKey] = ()
    ) -> Sequence[ItemKey]:
        places = " OR ".join(f'"{each}"' for each in places_of(conversations, items))
        if not places:
            return []
        rows = await self.connection.execute(_FTS5_HELD, {"places": f"place : ({places})"})
        return list(rows.scalars())

    def frequencies(
        self, scopes: Sequence[ScopeKey], terms: Sequence[str]
    ) -> Reading[Mapping[str, int]]:
        asked = {scoped(scope, term): term for scope in scopes for term in terms}
        rows = yield _FTS5_FREQUENCIES, {"terms": list(asked)}
        return summed((asked[term], documents) for term, documents in rows)

    def held_among(
        self, scopes: Sequence[ScopeKey], terms: Sequence[str]
    ) -> Reading[Mapping[str, int]]:
        return self.frequencies(scopes, terms)

    def continuations(
        self, scopes: Sequence[ScopeKey], beginning: str
    ) -> Reading[Mapping[str, int]]:
        return continued(
            scopes,
            beginning,
            lambda first: (
                _FTS5_CONTINUATIONS,
                {"first": first, "last": first + _LAST_CHARACTER, "most": MAX_CONTINUATIONS},
            ),
        )

    def matches(
        self,
        scopes: Sequence[ScopeKey],
        weights: Mapping[str, float],
        conversations: Sequence[ConversationKey],
        without: Sequence[str] = (),
    ) -> Mapping[str, object]:
        places = " OR ".join(f'"{each}"' for each in places_of(conversations))
        inside = f" AND place : ({places})" if places else ""
        unwanted = " OR ".join(_fts5_any(scopes, term) for term in without)
        outside = f" NOT terms : ({unwanted})" if unwanted else ""
        matches = [
            [f"(terms : ({_fts5_any(scopes, term)}){inside}){outside}", weight]
            for term, weight in weights.items()
        ]
        return {"matches": json.dumps(matches)}


def _fts5_any(scopes: Sequence[ScopeKey], term: str) -> str:
    return " OR ".join(f'"{scoped(scope, term)}"' for scope in scopes)


def _fts5_row(entry: Entry) -> dict[str, object]:
    terms = " ".join(scoped(entry.scope, term) for term in entry.terms)
    return {"rowid": entry.key, "terms": terms, "place": entry.place}

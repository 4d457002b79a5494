"""Searching full text: which terms are worth paying for, and what holds them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, cast

from sqlalchemy import (
    ColumnElement,
    FromClause,
    Select,
    TextualSelect,
    and_,
    bindparam,
    case,
    func,
    or_,
    select,
    true,
)

from app.adapters.sql import tables as t
from app.adapters.sql.dialect import shifted
from app.adapters.sql.fetch import Constant, Reading, one_of
from app.adapters.sql.full_text.asking import MAX_CONVERSATIONS_INSIDE, FullText
from app.adapters.sql.full_text.postgres import TSVECTOR_SEARCH
from app.adapters.sql.full_text.postings import most_telling
from app.adapters.sql.full_text.sqlite import FTS5_SEARCH
from app.adapters.sql.narrowing.items import held_by, holding, items_narrowed_by, of_types
from app.adapters.sql.narrowing.recallable import narrowed_by, narrowing
from app.domain.conversation import Scope
from app.domain.ids import ConversationKey, ItemKey, ScopeKey, TenantId
from app.domain.memory import OF_MESSAGES, ItemType, Table, rows_of, table_and_row
from app.ports import Part, RecallFilter
from app.ports.stored import LexicalAnswer
from app.ranking.bm25 import idf
from app.text.terms import QueryTerms

_MAX_POSTINGS = 4_000
"""Rows that one search may read: the most telling terms go first, the frequent ones stay unpaid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """
    What is looked for, in whose memory; `without` are unwanted terms.

    `scope` counts what the scopes of `within` hold together.
    """

    tenant: TenantId
    scope: Scope
    within: RecallFilter
    limit: int
    without: Sequence[str]

    def of(self, part: Part) -> "Search":
        return replace(self, within=part.within, limit=part.limit)


def found(
    index: FullText, asked: QueryTerms, search: Search, besides: Part | None = None
) -> Reading[LexicalAnswer]:
    """The items whose matched terms are the most telling, best first."""
    frequency = yield from _known(index, search.within.scopes, asked)
    weights = _worth_paying(frequency, search.scope.messages)
    keys = yield from _holders(index, search, weights)
    others = (yield from _holders(index, search.of(besides), weights)) if besides else []
    return LexicalAnswer(keys=keys, document_frequency=frequency, besides=others)


def _holders(
    index: FullText, search: Search, weights: Mapping[str, float]
) -> Reading[Sequence[ItemKey]]:
    """The best of what holds any of the terms."""
    within = search.within
    if not weights or not (within.of_messages() or within.of_items()):
        return []
    inside, beside = _split(within)
    keys: dict[ItemKey, None] = {}
    for left_out in [search.without, ()] if search.without else [()]:
        matches = index.matches(within.scopes, weights, inside, left_out)
        keys |= dict.fromkeys((yield from _most_telling(index, search, beside, matches)))
    return list(keys)


def _most_telling(
    index: FullText, search: Search, beside: RecallFilter, matches: Mapping[str, object]
) -> Reading[Sequence[ItemKey]]:
    """The best of what matches and is not kept out by what the index cannot narrow to, `beside`."""
    within, narrow = search.within, narrowing(beside)
    owned = {
        "the_scopes": list(within.scopes),
        "how_many": len(within.scopes),
        "of_tenant": search.tenant,
    }
    if index.postings is not None and not (narrow or beside.types):
        rows = yield index.postings, {**matches, **owned}
        return (yield from _holding(most_telling(rows), search))
    held = held_by(within) if within.of_items() else {}
    best = _best(Shape(frozenset(narrow), beside.types, beside.of_items()))
    rows = yield best, {**matches, **owned, **held, **narrow, "most": search.limit}
    return [ItemKey(row[0]) for row in rows]


def _holding(keys: Sequence[ItemKey], search: Search) -> Reading[Sequence[ItemKey]]:
    """The first of `keys`, as many as are wanted, without the memory items that do not hold."""
    within, looked_at = search.within, 2 * search.limit
    while True:
        first = keys[:looked_at]
        holding: Collection[int] = ()
        if within.of_items() and (items := rows_of(Table.MEMORY, first)):
            rows = yield _HOLDING, {"wanted_keys": items, **held_by(within)}
            holding = {row[0] for row in rows}
        left = [each for each in first if _stays(each, holding)]
        if len(left) >= search.limit or looked_at >= len(keys):
            return left[: search.limit]
        looked_at *= 2


def _stays(key: ItemKey, holding: Collection[int]) -> bool:
    table, row = table_and_row(key)
    return table is not Table.MEMORY or row in holding


def _items_holding(*, on_postgres: bool) -> Select[Any]:
    item = t.memory_item.c.key
    return select(item).where(
        one_of(item, "wanted_keys", on_postgres=on_postgres), *holding(on_postgres=on_postgres)
    )


_HOLDING = Constant(
    sqlite=_items_holding(on_postgres=False), postgres=_items_holding(on_postgres=True)
)


def _known(
    index: FullText, scopes: Sequence[ScopeKey], asked: QueryTerms
) -> Reading[Mapping[str, int]]:
    """How many documents hold each term, and what continues the names that none of them holds."""
    words = [*asked.terms, *asked.joined]
    held = (yield from index.frequencies(scopes, words)) if words else {}
    frequency = {term: held[term] for term in words if term in held}
    for beginning in asked.prefixes:
        if not any(term.startswith(beginning) for term in held):
            frequency |= yield from index.continuations(scopes, beginning)
    return frequency


def _worth_paying(frequency: Mapping[str, int], documents: int) -> Mapping[str, float]:
    """The idf of the rarest terms, as many as may be read; at least one."""
    rarest_first = sorted(frequency, key=lambda term: (frequency[term], term))
    weights = idf(documents, [frequency[term] for term in rarest_first])
    chosen: dict[str, float] = {}
    read = 0
    for term, weight in zip(rarest_first, weights.tolist(), strict=True):
        read += frequency[term]
        if chosen and read > _MAX_POSTINGS:
            break
        chosen[term] = weight
    return chosen


def _split(within: RecallFilter) -> tuple[Sequence[ConversationKey], RecallFilter]:
    """The conversations that the index itself can narrow to, and what is left for a join."""
    few = within.conversations is not None and len(within.conversations) <= MAX_CONVERSATIONS_INSIDE
    if within.conversations and few:
        return sorted(within.conversations), within.anywhere()
    return [], within


@dataclass(frozen=True, slots=True)
class Shape:
    """
    What a search is made of: the parameters that it is narrowed by, the types that it is for, and
    whether it is for memory items too. There are some dozens of them.
    """

    narrowed: frozenset[str]
    types: frozenset[ItemType]
    items: bool

    @property
    def messages(self) -> bool:
        return not self.types or not self.types.isdisjoint(OF_MESSAGES)

    @property
    def whole(self) -> bool:
        """Whether messages are wanted instead of their chunks."""
        return ItemType.MESSAGE in self.types and ItemType.CHUNK not in self.types

    @property
    def joins_messages(self) -> bool:
        return self.messages and bool(self.narrowed or self.types)


@cache
def _best(shape: Shape) -> Constant:
    return Constant(
        sqlite=_best_of(FTS5_SEARCH, shape, on_postgres=False),
        postgres=_best_of(TSVECTOR_SEARCH, shape, on_postgres=True),
    )


def _best_of(search: TextualSelect, shape: Shape, *, on_postgres: bool) -> Select[Any]:
    """The smallest pieces, or, where only messages are wanted, the messages that they are of."""
    found = search.subquery("found")
    table = found.c.item_key.op("&")(3)
    wanted, source = list[ColumnElement[bool]](), cast("FromClause", found)
    if shape.messages and shape.items and not shape.joins_messages:
        wanted.append(table != Table.MEMORY)
    if shape.joins_messages:
        wanted.append(_message(shape, table, on_postgres=on_postgres))
        message = func.coalesce(t.chunk.c.message_key, _row_in(Table.MESSAGE, found))
        source = source.outerjoin(t.chunk, t.chunk.c.key == _row_in(Table.CHUNK, found))
        source = source.outerjoin(t.message, t.message.c.key == message)
    if shape.items:
        item = t.memory_item.c.key == _row_in(Table.MEMORY, found)
        source = source.outerjoin(t.memory_item, item)
        narrow = items_narrowed_by(shape.narrowed, on_postgres=on_postgres)
        kind = of_types(shape.types)
        wanted.append(
            and_(
                t.memory_item.c.key.is_not(None), *holding(on_postgres=on_postgres), *narrow, *kind
            )
        )
    key: ColumnElement[Any] = found.c.item_key
    if shape.whole:
        key = func.coalesce(shifted(t.message.c.key, 2), key)
    worth = func.sum(found.c.weight)
    return (
        select(key, worth)
        .select_from(source)
        .where(_scopes_are_ours(on_postgres=on_postgres), or_(*wanted or [true()]))
        .group_by(key)
        .order_by(worth.desc(), key.desc())
        .limit(bindparam("most"))
    )


def _row_in(table: Table, found: FromClause) -> ColumnElement[int | None]:
    """
    The row that is found of `table`; NULL of any other, for which nothing is looked up then.

    With the table as a condition beside, SQLite seeks the row first, a thousand times in vain.
    """
    key = found.c.item_key
    return case((key.op("&")(3) == table, key.op(">>")(2)))


def _message(shape: Shape, table: ColumnElement[int], *, on_postgres: bool) -> ColumnElement[bool]:
    """What a message, or one that a chunk is of, must meet."""
    conditions: list[ColumnElement[bool]] = [t.message.c.key.is_not(None)]
    if shape.types and ItemType.MESSAGE not in shape.types:
        conditions.append(table == Table.CHUNK)
    return and_(*conditions, *narrowed_by(shape.narrowed, on_postgres=on_postgres))


def _scopes_are_ours(*, on_postgres: bool) -> ColumnElement[bool]:
    s = t.scope.c
    ours = select(func.count()).where(
        one_of(s.key, "the_scopes", on_postgres=on_postgres),
        s.tenant == bindparam("of_tenant"),
    )
    return ours.scalar_subquery() == bindparam("how_many")

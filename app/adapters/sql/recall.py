"""Finding and hydrating memory items: the hot path of every read."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Select,
    TextualSelect,
    and_,
    bindparam,
    exists,
    func,
    or_,
    select,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.chunk_rows import CHUNKS, CHUNKS_OF_MESSAGES
from app.adapters.sql.dialect import shifted
from app.adapters.sql.fetch import Constant, Rows
from app.adapters.sql.full_text import (
    FTS5_SEARCH,
    MAX_CONVERSATIONS_INSIDE,
    TSVECTOR_SEARCH,
    FullText,
    Search,
    full_text,
)
from app.adapters.sql.hydrating import HYDRATE, recalled
from app.adapters.sql.neighbours import neighbours
from app.adapters.sql.recallable import narrowed, numbers, of_any_model, recallable
from app.domain.conversation import PINNED, Scope
from app.domain.ids import (
    ConversationKey,
    ItemKey,
    MessageKey,
    ScopeKey,
    TenantId,
)
from app.domain.memory import ItemType, Table, item_key, rows_of
from app.ports import RecallFilter
from app.ports.stored import LexicalAnswer
from app.ranking.bm25 import idf
from app.ranking.neighbours import Neighbours
from app.ranking.pool import Recalled
from app.text.terms import QueryTerms

_MAX_POSTINGS = 4_000
"""Rows that one search may read: the most telling terms go first, the frequent ones stay unpaid."""

_PINNED_TAIL = 10
"""Messages at the end of a pinned conversation that count as pinned."""


@dataclass(frozen=True, slots=True)
class SqlRecall:
    connection: AsyncConnection
    tenant: TenantId

    async def hydrate(
        self, keys: Sequence[ItemKey], *, scopes: Sequence[ScopeKey], model: str
    ) -> Recalled:
        asked = {"of_scopes": list(scopes), "of_tenant": self.tenant, "of_model": model}
        found: Rows = []
        if wanted := rows_of(Table.MESSAGE, keys):
            found = await HYDRATE.fetch(self.connection, wanted_keys=wanted, **asked)
        if wanted := rows_of(Table.CHUNK, keys):
            chunks = await CHUNKS.fetch(self.connection, wanted_keys=wanted, **asked)
            found = sorted([*found, *chunks], key=itemgetter(0))
        return recalled(found)

    async def chunks(
        self, messages: Sequence[MessageKey], *, scopes: Sequence[ScopeKey], model: str
    ) -> Recalled:
        found = await CHUNKS_OF_MESSAGES.fetch(
            self.connection,
            wanted_keys=list(messages),
            of_scopes=list(scopes),
            of_tenant=self.tenant,
            of_model=model,
        )
        return recalled(found)

    async def neighbours(
        self, messages: Sequence[MessageKey], *, within: RecallFilter, model: str
    ) -> Neighbours:
        return await neighbours(
            self.connection, messages, tenant=self.tenant, within=within, model=model
        )

    async def remaining(
        self, keys: Sequence[ItemKey], conversations: Sequence[ConversationKey]
    ) -> int:
        embeddings = select(func.count()).where(
            of_any_model(), d.embedding.c.item_key.in_(numbers(keys))
        )
        left = (await self.connection.execute(embeddings)).scalar_one()
        held = await full_text(self.connection).held(conversations)
        return int(left) + len(set(keys).intersection(held))

    async def pinned(self, within: RecallFilter, *, limit: int) -> Sequence[ItemKey]:
        if within.types and ItemType.MESSAGE not in within.types:
            return []
        m, c = t.message.c, t.conversation.c
        in_tail = and_(c.importance == PINNED, m.position >= c.message_count - _PINNED_TAIL)
        wanted = (
            select(m.key)
            .join(t.conversation, c.key == m.conversation_key)
            .join(t.scope, t.scope.c.key == m.scope_key)
            .where(
                t.scope.c.tenant == self.tenant,
                m.scope_key.in_(within.scopes),
                or_(m.importance == PINNED, and_(m.importance.is_(None), in_tail)),
                *recallable(),
                *narrowed(within),
            )
            .order_by(m.created_at.desc(), m.key.desc())
            .limit(limit)
        )
        keys = (await self.connection.execute(wanted)).scalars()
        return [item_key(Table.MESSAGE, key) for key in keys]

    async def find(
        self,
        asked: QueryTerms,
        *,
        scope: Scope,
        within: RecallFilter,
        limit: int,
        without: Sequence[str] = (),
    ) -> LexicalAnswer:
        index = full_text(self.connection)
        frequency = await _known(index, scope.key, asked)
        weights = _worth_paying(frequency, scope.messages)
        if not weights or not within.of_messages():
            return LexicalAnswer(keys=[], document_frequency=frequency)
        inside, beside = _split(within)
        bounds = {"most": limit, "the_scope": scope.key, "of_tenant": self.tenant}
        keys: dict[ItemKey, None] = {}
        for left_out in [without, ()] if without else [()]:
            search = index.search(scope.key, weights, inside, left_out)
            keys |= await self._best(search, beside, bounds)
        return LexicalAnswer(keys=list(keys), document_frequency=frequency)

    async def _best(
        self, search: Search, beside: RecallFilter, bounds: Mapping[str, object]
    ) -> dict[ItemKey, None]:
        values, conditions = {**search.values, **bounds}, narrowed(beside)
        if conditions or beside.types:
            best = _best(search.statement, conditions, beside.types)
            rows: Rows = (await self.connection.execute(best, values)).all()
        else:
            rows = await _BEST.fetch(self.connection, **values)
        return dict.fromkeys(ItemKey(row[0]) for row in rows)


async def _known(index: FullText, scope: ScopeKey, asked: QueryTerms) -> Mapping[str, int]:
    """How many documents hold each term, and what continues the names that none of them holds."""
    words = [*asked.terms, *asked.joined]
    found = await index.frequencies(scope, words) if words else {}
    frequency = {term: found[term] for term in words if term in found}
    for beginning in asked.prefixes:
        if not any(term.startswith(beginning) for term in found):
            frequency |= await index.continuations(scope, beginning)
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


_SCOPE_IS_OURS = (
    exists()
    .select_from(t.scope)
    .where(t.scope.c.key == bindparam("the_scope"), t.scope.c.tenant == bindparam("of_tenant"))
)


def _best(
    search: TextualSelect,
    conditions: Sequence[ColumnElement[bool]] = (),
    types: Collection[ItemType] = (),
) -> Select[Any]:
    """The smallest pieces, or, where only messages are wanted, the messages that they are of."""
    found = search.subquery("found")
    worth = func.sum(found.c.weight)
    row, is_chunk = found.c.item_key.op(">>")(2), found.c.item_key.op("&")(3) == Table.CHUNK
    whole = ItemType.MESSAGE in types and ItemType.CHUNK not in types
    key = shifted(t.message.c.key, 2) if whole else found.c.item_key
    best = select(key, worth).where(_SCOPE_IS_OURS).group_by(key)
    if conditions or types:
        message = t.message.c.key == func.coalesce(t.chunk.c.message_key, row)
        best = best.select_from(found).outerjoin(t.chunk, and_(is_chunk, t.chunk.c.key == row))
        best = best.join(t.message, message).where(*conditions)
    if types and ItemType.MESSAGE not in types:
        best = best.where(is_chunk)
    return best.order_by(worth.desc(), key.desc()).limit(bindparam("most"))


_BEST = Constant(sqlite=_best(FTS5_SEARCH), postgres=_best(TSVECTOR_SEARCH))

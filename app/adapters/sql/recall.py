"""Finding and hydrating memory items: the hot path of every read."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Select,
    TextualSelect,
    and_,
    bindparam,
    exists,
    func,
    or_,
    select,
    type_coerce,
)
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.types import NullType

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.chunk_rows import CHUNKS, CHUNKS_OF_MESSAGES
from app.adapters.sql.dialect import shifted
from app.adapters.sql.fetch import Constant, Rows, one_of
from app.adapters.sql.full_text import (
    FTS5_SEARCH,
    MAX_CONVERSATIONS_INSIDE,
    TSVECTOR_SEARCH,
    FullText,
    Search,
    full_text,
)
from app.adapters.sql.neighbours import neighbours
from app.adapters.sql.types import from_micros
from app.domain.context import MemoryItem
from app.domain.conversation import PINNED, Role, Scope
from app.domain.ids import (
    ConversationId,
    ConversationKey,
    ItemId,
    ItemKey,
    MessageKey,
    ScopeKey,
    TenantId,
)
from app.domain.memory import ItemType, LineageEdge, Table, item_key, rows_of
from app.ports import RecallFilter
from app.ports.store import LexicalAnswer
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
            found = await _HYDRATE.fetch(self.connection, wanted_keys=wanted, **asked)
        if wanted := rows_of(Table.CHUNK, keys):
            chunks = await CHUNKS.fetch(self.connection, wanted_keys=wanted, **asked)
            found = sorted([*found, *chunks], key=itemgetter(0))
        return _recalled(found)

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
        return _recalled(found)

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
            of_any_model(), d.embedding.c.item_key.in_(_numbers(keys))
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


def of_any_model() -> ColumnElement[bool]:
    """True of every embedding; lets its key, which begins with the model, find it by item."""
    return d.embedding.c.model_key.in_(select(d.embedding_model.c.key))


def recallable() -> Sequence[ColumnElement[bool]]:
    """What may be in an index at all, given message and conversation."""
    return (t.message.c.terms.is_not(None), t.conversation.c.archived.is_(False))


def narrowed(within: RecallFilter) -> Sequence[ColumnElement[bool]]:
    """The filter but for its scopes and types, as conditions on a message."""
    c = t.message.c
    conditions: list[ColumnElement[bool]] = []
    if within.conversations is not None:
        conditions.append(c.conversation_key.in_(_numbers(within.conversations)))
    if within.without_conversations:
        conditions.append(c.conversation_key.not_in(_numbers(within.without_conversations)))
    if within.roles:
        conditions.append(c.role.in_(sorted(within.roles)))
    if within.after is not None:
        conditions.append(c.created_at >= within.after)
    if within.before is not None:
        conditions.append(c.created_at < within.before)
    if within.as_of is not None:
        conditions.append(c.created_at <= within.as_of)
    return conditions


def _numbers(keys: Collection[int]) -> BindParameter[Any]:
    """Keys written into the statement: a user's conversations may outnumber its parameters."""
    return bindparam(None, sorted(keys), expanding=True, literal_execute=True, unique=True)


def _raw(column: ColumnElement[Any], name: str) -> ColumnElement[Any]:
    """A column as the driver returns it: few rows of a pool need more."""
    return type_coerce(column, NullType()).label(name)


def _hydrating(*, on_postgres: bool) -> Select[Any]:
    """Everything that ranking and an answer need of items, in one statement made once."""
    m, c = t.message.c, t.conversation.c
    of_model = select(d.embedding_model.c.key).where(
        d.embedding_model.c.name == bindparam("of_model")
    )
    stored = and_(
        d.embedding.c.model_key == of_model.scalar_subquery(),
        d.embedding.c.item_key == shifted(m.key, 2),
    )
    return (
        select(
            shifted(m.key, 2).label("item_key"),
            _raw(m.created_at, "micros"),
            m.tokens,
            func.coalesce(m.importance, c.importance).label("importance"),
            c.label,
            m.content,
            m.content_hash,
            d.embedding.c.vector,
            m.terms,
            _raw(m.id, "id"),
            m.external_id,
            m.role,
            m.name,
            _raw(c.id, "conversation_id"),
            c.external_id.label("conversation_external_id"),
            c.folder,
            m.key,
            m.chunks,
            m.conversation_key,
            m.position,
        )
        .join(t.conversation, c.key == m.conversation_key)
        .join(t.scope, t.scope.c.key == m.scope_key)
        .outerjoin(d.embedding, stored)
        .where(
            one_of(m.key, "wanted_keys", on_postgres=on_postgres),
            one_of(m.scope_key, "of_scopes", on_postgres=on_postgres),
            t.scope.c.tenant == bindparam("of_tenant"),
            *recallable(),
        )
        .order_by(m.key)
    )


_HYDRATE = Constant(sqlite=_hydrating(on_postgres=False), postgres=_hydrating(on_postgres=True))


def _recalled(rows: Rows) -> Recalled:
    if not rows:
        return Recalled.nothing()
    first = [row[:_OF_ITEMS] for row in rows]
    keys, micros, tokens, importance, labels, contents, hashes, vectors, bags, *_ = zip(
        *first, strict=True
    )
    of_chunks = [row[_OF_ITEMS:] or _NO_CHUNK for row in rows]
    return Recalled(
        keys=keys,
        created_at=[each / 1_000_000 for each in micros],
        tokens=tokens,
        importance=importance,
        labels=labels,
        contents=contents,
        hashes=hashes,
        vectors=vectors,
        bags=bags,
        messages=[row[_MESSAGE] for row in rows],
        whole_vectors=[
            own if part[1] is None else part[1]
            for own, part in zip(vectors, of_chunks, strict=True)
        ],
        whole_bags=[
            own if part[2] is None else part[2] for own, part in zip(bags, of_chunks, strict=True)
        ],
        pieces=[0 if part[0] else row[_PIECES] for row, part in zip(rows, of_chunks, strict=True)],
        kinds=[part[0] for part in of_chunks],
        conversations=[row[_CONVERSATION] for row in rows],
        positions=[row[_POSITION] for row in rows],
        roles=[row[_ROLE] for row in rows],
        names=[row[_NAME] for row in rows],
        read=lambda at: _item(rows[at]),
    )


_ROLE, _NAME, _MESSAGE, _PIECES, _CONVERSATION, _POSITION, _OF_ITEMS = 11, 12, 16, 17, 18, 19, 20
"""Columns of `_hydrating`; what a row has behind them is told of chunks only."""

_NO_CHUNK = (None, None, None)


def _item(row: Sequence[Any]) -> MemoryItem:
    """An item of a row of `_hydrating`, in the order of its columns."""
    key, micros, tokens, importance, label, content, content_hash, _vector, _bag, *told = row
    raw_id, external_id, role, name, conversation_id, conversation_external_id, folder = told[:7]
    own_id = _uuid(raw_id)
    chunk = row[_OF_ITEMS + 3 :]
    message_id, start, stop = (_uuid(chunk[0]), *chunk[1:]) if chunk else (own_id, None, None)
    return MemoryItem(
        key=ItemKey(key),
        id=ItemId(own_id),
        type=ItemType.CHUNK if chunk else ItemType.MESSAGE,
        external_id=None if chunk else external_id,
        conversation_id=ConversationId(_uuid(conversation_id)),
        conversation_external_id=conversation_external_id,
        label=label,
        folder=folder,
        role=Role(role),
        name=name,
        content=content,
        created_at=from_micros(micros),
        tokens=tokens,
        importance=importance,
        content_hash=content_hash,
        lineage=(
            LineageEdge(
                kind="message",
                id=str(message_id),
                external_id=external_id,
                start=start,
                stop=stop,
            ),
        ),
    )


def _uuid(raw: object) -> UUID:
    """SQLite returns the digits, PostgreSQL's driver a UUID."""
    return UUID(raw) if isinstance(raw, str) else UUID(str(raw))

"""Finding and hydrating memory items: the hot path of every read."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
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
from app.adapters.sql.dialect import shifted
from app.adapters.sql.fetch import Constant, Rows, one_of
from app.adapters.sql.full_text import (
    FTS5_SEARCH,
    MAX_CONVERSATIONS_INSIDE,
    TSVECTOR_SEARCH,
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
from app.domain.memory import ItemType, LineageEdge, Table, item_key, table_and_row
from app.ports import RecallFilter
from app.ports.store import LexicalAnswer
from app.ranking.bm25 import idf
from app.ranking.neighbours import Neighbours
from app.ranking.pool import Recalled

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
        rows = [row for table, row in map(table_and_row, keys) if table is Table.MESSAGE]
        if not rows:
            return Recalled.nothing()
        found = await _HYDRATE.fetch(
            self.connection,
            wanted_keys=rows,
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
        self, terms: Sequence[str], *, scope: Scope, within: RecallFilter, limit: int
    ) -> LexicalAnswer:
        index = full_text(self.connection)
        frequency = await index.frequencies(scope.key, terms) if terms else {}
        weights = _worth_paying(frequency, scope.messages)
        if not weights:
            return LexicalAnswer(keys=[], document_frequency=frequency)
        inside, beside = _split(within)
        search = index.search(scope.key, weights, inside)
        values = {**search.values, "most": limit, "the_scope": scope.key, "of_tenant": self.tenant}
        conditions = narrowed(beside)
        if conditions:
            best = _best(search.statement, conditions)
            rows: Rows = (await self.connection.execute(best, values)).all()
        else:
            rows = await _BEST.fetch(self.connection, **values)
        return LexicalAnswer(keys=[ItemKey(row[0]) for row in rows], document_frequency=frequency)


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


def _best(search: TextualSelect, conditions: Sequence[ColumnElement[bool]]) -> Select[Any]:
    found = search.subquery("found")
    worth = func.sum(found.c.weight)
    best = select(found.c.item_key, worth).where(_SCOPE_IS_OURS).group_by(found.c.item_key)
    if conditions:
        message = t.message.c.key == found.c.item_key.op(">>")(2)
        best = best.join(t.message, message).where(*conditions)
    return best.order_by(worth.desc(), found.c.item_key.desc()).limit(bindparam("most"))


_BEST = Constant(sqlite=_best(FTS5_SEARCH, []), postgres=_best(TSVECTOR_SEARCH, []))


def of_any_model() -> ColumnElement[bool]:
    """True of every embedding; lets its key, which begins with the model, find it by item."""
    return d.embedding.c.model_key.in_(select(d.embedding_model.c.key))


def recallable() -> Sequence[ColumnElement[bool]]:
    """What may be in an index at all, given message and conversation."""
    return (t.message.c.terms.is_not(None), t.conversation.c.archived.is_(False))


def narrowed(within: RecallFilter) -> Sequence[ColumnElement[bool]]:
    """The filter but for its scopes, as conditions on a message."""
    c = t.message.c
    conditions: list[ColumnElement[bool]] = []
    if within.conversations is not None:
        conditions.append(c.conversation_key.in_(_numbers(within.conversations)))
    if within.without_conversations:
        conditions.append(c.conversation_key.not_in(_numbers(within.without_conversations)))
    if within.roles:
        conditions.append(c.role.in_(sorted(within.roles)))
    if within.types and ItemType.MESSAGE not in within.types:
        conditions.append(c.key < 0)
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
            m.key,
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
    columns = tuple(zip(*rows, strict=True))
    keys, micros, tokens, importance, labels, contents, hashes, vectors, bags, *told = columns
    _id, _external_id, roles, names, *_, conversations, positions = told
    return Recalled(
        keys=[item_key(Table.MESSAGE, key) for key in keys],
        created_at=[each / 1_000_000 for each in micros],
        tokens=tokens,
        importance=importance,
        labels=labels,
        contents=contents,
        hashes=hashes,
        vectors=vectors,
        bags=bags,
        messages=keys,
        whole_vectors=vectors,
        whole_bags=bags,
        conversations=conversations,
        positions=positions,
        roles=roles,
        names=names,
        read=lambda at: _item(rows[at]),
    )


def _item(row: Sequence[Any]) -> MemoryItem:
    """An item of a row of `_hydrating`, in the order of its columns."""
    key, micros, tokens, importance, label, content, content_hash, _vector, _bag, *told = row
    raw_id, external_id, role, name, conversation_id, conversation_external_id, folder, *_ = told
    own_id = _uuid(raw_id)
    return MemoryItem(
        key=item_key(Table.MESSAGE, key),
        id=ItemId(own_id),
        type=ItemType.MESSAGE,
        external_id=external_id,
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
        lineage=(LineageEdge(kind="message", id=str(own_id), external_id=external_id),),
    )


def _uuid(raw: object) -> UUID:
    """SQLite returns the digits, PostgreSQL's driver a UUID."""
    return UUID(raw) if isinstance(raw, str) else UUID(str(raw))

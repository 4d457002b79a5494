"""Facts of one moment that must fit each other."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Integer,
    Select,
    func,
    or_,
    select,
    text,
)

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import is_postgres, numbers
from app.adapters.sql.erasing.erasures import unfinished
from app.adapters.sql.full_text.rebuild_window import being_built
from app.adapters.sql.health import of_embeddings, of_labels, of_lineage, of_scopes, orphans
from app.adapters.sql.health.of_graph import miscounted_entities, misweighed_edges, unlinked
from app.adapters.sql.health.of_scopes import is_doomed
from app.adapters.sql.narrowing.items import in_words
from app.adapters.sql.narrowing.recallable import recallable
from app.adapters.sql.projecting.indexable import SqlIndexable
from app.adapters.sql.rebuilding import health as of_full_text
from app.domain.ids import ConversationKey, EntityKey, ItemKey, ScopeKey
from app.domain.memory import Table, item_key
from app.ports.inspecting import Counters, Indexed, Said, Unlinked
from app.ports.stored import Erasure
from app.ranking.bm25 import Bags

_BATCH = 1_000
_BYTES_PER_TERM = 5
"""Of a bag of words (app/ranking/bm25.py)."""

_VOCABULARY_SQLITE = "SELECT term, doc FROM full_text_vocabulary"
_VOCABULARY_POSTGRES = (
    "SELECT word AS term, ndoc AS doc FROM ts_stat('SELECT document FROM full_text')"
)
_BY_PLACE = """
SELECT CAST(substr(term, 2) AS bigint) AS owner, doc FROM ({vocabulary}) AS v
WHERE {colon} = 0 AND term LIKE 'c%'
"""
_BY_SCOPE = """
SELECT CAST(substr(term, 1, {colon} - 1) AS bigint) AS owner, sum(doc) AS doc
FROM ({vocabulary}) AS v WHERE {colon} > 0 GROUP BY 1
"""


@dataclass(frozen=True, slots=True)
class SqlInspection(SqlIndexable):
    """All that is asked of one of these is asked of one moment."""

    async def damage(self) -> Sequence[str]:
        """PostgreSQL checks its pages as it reads them; it has nothing to be asked."""
        if is_postgres(self.connection):
            return []
        told = await self.connection.execute(text("PRAGMA integrity_check(20)"))
        return [line for line in told.scalars() if line != "ok"]

    async def broken_references(self) -> Sequence[str]:
        return await orphans.broken_references(self.connection)

    async def orphans(self) -> Sequence[str]:
        return await orphans.orphans(self.connection)

    async def miscounted(self) -> Sequence[ConversationKey]:
        m, c = t.message.c, t.conversation.c
        said = (
            select(
                m.conversation_key,
                func.count().label("messages"),
                func.sum(m.tokens).label("tokens"),
                func.max(m.created_at).label("latest"),
            )
            .group_by(m.conversation_key)
            .subquery()
        )
        wrong = (
            select(c.key)
            .outerjoin(said, said.c.conversation_key == c.key)
            .where(
                or_(
                    c.message_count != func.coalesce(said.c.messages, 0),
                    c.token_count != func.coalesce(said.c.tokens, 0),
                    c.last_message_at.is_distinct_from(said.c.latest),
                ),
                ~is_doomed(c.scope_key),
            )
            .order_by(c.key)
        )
        return [ConversationKey(key) for key in (await self.connection.execute(wrong)).scalars()]

    async def strays(self) -> Sequence[ItemKey]:
        return await of_scopes.strays(self.connection)

    async def astray(self) -> Sequence[ItemKey]:
        return await of_scopes.astray(self.connection)

    async def notes_astray(self) -> Sequence[ItemKey]:
        return await of_scopes.notes_astray(self.connection)

    async def mixed_entities(self) -> Sequence[EntityKey]:
        return await of_scopes.mixed_entities(self.connection)

    async def misled(self) -> Sequence[ItemKey]:
        return await of_lineage.misled(self.connection)

    async def underived(self) -> Sequence[ItemKey]:
        return await of_lineage.underived(self.connection)

    async def chunks_missing(self) -> Sequence[ItemKey]:
        m, k = t.message.c, t.chunk.c
        there = select(func.count()).where(k.message_key == m.key).scalar_subquery()
        return await self._keys(Table.MESSAGE, select(m.key).where(m.chunks != there))

    async def said(self, *, limit: int) -> Sequence[Said]:
        return await of_full_text.said(self.connection, limit=limit)

    async def lacking(
        self, terms: Mapping[ItemKey, tuple[ScopeKey, Sequence[str]]]
    ) -> Sequence[ItemKey]:
        return await of_full_text.lacking(self.connection, terms)

    async def full_text_is_being_built(self) -> bool:
        return await being_built(self.connection)

    async def labels_are_being_indexed(self) -> bool:
        return await of_labels.labels_are_being_indexed(self.connection)

    async def mislabelled(self) -> Sequence[ConversationKey]:
        return await of_labels.mislabelled(self.connection)

    async def indexed(self) -> Indexed:
        on_postgres = is_postgres(self.connection)
        words = {
            "vocabulary": _VOCABULARY_POSTGRES if on_postgres else _VOCABULARY_SQLITE,
            "colon": "position(':' in term)" if on_postgres else "instr(term, ':')",
        }
        places = await self.connection.execute(text(_BY_PLACE.format(**words)))
        scopes = await self.connection.execute(text(_BY_SCOPE.format(**words)))
        return Indexed(
            documents={ConversationKey(owner): int(doc) for owner, doc in places},
            postings={ScopeKey(owner): int(doc) for owner, doc in scopes},
        )

    async def to_be_indexed(self) -> Indexed:
        documents: Counter[ConversationKey] = Counter()
        postings: Counter[ScopeKey] = Counter()
        for pieces in _smallest():
            terms = func.sum(func.length(pieces.terms, type_=Integer) // _BYTES_PER_TERM)
            owners = (pieces.conversation, pieces.scope)
            told = pieces.of.with_only_columns(*owners, func.count(), terms).group_by(*owners)
            for conversation, scope, count, size in await self.connection.execute(told):
                if conversation is not None:
                    documents[conversation] += count
                postings[scope] += int(size)
        return Indexed(documents=documents, postings=postings)

    async def counters(self) -> Counters:
        s = t.scope.c
        rows = (await self.connection.execute(select(s.key, s.messages, s.terms))).all()
        return Counters(
            documents={row.key: row.messages for row in rows},
            terms={row.key: row.terms for row in rows},
        )

    async def counted(self) -> Counters:
        documents: Counter[ScopeKey] = Counter()
        terms: Counter[ScopeKey] = Counter()
        for pieces in _smallest():
            last = 0
            while rows := (
                await self.connection.execute(
                    pieces.of.where(pieces.key > last).order_by(pieces.key).limit(_BATCH)
                )
            ).all():
                last = rows[-1].key
                lengths = Bags.unpack([row.terms for row in rows]).length
                for row, length in zip(rows, lengths.tolist(), strict=True):
                    documents[row.scope_key] += 1
                    terms[row.scope_key] += int(length)
        return Counters(documents=documents, terms=terms)

    async def miscounted_entities(self) -> Sequence[EntityKey]:
        return await miscounted_entities(self.connection)

    async def misweighed_edges(self) -> Sequence[int]:
        return await misweighed_edges(self.connection)

    async def unlinked(self, *, limit: int) -> Sequence[Unlinked]:
        return await unlinked(self.connection, limit=limit)

    async def orphaned_embeddings(self) -> Sequence[ItemKey]:
        return await of_embeddings.orphaned_embeddings(self.connection)

    async def misshapen_embeddings(self) -> Sequence[ItemKey]:
        return await of_embeddings.misshapen_embeddings(self.connection)

    async def unnormal_embeddings(self) -> Sequence[ItemKey]:
        return await of_embeddings.unnormal_embeddings(self.connection)

    async def unembedded(self, keys: Sequence[ItemKey], *, model: str) -> Sequence[ItemKey]:
        e, m = d.embedding.c, d.embedding_model.c
        of_model = select(m.key).where(m.name == model).scalar_subquery()
        there = select(e.item_key).where(e.model_key == of_model, e.item_key.in_(numbers(keys)))
        found = set((await self.connection.execute(there)).scalars())
        return [key for key in keys if key not in found]

    async def wordless(
        self, keys: Sequence[ItemKey], *, model: str, dimension: int
    ) -> Sequence[ItemKey]:
        return await of_embeddings.wordless(self.connection, keys, model=model, dimension=dimension)

    async def out_of_context(self, keys: Sequence[ItemKey], *, model: str) -> Sequence[ItemKey]:
        return await of_embeddings.out_of_context(self.connection, keys, model=model)

    async def noted(self, keys: Sequence[ItemKey]) -> frozenset[ItemKey]:
        o = d.outbox.c
        rows = await self.connection.execute(
            select(o.item_key).where(o.item_key.in_(numbers(keys))).distinct()
        )
        return frozenset(map(ItemKey, rows.scalars()))

    async def untried(self, keys: Sequence[ItemKey]) -> bool:
        o = d.outbox.c
        waiting = select(o.key).where(o.item_key.in_(numbers(keys)), o.error.is_(None))
        return (await self.connection.execute(waiting.limit(1))).first() is not None

    async def undistilled_of(self, conversations: Sequence[ConversationKey]) -> bool:
        o = d.distillation.c
        ours = o.conversation_key.in_(numbers(conversations))
        waiting = select(o.id).where(ours, o.due_at.is_not(None), o.attempts == 0)
        return (await self.connection.execute(waiting.limit(1))).first() is not None

    async def due(self, *, now: datetime) -> bool:
        """What was put off says why; what is claimed says nothing yet."""
        o = d.outbox.c
        waiting = select(o.key).where(o.dead.is_(False), or_(o.due_at <= now, o.error.is_(None)))
        return (await self.connection.execute(waiting.limit(1))).first() is not None

    async def unfinished(self, *, until: datetime) -> Sequence[Erasure]:
        return await unfinished(self.connection, until=until)

    async def _keys(self, table: Table, rows: Select[Any]) -> Sequence[ItemKey]:
        return [item_key(table, key) for key in (await self.connection.execute(rows)).scalars()]


@dataclass(frozen=True, slots=True)
class _Pieces:
    """What full text holds of one table: its rows with key, scope and bag of words."""

    key: ColumnElement[int]
    terms: ColumnElement[Any]
    conversation: ColumnElement[Any]
    scope: ColumnElement[int]
    of: Select[Any]


def _smallest() -> Sequence[_Pieces]:
    """Messages without chunks, chunks, and memory items, of what may be recalled at all."""
    m, c, k, i = t.message.c, t.conversation.c, t.chunk.c, t.memory_item.c
    messages = (
        select(m.key, m.scope_key, m.terms)
        .join(t.conversation, c.key == m.conversation_key)
        .where(m.chunks == 0, *_in_full_text())
    )
    chunks = (
        select(k.key, m.scope_key, k.terms)
        .join(t.message, m.key == k.message_key)
        .join(t.conversation, c.key == m.conversation_key)
        .where(*_in_full_text())
    )
    items = (
        select(i.key, i.scope_key, i.terms)
        .outerjoin(t.conversation, c.key == i.conversation_key)
        .where(in_words(), or_(c.key.is_(None), c.archived.is_(False)))
    )
    owners = (m.conversation_key, m.scope_key)
    return [
        _Pieces(m.key, m.terms, *owners, messages),
        _Pieces(k.key, k.terms, *owners, chunks),
        _Pieces(i.key, i.terms, i.conversation_key, i.scope_key, items),
    ]


def _in_full_text() -> Sequence[ColumnElement[bool]]:
    """What is being erased is in full text until it is gone."""
    indexed, shown, _ = recallable()
    return indexed, shown

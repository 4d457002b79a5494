"""Memory items with all that ranking and an answer need of them, in one statement made once."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import orjson
from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    FromClause,
    ScalarSelect,
    Select,
    Text,
    and_,
    bindparam,
    case,
    cast,
    exists,
    func,
    literal,
    literal_column,
    null,
    or_,
    select,
    type_coerce,
)

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import shifted, unindexed
from app.adapters.sql.fetch import Constant, one_of
from app.adapters.sql.narrowing.items import holding, item_recallable
from app.adapters.sql.narrowing.recallable import of_named_model, told_of_conversation
from app.adapters.sql.raw_rows import id_of, raw, uuid_of
from app.adapters.sql.types import from_micros
from app.domain.context import MemoryItem
from app.domain.ids import ConversationId, ItemId, ItemKey
from app.domain.memory import ItemType, LineageEdge, Table
from app.domain.periods import span_about
from app.ranking.pool import Gist


def key_of_item() -> ColumnElement[int]:
    """The item key of a memory item's row."""
    return shifted(t.memory_item.c.key, 2) + Table.MEMORY


def _hydrating(*, on_postgres: bool) -> Select[Any]:
    """Those that the parameter `wanted_keys` names."""
    i = t.memory_item.c
    wanted = one_of(i.key, "wanted_keys", on_postgres=on_postgres)
    return _held(on_postgres=on_postgres).where(wanted).order_by(i.key)


def _with_periods(*, on_postgres: bool) -> Select[Any]:
    """The same, and those that sum up what the parameter `of_subjects` names."""
    i, told = t.memory_item.c, _summing_up(on_postgres=on_postgres)
    if on_postgres:  # as one list: beside "or", it would go through all items
        keys = bindparam("wanted_keys", type_=ARRAY(BigInteger))
        either = i.key == func.any(func.array_cat(keys, func.array(told.scalar_subquery())))
    else:
        either = or_(one_of(i.key, "wanted_keys", on_postgres=False), i.key.in_(told))
    return _held(on_postgres=on_postgres).where(either).order_by(i.key)


def _summing_up(*, on_postgres: bool) -> Select[Any]:
    """By subject, and by no other index: in those by time lie other people's items as well."""
    p = t.memory_item.alias("period").c
    since = unindexed(type_coerce(p.valid_from, BigInteger))
    return select(p.key).where(
        one_of(p.scope_key, "of_scopes", on_postgres=on_postgres),
        p.type == literal_column(f"'{ItemType.SUMMARY.value}'"),
        one_of(p.subject, "of_subjects", on_postgres=on_postgres, of=Text),
        since.between(bindparam("since"), bindparam("until")),
    )


def _summary(*, on_postgres: bool) -> Select[Any]:
    """What sums up the conversation `of_conversation`: of several that hold, the newest."""
    i = t.memory_item.c
    own = (i.conversation_key == bindparam("of_conversation"), i.type == ItemType.SUMMARY.value)
    held = _held(on_postgres=on_postgres).where(*own)
    return held.order_by(i.valid_from.desc(), i.key.desc()).limit(1)


def _columns(parent: FromClause, *, on_postgres: bool) -> Sequence[ColumnElement[Any]]:
    """
    Those of `hydrating.py` and `chunk_rows.py`, in their order, then our own.

    For ranking an item is a message of a conversation of its own, and a part of a document one of
    the messages that the document consists of. Their keys are below zero, where no message is.
    """
    i, c = t.memory_item.c, t.conversation.c
    alone = -func.coalesce(i.parent_key, i.key)
    return (
        key_of_item().label("item_key"),
        raw(i.valid_from, "micros"),
        i.tokens,
        i.importance,
        c.label,
        i.content,
        i.content_hash,
        d.embedding.c.vector,
        null().label("in_context"),
        d.embedding.c.words,
        i.terms,
        raw(i.id, "id"),
        null().label("external_id"),
        null().label("role"),
        null().label("name"),
        *told_of_conversation(),
        alone.label("message_key"),
        literal(0).label("chunks"),
        alone.label("conversation_key"),
        i.position,
        case((i.parent_key.is_not(None), "prose")).label("kind"),
        null().label("whole_vector"),
        null().label("whole_terms"),
        raw(parent.c.id, "parent_id"),
        i.start,
        i.stop,
        i.type,
        i.source,
        _lineage(on_postgres=on_postgres).label("lineage"),
        raw(i.last_accessed_at, "shown_at"),
        i.subject,
    )


def _held(*, on_postgres: bool) -> Select[Any]:
    """What holds, of the scopes and the tenant that the parameters name."""
    i, c, parent = t.memory_item.c, t.conversation.c, t.memory_item.alias("parent")
    own = unindexed(i.scope_key)
    stored = and_(
        d.embedding.c.model_key == of_named_model(), d.embedding.c.item_key == key_of_item()
    )
    return (
        select(*_columns(parent, on_postgres=on_postgres))
        .select_from(t.memory_item)
        .join(t.scope, t.scope.c.key == own)
        .outerjoin(t.conversation, c.key == i.conversation_key)
        .outerjoin(parent, parent.c.key == i.parent_key)
        .outerjoin(d.embedding, stored)
        .where(
            one_of(own, "of_scopes", on_postgres=on_postgres),
            t.scope.c.tenant == bindparam("of_tenant"),
            *item_recallable(),
            *holding(on_postgres=on_postgres),
            _told_of_before(),
        )
    )


def _told_of_before() -> ColumnElement[bool]:
    """A summary is known once all is said that it tells."""
    m, i = t.message.c, t.memory_item.c
    later = exists().where(
        t.lineage.c.item_key == i.key,
        m.key == t.lineage.c.message_key,
        type_coerce(m.created_at, BigInteger) > bindparam("held_since"),
    )
    return or_(i.type != ItemType.SUMMARY.value, ~later)


def _lineage(*, on_postgres: bool) -> ScalarSelect[Any]:
    """The messages that an item was derived from, as JSON: [[key, id, external id], …]."""
    m = t.message.c
    if on_postgres:
        edges = func.json_agg(func.json_build_array(m.key, m.id, m.external_id))
    else:
        edges = func.json_group_array(func.json_array(m.key, raw(m.id, "id"), m.external_id))
    return (
        select(cast(edges, Text))
        .select_from(t.lineage.join(t.message, m.key == t.lineage.c.message_key))
        .where(t.lineage.c.item_key == t.memory_item.c.key)
        .correlate(t.memory_item)
        .scalar_subquery()
    )


ITEMS = Constant(
    sqlite=_hydrating(on_postgres=False),
    postgres=_hydrating(on_postgres=True),
    bytes_at=(6, 7, 8, 9, 10),
)

ITEMS_AND_PERIODS = Constant(
    sqlite=_with_periods(on_postgres=False),
    postgres=_with_periods(on_postgres=True),
    bytes_at=(6, 7, 8, 9, 10),
)

SUMMARY_OF_CONVERSATION = Constant(
    sqlite=_summary(on_postgres=False), postgres=_summary(on_postgres=True)
)


def item_of(row: Sequence[Any]) -> MemoryItem:
    """An item of a row of ITEMS, in the order of its columns."""
    key, micros, tokens, importance, label, content, content_hash, _, _, _, _bag, *told = row
    raw_id, _external_id, _role, _name, conversation_id, conversation_external_id, folder = told[:7]
    *part, kind, source, edges, _shown_at, _about = told[14:]
    own_id = uuid_of(raw_id)
    return MemoryItem(
        key=ItemKey(key),
        id=ItemId(own_id),
        type=ItemType(kind),
        external_id=None,
        conversation_id=None
        if conversation_id is None
        else ConversationId(uuid_of(conversation_id)),
        conversation_external_id=conversation_external_id,
        label=label,
        folder=folder,
        role=None,
        name=None,
        content=content,
        created_at=from_micros(micros),
        tokens=tokens,
        importance=importance,
        content_hash=content_hash,
        lineage=_edges(ItemType(kind), own_id, source, part, edges),
    )


def gist_of(row: Sequence[Any]) -> Gist:
    """What a summary tells of, of its row of ITEMS; the lineage is read no further than that."""
    edges, _shown_at, about = row[-3:]
    return Gist(
        cited=frozenset(key for key, *_ in orjson.loads(edges or "[]")), span=span_about(about)
    )


def _edges(
    kind: ItemType, own_id: UUID, source: str | None, part: Sequence[Any], edges: str | None
) -> Sequence[LineageEdge]:
    parent_id, start, stop = part
    if kind is ItemType.DOCUMENT:
        whole = own_id if parent_id is None else uuid_of(parent_id)
        return [document_edge(whole, source, start, stop)]
    derived = [
        LineageEdge(kind="message", id=id_of(message_id), external_id=external_id)
        for _, message_id, external_id in sorted(orjson.loads(edges or "[]"))
    ]
    return [*derived, *source_edge(source)]


def document_edge(
    document: UUID, source: str | None, start: int | None, stop: int | None
) -> LineageEdge:
    return LineageEdge(
        kind="document", id=str(document), external_id=source, start=start, stop=stop
    )


def source_edge(source: str | None) -> Sequence[LineageEdge]:
    return [] if source is None else [LineageEdge(kind="source", id=source)]

"""Chunks with all that ranking and an answer need of them, in one statement made once."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, FromClause, Select, and_, bindparam, null, select

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import shifted
from app.adapters.sql.fetch import Constant, one_of
from app.adapters.sql.narrowing.recallable import (
    importance_of_message,
    of_named_model,
    recallable,
    told_of_conversation,
)
from app.adapters.sql.raw_rows import raw
from app.adapters.sql.said.pieces import key_of_chunk

_MOST = 1_000
"""Chunks that are read to find the best ones; of more, the best are found by themselves."""


def _columns(own: FromClause, whole: FromClause) -> Sequence[ColumnElement[Any]]:
    """
    Those of `hydrating.py`, in their order, then those of chunks only.

    Args:
        own: The embeddings of chunks.
        whole: Those of their messages.
    """
    m, c, k = t.message.c, t.conversation.c, t.chunk.c
    return (
        key_of_chunk().label("item_key"),
        raw(m.created_at, "micros"),
        k.tokens,
        importance_of_message().label("importance"),
        c.label,
        k.content,
        k.content_hash,
        own.c.vector,
        null().label("in_context"),
        own.c.words,
        k.terms,
        raw(k.id, "id"),
        m.external_id,
        m.role,
        m.name,
        *told_of_conversation(),
        m.key.label("message_key"),
        m.chunks,
        m.conversation_key,
        m.position,
        k.kind,
        whole.c.vector.label("whole_vector"),
        m.terms.label("whole_terms"),
        raw(m.id, "message_id"),
        k.start,
        k.stop,
    )


def _hydrating(owner: ColumnElement[Any], *, on_postgres: bool) -> Select[Any]:
    """Chunks by `owner`, which is their own key or their message's."""
    m, c, k = t.message.c, t.conversation.c, t.chunk.c
    own, whole = d.embedding.alias("own"), d.embedding.alias("whole")
    of_model = of_named_model()
    return (
        select(*_columns(own, whole))
        .select_from(t.chunk)
        .join(t.message, m.key == k.message_key)
        .join(t.conversation, c.key == m.conversation_key)
        .join(t.scope, t.scope.c.key == m.scope_key)
        .outerjoin(own, and_(own.c.model_key == of_model, own.c.item_key == key_of_chunk()))
        .outerjoin(
            whole, and_(whole.c.model_key == of_model, whole.c.item_key == shifted(m.key, 2))
        )
        .where(
            one_of(owner, "wanted_keys", on_postgres=on_postgres),
            one_of(m.scope_key, "of_scopes", on_postgres=on_postgres),
            t.scope.c.tenant == bindparam("of_tenant"),
            *recallable(),
        )
        .order_by(k.key)
        .limit(_MOST)
    )


def _constant(owner: ColumnElement[Any]) -> Constant:
    return Constant(
        sqlite=_hydrating(owner, on_postgres=False),
        postgres=_hydrating(owner, on_postgres=True),
        bytes_at=(6, 7, 8, 9, 10, 23, 24),
    )


CHUNKS = _constant(t.chunk.c.key)
CHUNKS_OF_MESSAGES = _constant(t.chunk.c.message_key)

"""Messages with all that ranking and an answer need of them, in one statement made once."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Select,
    and_,
    bindparam,
    select,
)

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import shifted
from app.adapters.sql.fetch import Constant, Rows, one_of
from app.adapters.sql.items.rows import gist_of, item_of
from app.adapters.sql.narrowing.recallable import (
    importance_of_message,
    of_named_model,
    recallable,
    told_of_conversation,
)
from app.adapters.sql.raw_rows import parsed, raw, uuid_of
from app.adapters.sql.types import from_micros
from app.domain.context import MemoryItem
from app.domain.conversation import Role
from app.domain.ids import (
    ConversationId,
    ItemId,
    ItemKey,
)
from app.domain.memory import ItemType, LineageEdge, Table, lies_in
from app.ranking.pool import Gist, Recalled
from app.text.echo import own_words


def _columns() -> Sequence[ColumnElement[Any]]:
    """What is read of a message; `recalled` knows them by their places."""
    m, c = t.message.c, t.conversation.c
    return (
        shifted(m.key, 2).label("item_key"),
        raw(m.created_at, "micros"),
        m.tokens,
        importance_of_message().label("importance"),
        c.label,
        m.content,
        m.content_hash,
        d.embedding.c.vector,
        d.embedding.c.in_context,
        d.embedding.c.words,
        m.terms,
        raw(m.id, "id"),
        m.external_id,
        m.role,
        m.name,
        *told_of_conversation(),
        m.key,
        m.chunks,
        m.conversation_key,
        m.position,
        m.echo,
    )


def _hydrating(*, on_postgres: bool) -> Select[Any]:
    """Everything that ranking and an answer need of items, in one statement made once."""
    m, c = t.message.c, t.conversation.c
    stored = and_(
        d.embedding.c.model_key == of_named_model(),
        d.embedding.c.item_key == shifted(m.key, 2),
    )
    return (
        select(*_columns())
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


HYDRATE = Constant(
    sqlite=_hydrating(on_postgres=False),
    postgres=_hydrating(on_postgres=True),
    bytes_at=(6, 7, 8, 9, 10),
)


def said(rows: Rows) -> Rows:
    """Rows of HYDRATE with what each message says by itself: its echoes are recalled by nothing."""
    return [row[:_OF_ITEMS] if row[_OF_ITEMS] is None else _own(row) for row in rows]


def _own(row: Sequence[Any]) -> Sequence[Any]:
    content = own_words(row[_CONTENT], parsed(row[_OF_ITEMS]))
    return (*row[:_CONTENT], content, *row[_CONTENT + 1 : _OF_ITEMS])


def recalled(rows: Rows) -> Recalled:
    if not rows:
        return Recalled.nothing()
    columns = list(zip(*(row[:_OF_ITEMS] for row in rows), strict=True))
    keys, micros, tokens, importance, labels, contents, hashes, vectors, *rest = columns
    in_context, words, bags, *_ = rest
    of_chunks = [row[_OF_ITEMS:] or _NO_CHUNK for row in rows]
    types = [_type_of(row) for row in rows]
    whole = _whole(vectors, of_chunks, 1)
    return Recalled(
        keys=keys,
        created_at=[each / 1_000_000 for each in micros],
        tokens=tokens,
        importance=importance,
        labels=labels,
        contents=contents,
        hashes=hashes,
        vectors=vectors,
        words=words,
        bags=bags,
        messages=columns[_MESSAGE],
        whole_vectors=whole,
        context_vectors=[one or other for one, other in zip(in_context, whole, strict=True)],
        whole_bags=_whole(bags, of_chunks, 2),
        pieces=[
            0 if part[0] else count for count, part in zip(columns[_PIECES], of_chunks, strict=True)
        ],
        kinds=[part[0] for part in of_chunks],
        conversations=columns[_CONVERSATION],
        positions=columns[_POSITION],
        roles=columns[_ROLE],
        names=columns[_NAME],
        types=types,
        shown_at=[_shown_at(row) for row in rows],
        gists=[_gist(row, kind) for row, kind in zip(rows, types, strict=True)],
        subjects=[row[-1] if len(row) > _OF_CHUNKS else None for row in rows],
        read=cache(lambda at: _item(rows[at])),
    )


def _whole(own: Sequence[Any], of_chunks: Sequence[Sequence[Any]], at: int) -> Sequence[Any]:
    """Of each item its own; of a chunk what is told of its whole message, where that is there."""
    told = zip(own, of_chunks, strict=True)
    return [each if part[at] is None else part[at] for each, part in told]


_CONTENT, _ROLE, _NAME, _MESSAGE, _PIECES, _CONVERSATION, _POSITION = 5, 13, 14, 18, 19, 20, 21
_OF_ITEMS = 22
"""`_columns`; behind them is the echo of a message, or what is told of chunks only."""

_NO_CHUNK = (None, None, None)

_OF_CHUNKS, _TYPE, _SHOWN_AT = 28, 28, 31
"""What rows of chunks have in all; what only rows of memory items have."""


def _type_of(row: Sequence[Any]) -> ItemType:
    if len(row) > _OF_CHUNKS:
        return ItemType(row[_TYPE])
    return ItemType.CHUNK if len(row) > _OF_ITEMS else ItemType.MESSAGE


def _gist(row: Sequence[Any], kind: ItemType) -> Gist | None:
    return gist_of(row) if kind is ItemType.SUMMARY else None


def _shown_at(row: Sequence[Any]) -> float | None:
    micros = row[_SHOWN_AT] if len(row) > _OF_CHUNKS else None
    return None if micros is None else float(micros) / 1_000_000


def _item(row: Sequence[Any]) -> MemoryItem:
    """An item of a row, in the order of `_columns`."""
    if lies_in(Table.MEMORY, row[0]):
        return item_of(row)
    key, micros, tokens, importance, label, content, content_hash, _, _, _, _bag, *told = row
    raw_id, external_id, role, name, conversation_id, conversation_external_id, folder = told[:7]
    own_id = uuid_of(raw_id)
    chunk = row[_OF_ITEMS + 3 :]
    message_id, start, stop = (uuid_of(chunk[0]), *chunk[1:]) if chunk else (own_id, None, None)
    return MemoryItem(
        key=ItemKey(key),
        id=ItemId(own_id),
        type=ItemType.CHUNK if chunk else ItemType.MESSAGE,
        external_id=None if chunk else external_id,
        conversation_id=ConversationId(uuid_of(conversation_id)),
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

"""What belongs into the vector index, by the truth."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    FromClause,
    Row,
    ScalarSelect,
    Select,
    and_,
    bindparam,
    case,
    func,
    literal,
    null,
    schema,
    select,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import shifted
from app.adapters.sql.narrowing.items import item_recallable
from app.adapters.sql.narrowing.recallable import recallable
from app.adapters.sql.projecting.lead_in import lead_ins
from app.domain.conversation import Role
from app.domain.ids import ConversationKey, ItemKey, ScopeKey, TenantId
from app.domain.memory import ItemType, Table, item_key, rows_of, table_and_row
from app.ports import VectorPlace
from app.ports.embedding import Packed
from app.ports.projecting import VectorItem
from app.text.echo import own_words
from app.text.terms import indexed_text


@dataclass(frozen=True, slots=True)
class SqlIndexable:
    connection: AsyncConnection

    async def to_index(self, keys: Sequence[ItemKey], *, model: str) -> Sequence[VectorItem]:
        found = [
            (table, row)
            for table in ROWS
            if (wanted := rows_of(table, keys))
            for row in await self.connection.execute(
                _indexed(table), {"the_rows": wanted, "of_model": model}
            )
        ]
        bare = [
            row.key for table, row in found if table is Table.MESSAGE and row.in_context is None
        ]
        before = await lead_ins(self.connection, bare) if bare else {}
        led = ((table, row, before if table is Table.MESSAGE else {}) for table, row in found)
        items = [_vector_item(table, row, told.get(row.key, ())) for table, row, told in led]
        return sorted(items, key=lambda item: item.key)

    async def places(self, keys: Sequence[ItemKey]) -> Sequence[VectorPlace]:
        found = [
            VectorPlace(**_place(table, row))
            for table in ROWS
            if (wanted := rows_of(table, keys))
            for row in await self.connection.execute(_placed(table), {"the_rows": wanted})
        ]
        return sorted(found, key=lambda place: place.key)

    async def belonging(self, keys: Sequence[ItemKey]) -> frozenset[ItemKey]:
        return await belonging(self.connection, keys)

    async def recallable(self, *, after: ItemKey, limit: int) -> Sequence[ItemKey]:
        found = [
            item_key(table, row)
            for table, rows in ROWS.items()
            for row in (
                await self.connection.execute(
                    _all(table, rows.c.key)
                    .where(rows.c.key > _last_row(table, after))
                    .order_by(rows.c.key)
                    .limit(limit)
                )
            ).scalars()
        ]
        return sorted(found)[:limit]

    async def count_recallable(self) -> int:
        counted = [
            (await self.connection.execute(_all(table, func.count()))).scalar_one()
            for table in ROWS
        ]
        return sum(counted)


ROWS: Mapping[Table, schema.Table] = {
    Table.MESSAGE: t.message,
    Table.CHUNK: t.chunk,
    Table.MEMORY: t.memory_item,
}

_LOCKED = {**ROWS, Table.CHUNK: t.message}
"""With what a row goes: a chunk with its message."""


def _last_row(table: Table, after: ItemKey) -> int:
    """The last row of `table` whose item key is not behind `after`."""
    row = table_and_row(after)[1]
    return row if item_key(table, row) <= after else row - 1


async def belonging(
    connection: AsyncConnection, keys: Sequence[ItemKey], *, lock: bool = False
) -> frozenset[ItemKey]:
    """Those of `keys` that belong into the index; with `lock`, no delete slips in meanwhile."""
    found: set[ItemKey] = set()
    for table in ROWS:
        if wanted := rows_of(table, keys):
            ours = _belonging(table, lock=lock)
            there = (await connection.execute(ours, {"the_rows": wanted})).scalars()
            found |= {item_key(table, row) for row in there}
    return frozenset(found)


@cache
def _belonging(table: Table, *, lock: bool) -> Select[Any]:
    key = ROWS[table].c.key
    ours = _all(table, key).where(_one_of_the_rows(key))
    if not lock:
        return ours
    # In order: two that lock the same rows must not wait for each other.
    locked = _LOCKED[table]
    return ours.order_by(locked.c.key).with_for_update(read=True, of=locked)


def _one_of_the_rows(key: Column[int]) -> ColumnElement[bool]:
    return key.in_(bindparam("the_rows", expanding=True))


def _all(table: Table, *columns: ColumnElement[Any]) -> Select[Any]:
    """Of every row of `table` that belongs into the vector index."""
    rows = ROWS[table]
    found = select(*columns).select_from(rows)
    if table is Table.MEMORY:
        inside = t.conversation.c.key == t.memory_item.c.conversation_key
        return found.outerjoin(t.conversation, inside).where(*item_recallable())
    if table is Table.CHUNK:
        found = found.join(t.message, t.message.c.key == t.chunk.c.message_key)
    return found.join(t.conversation, t.conversation.c.key == t.message.c.conversation_key).where(
        *recallable()
    )


@cache
def _indexed(table: Table) -> Select[Any]:
    """Rows of `table`, with their vectors of a model where stored; made once, like `_placed`."""
    own, e = ROWS[table].c, d.embedding.c
    known = select(d.embedding_model.c.key).where(d.embedding_model.c.name == bindparam("of_model"))
    of_model = known.scalar_subquery()
    stored = and_(e.model_key == of_model, e.item_key == shifted(own.key, 2) + table)
    told = _told_of_item() if table is Table.MEMORY else _told(table)
    same: list[ColumnElement[Any]] = [null(), null()]
    if table is Table.MEMORY:
        same = [_of_same_words(d.embedding.alias("same"), name, of_model) for name in _BOTH]
    twin = (each.label(f"same_{name}") for each, name in zip(same, _BOTH, strict=True))
    return (
        _all(table, own.key, *told, t.scope.c.tenant, e.vector, e.in_context, *twin)
        .join(t.scope, t.scope.c.key == own.scope_key)
        .outerjoin(d.embedding, stored)
        .where(_one_of_the_rows(own.key))
    )


@cache
def _placed(table: Table) -> Select[Any]:
    """What a point says of rows of `table`, without any text."""
    own = ROWS[table].c
    _, *told = _told_of_item() if table is Table.MEMORY else _told(table)
    return (
        _all(table, own.key, *told, t.scope.c.tenant)
        .join(t.scope, t.scope.c.key == own.scope_key)
        .where(_one_of_the_rows(own.key))
    )


_BOTH = ("vector", "words")
"""What is made of the same words once."""


def _of_same_words(
    embedding: FromClause, name: str, of_model: ScalarSelect[int]
) -> ColumnElement[bytes]:
    """
    Of a memory item without a vector, what is stored as `name` of another one of its scope that
    says the same.
    """
    i, other, e = t.memory_item.c, t.memory_item.alias("other"), embedding.c
    found = (
        select(e[name])
        .where(
            other.c.scope_key == i.scope_key,
            other.c.content_hash == i.content_hash,
            e.model_key == of_model,
            e.item_key == shifted(other.c.key, 2) + Table.MEMORY,
        )
        .order_by(other.c.key)
        .limit(1)
        .correlate(t.memory_item)
        .scalar_subquery()
    )
    return case((d.embedding.c.vector.is_(None), found))


_BEGINNING = 1_000
"""Characters, which most models read at once."""


def _told(table: Table) -> Sequence[ColumnElement[Any]]:
    """
    What a point says of a message or chunk, the text that is embedded first.

    Of a message that has chunks that is its beginning, since they have the rest.

    A mean of all of it finds less: on BEAM's long chats, recall@10 0.480 instead of 0.525.
    """
    m = t.message.c
    said = (m.scope_key, m.conversation_key, m.role, m.name, m.created_at, null().label("until"))
    if table is Table.CHUNK:
        echo = null().label("echo")
        return (t.chunk.c.content, *said, echo, literal(ItemType.CHUNK.value).label("type"))
    beginning = func.substr(m.content, 1, _BEGINNING)
    cut = case((and_(m.chunks > 0, m.echo.is_(None)), beginning), else_=m.content)
    return (cut.label("content"), *said, m.echo, literal(ItemType.MESSAGE.value).label("type"))


def _said(row: Row[Any]) -> str:
    """What is embedded of a row: without its echoes, which only the whole text tells apart."""
    if row.echo is None:
        return str(row.content)
    return own_words(row.content, row.echo)[:_BEGINNING]


def _told_of_item() -> Sequence[ColumnElement[Any]]:
    """The same of a memory item, whose time is when it holds."""
    i = t.memory_item.c
    ends = case(
        (i.expires_at.is_(None), i.valid_to),
        (i.valid_to.is_(None), i.expires_at),
        (i.valid_to < i.expires_at, i.valid_to),
        else_=i.expires_at,
    )
    return (
        i.content,
        i.scope_key,
        i.conversation_key,
        null().label("role"),
        null().label("name"),
        i.valid_from.label("created_at"),
        ends.label("until"),
        null().label("echo"),
        i.type,
    )


def _vector_item(table: Table, row: Row[Any], lead_in: Sequence[str]) -> VectorItem:
    text = indexed_text(_said(row), row.name)
    return VectorItem(
        **_place(table, row),
        text=text,
        vector=row.vector,
        same=_same(row),
        in_context=row.in_context,
        lead_in=lead_in,
    )


def _same(row: Row[Any]) -> Packed | None:
    return None if row.same_vector is None else Packed(row.same_vector, row.same_words)


def _place(table: Table, row: Row[Any]) -> dict[str, Any]:
    inside = row.conversation_key
    return {
        "key": item_key(table, row.key),
        "tenant": TenantId(row.tenant),
        "scope": ScopeKey(row.scope_key),
        "conversation": None if inside is None else ConversationKey(inside),
        "role": row.role and Role(row.role),
        "type": ItemType(row.type),
        "created_at": row.created_at,
        "until": row.until,
    }

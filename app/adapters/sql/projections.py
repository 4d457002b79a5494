"""What keeps the projections true to SQL: the outbox, stored embeddings, full-text healing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, Select, and_, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import insert_or_keep, insert_or_replace, shifted
from app.adapters.sql.recall import recallable
from app.domain.conversation import Role
from app.domain.ids import ConversationKey, ItemKey, ScopeKey, TenantId
from app.domain.memory import ItemType, Table, item_key, table_and_row
from app.ports.store import OutboxRow, VectorItem
from app.text.terms import indexed_text


@dataclass(frozen=True, slots=True)
class SqlProjections:
    connection: AsyncConnection

    async def claim(self, *, now: datetime, limit: int, lease: float) -> Sequence[OutboxRow]:
        o = d.outbox.c
        due = (
            select(o.key, o.tenant, o.scope_key, o.item_key, o.attempts)
            .where(o.dead.is_(False), o.due_at <= now)
            .order_by(o.due_at, o.key)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        rows = [
            OutboxRow(
                key=row.key,
                tenant=TenantId(row.tenant),
                scope=ScopeKey(row.scope_key),
                item_key=ItemKey(row.item_key),
                attempts=row.attempts,
            )
            for row in await self.connection.execute(due)
        ]
        await self._set(rows, due_at=now + timedelta(seconds=lease))
        return rows

    async def to_index(self, keys: Sequence[ItemKey], *, model: str) -> Sequence[VectorItem]:
        rows = [row for table, row in map(table_and_row, keys) if table is Table.MESSAGE]
        wanted = _indexed(model).where(t.message.c.key.in_(rows)).order_by(t.message.c.key)
        return [_vector_item(row) for row in await self.connection.execute(wanted)]

    async def keep_vectors(
        self, vectors: Mapping[ItemKey, bytes], *, model: str, dimension: int, now: datetime
    ) -> None:
        model_key = await self._model_key(model, dimension, now=now)
        still = _indexed(model).with_only_columns(t.message.c.key)
        still = still.where(t.message.c.key.in_([table_and_row(key)[1] for key in vectors]))
        keys = (
            await self.connection.execute(still.with_for_update(read=True, of=t.message))
        ).scalars()
        rows = [
            {"model_key": model_key, "item_key": key, "vector": vectors[key]}
            for key in (item_key(Table.MESSAGE, each) for each in keys)
        ]
        if rows:
            store = insert_or_replace(
                self.connection, d.embedding, key=["model_key", "item_key"], values=["vector"]
            )
            await self.connection.execute(store, rows)

    async def finish(self, rows: Sequence[OutboxRow]) -> frozenset[ItemKey]:
        """On PostgreSQL what stays is locked, so that no delete slips in before the commit."""
        keys = {row.item_key for row in rows}
        stay = await self.belonging(sorted(keys))
        await self.connection.execute(
            delete(d.outbox).where(d.outbox.c.key.in_([row.key for row in rows]))
        )
        await self._touch({row.scope for row in rows})
        return frozenset(keys - stay)

    async def belonging(self, keys: Sequence[ItemKey]) -> frozenset[ItemKey]:
        m = t.message.c
        wanted = (
            select(m.key)
            .join(t.conversation, t.conversation.c.key == m.conversation_key)
            .where(m.key.in_([table_and_row(key)[1] for key in keys]), *recallable())
            .with_for_update(read=True, of=t.message)
        )
        found = (await self.connection.execute(wanted)).scalars()
        return frozenset(item_key(Table.MESSAGE, key) for key in found)

    async def retry(
        self, rows: Sequence[OutboxRow], *, due_at: datetime, error: str, dead: bool
    ) -> None:
        await self._set(
            rows, due_at=due_at, error=error, dead=dead, attempts=d.outbox.c.attempts + 1
        )

    async def recallable(self, *, after: ItemKey, limit: int) -> Sequence[ItemKey]:
        m = t.message.c
        wanted = (
            select(m.key)
            .join(t.conversation, t.conversation.c.key == m.conversation_key)
            .where(m.key > table_and_row(after)[1], *recallable())
            .order_by(m.key)
            .limit(limit)
        )
        return [
            item_key(Table.MESSAGE, key)
            for key in (await self.connection.execute(wanted)).scalars()
        ]

    async def enqueue(self, keys: Sequence[ItemKey], *, now: datetime) -> None:
        """Rows for items that still exist; what is gone has no tenant to wait for it."""
        m = t.message.c
        rows = select(m.scope_key, t.scope.c.tenant, m.key).join(
            t.scope, t.scope.c.key == m.scope_key
        )
        noted = select(d.outbox.c.item_key).where(d.outbox.c.dead.is_(False))
        rows = rows.where(
            m.key.in_([table_and_row(key)[1] for key in keys]), shifted(m.key, 2).not_in(noted)
        )
        notes = [
            {
                "tenant": row.tenant,
                "scope_key": row.scope_key,
                "item_key": item_key(Table.MESSAGE, row.key),
                "created_at": now,
                "due_at": now,
            }
            for row in await self.connection.execute(rows)
        ]
        if notes:
            await self.connection.execute(insert(d.outbox), notes)

    async def _set(self, rows: Sequence[OutboxRow], **values: object) -> None:
        if rows:
            keys = [row.key for row in rows]
            await self.connection.execute(
                update(d.outbox).where(d.outbox.c.key.in_(keys)).values(**values)
            )

    async def _touch(self, scopes: set[ScopeKey]) -> None:
        s = t.scope.c
        await self.connection.execute(
            update(t.scope).where(s.key.in_(sorted(scopes))).values(version=s.version + 1)
        )

    async def _model_key(self, name: str, dimension: int, *, now: datetime) -> int:
        m = d.embedding_model.c
        wanted = select(m.key).where(m.name == name)
        key = (await self.connection.execute(wanted)).scalar_one_or_none()
        if key is not None:
            return int(key)
        row = {"name": name, "dimension": dimension, "created_at": now}
        new = insert_or_keep(self.connection, d.embedding_model, key=["name"])
        await self.connection.execute(new, row)
        return int((await self.connection.execute(wanted)).scalar_one())


def _indexed(model: str) -> Select[Any]:
    """Every item that belongs into the vector index, with its vector of `model` where stored."""
    m, c = t.message.c, t.conversation.c
    of_model = select(d.embedding_model.c.key).where(d.embedding_model.c.name == model)
    stored = and_(
        d.embedding.c.model_key == of_model.scalar_subquery(),
        d.embedding.c.item_key == shifted(m.key, 2),
    )
    return (
        select(
            m.key,
            m.scope_key,
            m.conversation_key,
            m.role,
            m.name,
            m.content,
            m.created_at,
            t.scope.c.tenant,
            d.embedding.c.vector,
        )
        .join(t.conversation, c.key == m.conversation_key)
        .join(t.scope, t.scope.c.key == m.scope_key)
        .outerjoin(d.embedding, stored)
        .where(*recallable())
    )


def _vector_item(row: Row[Any]) -> VectorItem:
    return VectorItem(
        key=item_key(Table.MESSAGE, row.key),
        tenant=TenantId(row.tenant),
        scope=ScopeKey(row.scope_key),
        conversation=ConversationKey(row.conversation_key),
        role=Role(row.role),
        type=ItemType.MESSAGE,
        created_at=row.created_at,
        text=indexed_text(row.content, row.name),
        vector=row.vector,
    )

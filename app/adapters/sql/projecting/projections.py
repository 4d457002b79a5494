"""What keeps the projections true to SQL: the outbox, stored embeddings, full-text healing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, insert, select, update

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import insert_or_keep, insert_or_replace, is_postgres, shifted
from app.adapters.sql.one_hop import UNREAD
from app.adapters.sql.projecting.indexable import ROWS, belonging
from app.adapters.sql.projecting.lead_in import lead_ins
from app.adapters.sql.projecting.models import SqlModels
from app.adapters.sql.rebuilding.labels import index_labels
from app.adapters.sql.rebuilding.rebuild import SqlRebuild
from app.adapters.sql.said.scopes import hold_scopes
from app.domain.ids import ItemKey, ScopeKey, TenantId
from app.domain.memory import Table, item_key, rows_of
from app.ports.embedding import Packed
from app.ports.projecting import NOT_IN_CONTEXT, InContext, OutboxRow


@dataclass(frozen=True, slots=True)
class SqlProjections(SqlRebuild):
    async def claim(
        self, *, now: datetime, limit: int, lease: float, latest: bool = False
    ) -> Sequence[OutboxRow]:
        o = d.outbox.c
        order = (o.due_at.desc(), o.key.desc()) if latest else (o.due_at, o.key)
        due = (
            select(o.key, o.tenant, o.scope_key, o.item_key, o.attempts)
            .where(o.dead.is_(False), o.due_at <= now)
            .order_by(*order)
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

    async def release(self, *, now: datetime) -> None:
        """On PostgreSQL there may be other processes: leases run out there, and not before."""
        if is_postgres(self.connection):
            return
        o = d.outbox.c
        later = update(d.outbox).where(o.dead.is_(False), o.due_at > now)
        await self.connection.execute(later.values(due_at=now), execution_options=UNREAD)

    async def give_back(self, rows: Sequence[OutboxRow], *, now: datetime) -> None:
        await self._set(rows, due_at=now)

    async def keep_vectors(
        self,
        embedded: Mapping[ItemKey, Packed],
        *,
        model: str,
        dimension: int,
        now: datetime,
        in_context: Mapping[ItemKey, InContext] = NOT_IN_CONTEXT,
    ) -> None:
        model_key = await self._model_key(model, dimension, now=now)
        keys = await belonging(self.connection, list(embedded), lock=True)
        late = await self._late(sorted(keys), in_context)
        led = {key: each.vector for key, each in in_context.items() if key not in late}
        rows = [
            {
                "model_key": model_key,
                "item_key": key,
                "vector": embedded[key].vector,
                "in_context": led.get(key),
                "words": embedded[key].words,
            }
            for key in sorted(keys)
        ]
        table, unique = d.embedding, ["model_key", "item_key"]
        anew = insert_or_replace(
            self.connection, table, key=unique, values=["vector", "in_context", "words"]
        )
        missing = insert_or_keep(self.connection, table, key=unique)
        for store, some in (
            (anew, [each for each in rows if each["item_key"] not in late]),
            (missing, [each for each in rows if each["item_key"] in late]),
        ):
            if some:
                await self.connection.execute(store, some, execution_options=UNREAD)

    async def _late(
        self, keys: Sequence[ItemKey], told: Mapping[ItemKey, InContext]
    ) -> frozenset[ItemKey]:
        """
        Those to which something else leads in than when their vectors were made.

        Whoever changed that has noted them: what was made of the note may be there already.
        """
        rows = rows_of(Table.MESSAGE, keys)
        now = await lead_ins(self.connection, rows) if rows else {}
        then = {key: each.lead_in for key, each in told.items()}
        return frozenset(
            key
            for row in rows
            if then.get(key := item_key(Table.MESSAGE, row), ()) != now.get(row, ())
        )

    async def finish(self, rows: Sequence[OutboxRow]) -> frozenset[ItemKey]:
        """On PostgreSQL what stays is locked, so that no delete slips in before the commit."""
        keys, scopes = {row.item_key for row in rows}, sorted({row.scope for row in rows})
        await hold_scopes(self.connection, scopes)
        stay = await belonging(self.connection, sorted(keys), lock=True)
        done = delete(d.outbox).where(d.outbox.c.key.in_([row.key for row in rows]))
        await self.connection.execute(done, execution_options=UNREAD)
        s = t.scope.c
        newer = update(t.scope).where(s.key.in_(scopes)).values(version=s.version + 1)
        await self.connection.execute(newer, execution_options=UNREAD)
        return frozenset(keys - stay)

    async def retry(
        self, rows: Sequence[OutboxRow], *, due_at: datetime, error: str, tried: bool, dead: bool
    ) -> None:
        attempts = d.outbox.c.attempts + (1 if tried else 0)
        await self._set(rows, due_at=due_at, error=error, dead=dead, attempts=attempts)

    async def enqueue(self, keys: Sequence[ItemKey], *, now: datetime) -> None:
        """Rows for items that still exist; what is gone has no tenant to wait for it."""
        noted = select(d.outbox.c.item_key).where(d.outbox.c.dead.is_(False))
        notes: list[dict[str, object]] = []
        for table, rows in ROWS.items():
            key = (shifted(rows.c.key, 2) + table).label("item_key")
            wanted = (
                select(rows.c.scope_key, t.scope.c.tenant, key)
                .join(t.scope, t.scope.c.key == rows.c.scope_key)
                .where(rows.c.key.in_(rows_of(table, keys)), key.not_in(noted))
            )
            notes += [
                {
                    "tenant": row.tenant,
                    "scope_key": row.scope_key,
                    "item_key": row.item_key,
                    "created_at": now,
                    "due_at": now,
                }
                for row in await self.connection.execute(wanted)
            ]
        if notes:
            await self.connection.execute(insert(d.outbox), notes, execution_options=UNREAD)

    async def index_labels(self, version: str, *, limit: int) -> bool:
        return await index_labels(self.connection, version, limit=limit)

    async def know_model(
        self, name: str, *, dimension: int, opened_as: Mapping[str, object], now: datetime
    ) -> None:
        models = SqlModels(self.connection)
        await models.know_model(name, dimension=dimension, opened_as=opened_as, now=now)

    async def serve_model(self, name: str) -> str | None:
        return await SqlModels(self.connection).serve_model(name)

    async def forget_models(self, *, but: Sequence[str], limit: int) -> bool:
        return await SqlModels(self.connection).forget_models(but=but, limit=limit)

    async def _set(self, rows: Sequence[OutboxRow], **values: object) -> None:
        if rows:
            keys = [row.key for row in rows]
            ours = update(d.outbox).where(d.outbox.c.key.in_(keys))
            await self.connection.execute(ours.values(**values), execution_options=UNREAD)

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

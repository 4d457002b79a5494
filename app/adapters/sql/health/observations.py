"""What operators see: queues and sizes, of every tenant together."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Select,
    Table,
    bindparam,
    func,
    literal,
    select,
    text,
    type_coerce,
)
from sqlalchemy.exc import DBAPIError

from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import is_postgres
from app.adapters.sql.distilling.period_material import SqlPeriodObservations
from app.adapters.sql.erasing import erasures
from app.adapters.sql.fetch import Constant, Reading, answered, one_of
from app.adapters.sql.narrowing.recallable import of_named_model
from app.adapters.sql.projecting.models import serving_model
from app.adapters.sql.rebuilding.health import is_sound
from app.adapters.sql.said.idle import idle_conversations
from app.adapters.sql.types import to_micros
from app.domain.ids import ConversationKey, ItemKey, TenantId
from app.ports.projecting import IdleConversation, KnownModel, OutboxState
from app.ports.stored import Erasure

_SIZES_SQLITE = (
    "SELECT CASE WHEN name LIKE 'full_text%' THEN 'full_text' WHEN name LIKE '%embedding%' THEN"
    " 'embeddings' WHEN name LIKE '%message%' OR name LIKE '%chunk%' THEN 'messages'"
    " ELSE 'other' END AS part,"
    " sum(pgsize) AS bytes FROM dbstat GROUP BY part"
)
_SIZES_POSTGRES = (
    "SELECT CASE WHEN relname LIKE 'full_text%' THEN 'full_text' WHEN relname LIKE 'embedding%'"
    " THEN 'embeddings' WHEN relname IN ('message', 'chunk') THEN 'messages' ELSE 'other'"
    " END AS part,"
    " sum(pg_total_relation_size(oid))::bigint AS bytes FROM pg_class"
    " WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace GROUP BY part"
)


def _embedded(*, on_postgres: bool) -> Select[Any]:
    e = d.embedding.c
    wanted = one_of(e.item_key, "wanted_keys", on_postgres=on_postgres)
    return select(func.count()).where(e.model_key == of_named_model(), wanted)


_EMBEDDED = Constant(sqlite=_embedded(on_postgres=False), postgres=_embedded(on_postgres=True))


def _due(notes: Table) -> Constant:
    """One note that is due at `now`, leased or not: all that a worker without work asks for."""
    due_at = type_coerce(notes.c.due_at, BigInteger)
    due = select(literal(1)).where(notes.c.dead.is_(False), due_at <= bindparam("now"))
    return Constant.alone(due.limit(1))


_ITEMS_DUE = _due(d.outbox)
_NOTES_DUE = (_due(d.distillation), _due(d.period_note))


def _any_of(questions: Sequence[Constant], values: Mapping[str, object]) -> Reading[bool]:
    for question in questions:
        if (yield question, values):
            return True
    return False


class SqlObservations(SqlPeriodObservations):
    async def state(self, *, now: datetime) -> OutboxState:
        o = d.outbox.c
        waiting = select(func.count(), func.min(o.created_at)).where(o.dead.is_(False))
        depth, oldest = (await self.connection.execute(waiting)).one()
        given_up = select(func.count()).where(o.dead.is_(True))
        return OutboxState(
            depth=depth,
            oldest_age=(now - oldest).total_seconds() if oldest else 0.0,
            dead=(await self.connection.execute(given_up)).scalar_one(),
        )

    async def waiting(self, *, now: datetime) -> Mapping[TenantId, OutboxState]:
        o = d.outbox.c
        rows = await self.connection.execute(
            select(
                o.tenant,
                func.count().filter(o.dead.is_(False)).label("depth"),
                func.min(o.created_at).filter(o.dead.is_(False)).label("oldest"),
                func.count().filter(o.dead.is_(True)).label("dead"),
            ).group_by(o.tenant)
        )
        return {
            TenantId(row.tenant): OutboxState(
                depth=row.depth,
                oldest_age=(now - row.oldest).total_seconds() if row.oldest else 0.0,
                dead=row.dead,
            )
            for row in rows
        }

    async def items_due(self, *, now: datetime) -> bool:
        return bool(await _ITEMS_DUE.fetch(self.connection, now=to_micros(now)))

    async def notes_due(self, *, now: datetime) -> bool:
        reading = _any_of(_NOTES_DUE, {"now": to_micros(now)})
        return await answered(self.connection, reading)

    async def serving_model(self) -> KnownModel | None:
        return await serving_model(self.connection)

    async def idle(
        self,
        *,
        since: datetime,
        tenant: TenantId | None = None,
        after: ConversationKey,
        limit: int,
    ) -> Sequence[IdleConversation]:
        return await idle_conversations(
            self.connection, since=since, tenant=tenant, after=after, limit=limit
        )

    async def unfinished(self, *, until: datetime) -> Sequence[Erasure]:
        return await erasures.unfinished(self.connection, until=until)

    async def embedded(self, keys: Sequence[ItemKey], *, model: str) -> int:
        ((kept,),) = await _EMBEDDED.fetch(self.connection, wanted_keys=list(keys), of_model=model)
        return int(kept)

    async def full_text_sound(self) -> bool:
        return await is_sound(self.connection)

    async def sizes(self) -> Mapping[str, int]:
        statement = _SIZES_POSTGRES if is_postgres(self.connection) else _SIZES_SQLITE
        try:
            rows = await self.connection.execute(text(statement))
        except DBAPIError:  # an SQLite built without dbstat
            return {}
        return {row.part: int(row.bytes) for row in rows}

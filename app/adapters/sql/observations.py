"""What operators see: queues and sizes, of every tenant together."""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import func, select, text
from sqlalchemy.exc import DBAPIError

from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import is_postgres
from app.adapters.sql.full_text import full_text
from app.adapters.sql.indexable import SqlIndexable
from app.domain.errors import StoreUnavailable
from app.domain.ids import ConversationKey
from app.ports.projecting import OutboxState

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


class SqlObservations(SqlIndexable):
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

    async def full_text_answers(self) -> None:
        try:
            await full_text(self.connection).held([ConversationKey(0)])
        except DBAPIError as error:
            raise StoreUnavailable("full text cannot be read") from error

    async def sizes(self) -> Mapping[str, int]:
        statement = _SIZES_POSTGRES if is_postgres(self.connection) else _SIZES_SQLITE
        try:
            rows = await self.connection.execute(text(statement))
        except DBAPIError:  # an SQLite built without dbstat
            return {}
        return {row.part: int(row.bytes) for row in rows}

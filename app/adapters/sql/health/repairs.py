"""Putting right what a doctor finds."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import update

from app.adapters.sql import tables_derived as d
from app.adapters.sql.health.of_graph import settle_some
from app.adapters.sql.health.of_lineage import derive_anew, drop_false_lineage
from app.adapters.sql.health.of_scopes import bring_home, bring_notes_home, forget_entities
from app.adapters.sql.health.orphans import drop_orphans
from app.adapters.sql.projecting.embeddings import forget_embeddings
from app.adapters.sql.rebuilding.labels import begin_labels
from app.adapters.sql.rebuilding.rebuild import SqlRebuild
from app.adapters.sql.said.counters import recount
from app.domain.ids import ConversationKey, EntityKey, ItemKey, TenantId


@dataclass(frozen=True, slots=True)
class SqlRepairs(SqlRebuild):
    async def recount(self, conversations: Sequence[ConversationKey]) -> None:
        await recount(self.connection, conversations)

    async def bring_home(self, keys: Sequence[ItemKey]) -> None:
        await bring_home(self.connection, keys)

    async def bring_notes_home(self, keys: Sequence[ItemKey]) -> None:
        await bring_notes_home(self.connection, keys)

    async def forget_entities(self, keys: Sequence[EntityKey]) -> None:
        await forget_entities(self.connection, keys)

    async def drop_false_lineage(self, keys: Sequence[ItemKey]) -> None:
        await drop_false_lineage(self.connection, keys)

    async def derive_anew(self, keys: Sequence[ItemKey], *, now: datetime) -> None:
        await derive_anew(self.connection, keys, now=now)

    async def drop_embeddings(self, keys: Sequence[ItemKey]) -> None:
        await forget_embeddings(self.connection, keys)

    async def drop_orphans(self) -> None:
        await drop_orphans(self.connection)

    async def settle_graph(self, *, after: EntityKey, limit: int) -> Sequence[EntityKey]:
        return await settle_some(self.connection, after=after, limit=limit)

    async def revive(self, *, now: datetime, tenant: TenantId | None = None) -> int:
        given_up = update(d.outbox).where(d.outbox.c.dead.is_(True))
        if tenant is not None:
            given_up = given_up.where(d.outbox.c.tenant == tenant)
        revived = given_up.values(dead=False, attempts=0, due_at=now)
        return (await self.connection.execute(revived)).rowcount

    async def empty_full_text(self, version: str) -> None:
        await self.begin_full_text(version, sound=False)

    async def begin_labels(self) -> None:
        await begin_labels(self.connection)

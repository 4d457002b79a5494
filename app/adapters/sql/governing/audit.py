"""The audit log of one tenant: lines are added and read, never changed."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables_log as t
from app.adapters.sql.cursors import newest_first
from app.adapters.sql.one_hop import UNREAD
from app.domain.audit import COMMAND, Action, Actor, Deed, Entry
from app.domain.ids import KeyId, TenantId
from app.ports.stored import Page

WhoActs = Callable[[], Actor]
"""On whose account the running code works."""


def the_command() -> Actor:
    return COMMAND


@dataclass(frozen=True, slots=True)
class SqlAuditReader:
    connection: AsyncConnection
    tenant: TenantId

    async def page(
        self, *, action: Action | None, subject: str | None, cursor: str | None, limit: int
    ) -> Page[Entry]:
        c = t.audit_log.c
        wanted = select(t.audit_log).where(c.tenant == self.tenant)
        if action is not None:
            wanted = wanted.where(c.action == action.value)
        if subject is not None:
            wanted = wanted.where(c.subject == subject)
        page = await newest_first(self.connection, wanted, c.key, cursor=cursor, limit=limit)
        return page.of(_entry)


@dataclass(frozen=True, slots=True)
class SqlAuditWriter:
    connection: AsyncConnection
    tenant: TenantId
    actor: Actor

    async def note(self, deed: Deed, *more: Deed, now: datetime) -> None:
        rows = [
            {
                "tenant": self.tenant,
                "at": now,
                "actor": self.actor.kind,
                "key_id": self.actor.key,
                "action": each.action.value,
                "subject": each.subject,
                "facts": each.facts,
            }
            for each in (deed, *more)
        ]
        await self.connection.execute(_NOTED, rows, execution_options=UNREAD)


_NOTED = insert(t.audit_log)
"""Made once: it belongs to every turn."""


def _entry(row: Row[Any]) -> Entry:
    return Entry(
        key=row.key,
        at=row.at,
        actor=Actor(kind=row.actor, key=None if row.key_id is None else KeyId(row.key_id)),
        deed=Deed(action=Action(row.action), subject=row.subject, facts=row.facts),
    )

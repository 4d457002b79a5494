from collections.abc import Collection, Mapping
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import null, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql.dialect import take_name
from app.domain.ids import ConversationKey, ScopeKey, TenantId
from app.ports.moving import Holder

_TABLES = {"conversation": t.conversation, "message": t.message, "memory": t.memory_item}
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class SqlIdentities:
    """Which ids are given out; of another tenant's, nothing but that."""

    connection: AsyncConnection
    tenant: TenantId

    async def take(self) -> None:
        await take_name(self.connection, "identities")

    async def held(self, kind: str, ids: Collection[UUID]) -> Mapping[UUID, Holder]:
        wanted = sorted(set(ids))
        found: dict[UUID, Holder] = {}
        for at in range(0, len(wanted), _AT_ONCE):
            found |= await self._held(kind, wanted[at : at + _AT_ONCE])
        return found

    async def _held(self, kind: str, ids: Collection[UUID]) -> Mapping[UUID, Holder]:
        c = _TABLES[kind].c
        inside = c.conversation_key if kind == "message" else null()
        wanted = (
            select(c.id, c.scope_key, inside.label("conversation_key"), t.scope.c.tenant)
            .join(t.scope, t.scope.c.key == c.scope_key)
            .where(c.id.in_(ids))
        )
        return {
            row.id: _holder(row.scope_key, row.conversation_key)
            if row.tenant == self.tenant
            else Holder(scope=None, conversation=None)
            for row in await self.connection.execute(wanted)
        }


def _holder(scope: int, conversation: int | None) -> Holder:
    inside = None if conversation is None else ConversationKey(conversation)
    return Holder(scope=ScopeKey(scope), conversation=inside)

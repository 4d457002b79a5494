"""What was answered under idempotency keys."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, and_, delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import take_name
from app.domain.ids import TenantId
from app.ports.stored import NOBODY, About


@dataclass(frozen=True, slots=True)
class SqlAnswers:
    connection: AsyncConnection
    tenant: TenantId

    async def find(self, path: str, key: str) -> tuple[bytes, Mapping[str, object]] | None:
        # Of requests that come at once, the second waits here until the first has answered.
        await take_name(self.connection, f"answer {self.tenant} {path} {key}")
        wanted = select(d.idempotency.c.body_hash, d.idempotency.c.answer)
        row = (await self.connection.execute(wanted.where(self._own(path, key)))).one_or_none()
        return None if row is None else (row.body_hash, row.answer)

    async def forget(self, path: str, key: str) -> None:
        await self.connection.execute(delete(d.idempotency).where(self._own(path, key)))

    async def keep(
        self,
        path: str,
        key: str,
        *,
        body_hash: bytes,
        answer: Mapping[str, object],
        now: datetime,
        about: About = NOBODY,
    ) -> None:
        row = {"tenant": self.tenant, "path": path, "key": key, "created_at": now}
        row |= {"body_hash": body_hash, "answer": answer}
        row |= {"scope_key": about.scope, "conversation_key": about.conversation}
        await self.connection.execute(insert(d.idempotency), row)

    def _own(self, path: str, key: str) -> ColumnElement[bool]:
        i = d.idempotency.c
        return and_(i.tenant == self.tenant, i.path == path, i.key == key)

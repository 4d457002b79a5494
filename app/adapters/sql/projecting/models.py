"""Which embedding models there are, and whose vectors serve."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import delete, exists, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import insert_or_keep, insert_or_replace
from app.ports.projecting import KnownModel

_SERVING = "embedding_model"


async def serving_model(connection: AsyncConnection) -> KnownModel | None:
    """The model whose vectors answer, if it has any."""
    m, p = d.embedding_model.c, d.projection.c
    wanted = (
        select(m.name, m.dimension, m.opened_as)
        .join(d.projection, p.version == m.name)
        .where(p.name == _SERVING, exists().where(d.embedding.c.model_key == m.key))
    )
    row = (await connection.execute(wanted)).one_or_none()
    if row is None:
        return None
    return KnownModel(name=row.name, dimension=row.dimension, opened_as=row.opened_as or {})


@dataclass(frozen=True, slots=True)
class SqlModels:
    connection: AsyncConnection

    async def know_model(
        self, name: str, *, dimension: int, opened_as: Mapping[str, Any], now: datetime
    ) -> None:
        row = {"name": name, "dimension": dimension, "created_at": now, "opened_as": opened_as}
        new = insert_or_keep(self.connection, d.embedding_model, key=["name"])
        await self.connection.execute(new, row)
        m = d.embedding_model.c
        known = update(d.embedding_model).where(m.name == name).values(opened_as=opened_as)
        await self.connection.execute(known)

    async def serve_model(self, name: str) -> str | None:
        p, s = d.projection.c, t.scope.c
        told = select(p.version).where(p.name == _SERVING).with_for_update()
        before: str | None = (await self.connection.execute(told)).scalar_one_or_none()
        if before == name:
            return before
        store = insert_or_replace(self.connection, d.projection, key=["name"], values=["version"])
        await self.connection.execute(store, {"name": _SERVING, "version": name})
        if before is not None:
            await self.connection.execute(update(t.scope).values(version=s.version + 1))
        return before

    async def forget_models(self, *, but: Sequence[str], limit: int) -> bool:
        e, m = d.embedding.c, d.embedding_model.c
        old = select(m.key).where(m.name.not_in(but))
        key = (e.model_key, e.item_key)
        some = select(*key).where(e.model_key.in_(old)).order_by(*key).limit(limit)
        rows = [tuple(row) for row in await self.connection.execute(some)]
        if rows:
            await self.connection.execute(delete(d.embedding).where(tuple_(*key).in_(rows)))
            return True
        await self.connection.execute(delete(d.embedding_model).where(m.name.not_in(but)))
        return False

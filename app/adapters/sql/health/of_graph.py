"""Whether the graph adds up to what messages say of it, and making it do so."""

from collections.abc import Sequence

from sqlalchemy import exists, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.derived.letters import is_left_out
from app.adapters.sql.dialect import numbers
from app.adapters.sql.graph.erasing import settle
from app.adapters.sql.said.scopes import hold_scopes
from app.domain.conversation import Role
from app.domain.ids import ERASED, EntityKey, MessageKey, ScopeKey, TenantId
from app.ports.graph import Relinked
from app.ports.inspecting import Unlinked

_ROUNDING = 1e-6
"""By which sums of the same weights in another order may differ."""

_OF_SCOPE = 50
"""Messages of one user that are read once more."""

_SPEAKING = (Role.USER.value, Role.ASSISTANT.value)


async def miscounted_entities(connection: AsyncConnection) -> Sequence[EntityKey]:
    e, n = d.entity.c, d.mention.c
    told = select(n.entity_key, func.count().label("times")).group_by(n.entity_key).subquery()
    wrong = (
        select(e.key)
        .outerjoin(told, told.c.entity_key == e.key)
        .where(e.mentions != func.coalesce(told.c.times, 0))
        .order_by(e.key)
    )
    return [EntityKey(key) for key in (await connection.execute(wrong)).scalars()]


async def misweighed_edges(connection: AsyncConnection) -> Sequence[int]:
    e, p = d.edge.c, d.edge_evidence.c
    told = select(p.edge_key, func.sum(p.weight).label("weight")).group_by(p.edge_key).subquery()
    differs = func.abs(e.weight - told.c.weight) > _ROUNDING
    wrong = (
        select(e.key)
        .outerjoin(told, told.c.edge_key == e.key)
        .where(or_(told.c.weight.is_(None), differs))
        .order_by(e.key)
    )
    return list((await connection.execute(wrong)).scalars())


async def unlinked(connection: AsyncConnection, *, limit: int) -> Sequence[Unlinked]:
    """Of each scope the newest that are distilled, and speak of nothing that the graph has."""
    m, o, n = t.message.c, d.distillation.c, d.mention.c
    told = (
        exists().where(n.message_key == m.key, n.entity_key == d.entity.c.key).correlate(t.message)
    )
    rank = func.row_number().over(partition_by=m.scope_key, order_by=m.key.desc())
    silent = (
        select(m.key, m.scope_key, rank.label("rank"))
        .join(d.distillation, o.conversation_key == m.conversation_key)
        .where(m.key <= o.until_key, o.anew_at.is_(None), m.role.in_(_SPEAKING))
        .where(~told, ~is_left_out())
        .subquery()
    )
    found = (
        select(silent.c.key, silent.c.scope_key, t.scope.c.tenant)
        .join(t.scope, t.scope.c.key == silent.c.scope_key)
        .where(silent.c.rank <= _OF_SCOPE, t.scope.c.tenant != ERASED)
        .order_by(silent.c.rank, silent.c.key)
        .limit(limit)
    )
    return [
        Unlinked(
            tenant=TenantId(row.tenant),
            scope=ScopeKey(row.scope_key),
            message=MessageKey(row.key),
        )
        for row in await connection.execute(found)
    ]


async def settle_some(
    connection: AsyncConnection, *, after: EntityKey, limit: int
) -> Sequence[EntityKey]:
    """
    Make entities behind `after`, and the edges from them, what messages say; which.

    Their scopes are taken first, so that what others add meanwhile is counted or comes later.
    """
    e = d.entity.c
    some = select(e.key, e.scope_key).where(e.key > after).order_by(e.key).limit(limit)
    rows = (await connection.execute(some)).all()
    keys = [EntityKey(row.key) for row in rows]
    if not keys:
        return []
    await hold_scopes(connection, [row.scope_key for row in rows])
    leaving = select(d.edge.c.key).where(d.edge.c.source_key.in_(numbers(keys)))
    edges = list((await connection.execute(leaving)).scalars())
    await settle(connection, Relinked(messages=frozenset(), entities=keys, edges=edges))
    return keys

"""What stands around messages in their conversations, for ranking: one constant statement."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Select, and_, bindparam, select, type_coerce
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import shifted
from app.adapters.sql.fetch import Constant, one_of
from app.adapters.sql.recallable import of_named_model, recallable
from app.adapters.sql.types import to_micros
from app.domain.ids import MessageKey, TenantId
from app.ports import RecallFilter
from app.ranking.neighbours import REACH, Neighbours

_ALWAYS = 2**62
"""Microseconds, far beyond the last year that can be stored."""


async def neighbours(
    connection: AsyncConnection,
    messages: Sequence[MessageKey],
    *,
    tenant: TenantId,
    within: RecallFilter,
    model: str,
) -> Neighbours:
    """The recallable messages up to REACH places beside `messages`, without these themselves."""
    if not messages:
        return Neighbours.none()
    rows = await _BESIDE.fetch(
        connection,
        wanted_keys=list(messages),
        of_scopes=list(within.scopes),
        of_tenant=tenant,
        of_model=model,
        since=-_ALWAYS if within.after is None else to_micros(within.after),
        until=_until(within),
    )
    if not rows:
        return Neighbours.none()
    conversations, positions, vectors, bags = zip(*rows, strict=True)
    return Neighbours(conversations=conversations, positions=positions, vectors=vectors, bags=bags)


def _until(within: RecallFilter) -> int:
    """The last microsecond that may be seen: `before` is exclusive, `as_of` inclusive."""
    before = _ALWAYS if within.before is None else to_micros(within.before) - 1
    return before if within.as_of is None else min(before, to_micros(within.as_of))


def _beside(*, on_postgres: bool) -> Select[Any]:
    told, m, c = t.message.alias("told"), t.message.c, t.conversation.c
    near = t.message.alias("near")
    places = (
        select(near.c.key)
        .join(
            told,
            and_(
                near.c.conversation_key == told.c.conversation_key,
                near.c.position.between(told.c.position - REACH, told.c.position + REACH),
            ),
        )
        .where(one_of(told.c.key, "wanted_keys", on_postgres=on_postgres))
    )
    stored = and_(
        d.embedding.c.model_key == of_named_model(),
        d.embedding.c.item_key == shifted(m.key, 2),
    )
    return (
        select(m.conversation_key, m.position, d.embedding.c.vector, m.terms)
        .join(t.conversation, c.key == m.conversation_key)
        .join(t.scope, t.scope.c.key == m.scope_key)
        .outerjoin(d.embedding, stored)
        .where(
            m.key.in_(places),
            ~one_of(m.key, "wanted_keys", on_postgres=on_postgres),
            one_of(m.scope_key, "of_scopes", on_postgres=on_postgres),
            t.scope.c.tenant == bindparam("of_tenant"),
            _micros(m.created_at) >= bindparam("since"),
            _micros(m.created_at) <= bindparam("until"),
            *recallable(),
        )
        .order_by(m.conversation_key, m.position)
    )


def _micros(column: ColumnElement[Any]) -> ColumnElement[Any]:
    """The column as it is stored, to be compared with a number that goes to the driver."""
    return type_coerce(column, BigInteger)


_BESIDE = Constant(sqlite=_beside(on_postgres=False), postgres=_beside(on_postgres=True))

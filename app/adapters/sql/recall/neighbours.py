"""What stands around messages in their conversations, for ranking: one constant statement."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Integer, Select, and_, bindparam, func, select

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import shifted, unindexed
from app.adapters.sql.fetch import Constant, Reading, one_of
from app.adapters.sql.narrowing.recallable import of_named_model, recallable, said_between, times_of
from app.domain.ids import MessageKey, TenantId
from app.ports import RecallFilter
from app.ranking.neighbours import Neighbours


def beside(
    messages: Sequence[MessageKey],
    *,
    reach: int,
    tenant: TenantId,
    within: RecallFilter,
    model: str,
) -> Reading[Neighbours]:
    """The recallable messages up to `reach` places beside `messages`, without these themselves."""
    if not messages:
        return Neighbours.none()
    rows = yield (
        BESIDE,
        {
            "wanted_keys": list(messages),
            "within_reach": reach,
            "of_scopes": list(within.scopes),
            "of_tenant": tenant,
            "of_model": model,
            **times_of(within),
        },
    )
    if not rows:
        return Neighbours.none()
    keys, conversations, positions, vectors, bags = zip(*rows, strict=True)
    return Neighbours(
        keys=keys, conversations=conversations, positions=positions, vectors=vectors, bags=bags
    )


def _beside(*, on_postgres: bool) -> Select[Any]:
    told, m, c = t.message.alias("told"), t.message.c, t.conversation.c
    near, away = t.message.alias("near"), bindparam("within_reach", type_=Integer)
    places = (
        select(near.c.key)
        .join(
            told,
            and_(
                near.c.conversation_key == told.c.conversation_key,
                near.c.position.between(told.c.position - away, told.c.position + away),
            ),
        )
        .where(one_of(told.c.key, "wanted_keys", on_postgres=on_postgres))
    )
    stored = and_(
        d.embedding.c.model_key == of_named_model(),
        d.embedding.c.item_key == shifted(m.key, 2),
    )
    vector = func.coalesce(d.embedding.c.in_context, d.embedding.c.vector)
    return (
        select(m.key, m.conversation_key, m.position, vector, m.terms)
        .join(t.conversation, c.key == m.conversation_key)
        .join(t.scope, t.scope.c.key == unindexed(m.scope_key))
        .outerjoin(d.embedding, stored)
        .where(
            m.key.in_(places),
            ~one_of(m.key, "wanted_keys", on_postgres=on_postgres),
            one_of(unindexed(m.scope_key), "of_scopes", on_postgres=on_postgres),
            t.scope.c.tenant == bindparam("of_tenant"),
            *said_between(),
            *recallable(),
        )
        .order_by(m.conversation_key, m.position)
    )


BESIDE = Constant(
    sqlite=_beside(on_postgres=False), postgres=_beside(on_postgres=True), bytes_at=(3, 4)
)

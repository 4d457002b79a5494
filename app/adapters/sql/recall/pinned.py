"""What is pinned: statements made once for each way of narrowing them."""

from functools import cache
from typing import Any

from sqlalchemy import Select, and_, bindparam, or_, select

from app.adapters.sql import tables as t
from app.adapters.sql.fetch import Constant, one_of
from app.adapters.sql.narrowing.items import holding, item_recallable, items_narrowed_by, of_types
from app.adapters.sql.narrowing.recallable import narrowed_by, recallable
from app.domain.conversation import PINNED
from app.domain.memory import ItemType

_PINNED_TAIL = 10
"""Messages at the end of a pinned conversation that count as pinned."""


@cache
def pinned_messages(narrowed: frozenset[str]) -> Constant:
    return Constant.of_both(lambda on_postgres: _pinned_on(narrowed, on_postgres=on_postgres))


def _pinned_on(narrowed: frozenset[str], *, on_postgres: bool) -> Select[Any]:
    m, c = t.message.c, t.conversation.c
    in_tail = and_(c.importance == PINNED, m.position >= c.message_count - _PINNED_TAIL)
    return (
        select(m.key)
        .join(t.conversation, c.key == m.conversation_key)
        .join(t.scope, t.scope.c.key == m.scope_key)
        .where(
            t.scope.c.tenant == bindparam("of_tenant"),
            one_of(m.scope_key, "of_scopes", on_postgres=on_postgres),
            or_(m.importance == PINNED, and_(m.importance.is_(None), in_tail)),
            *recallable(),
            *narrowed_by(narrowed, on_postgres=on_postgres),
        )
        .order_by(m.created_at.desc(), m.key.desc())
        .limit(bindparam("most"))
    )


@cache
def pinned_items(narrowed: frozenset[str], types: frozenset[ItemType]) -> Constant:
    return Constant.of_both(lambda on_postgres: _items_on(narrowed, types, on_postgres=on_postgres))


def _items_on(
    narrowed: frozenset[str], types: frozenset[ItemType], *, on_postgres: bool
) -> Select[Any]:
    """Of documents only those that are short enough to be found whole."""
    i, c = t.memory_item.c, t.conversation.c
    return (
        select(i.key)
        .join(t.scope, t.scope.c.key == i.scope_key)
        .outerjoin(t.conversation, c.key == i.conversation_key)
        .where(
            t.scope.c.tenant == bindparam("of_tenant"),
            one_of(i.scope_key, "of_scopes", on_postgres=on_postgres),
            i.importance == PINNED,
            i.parent_key.is_(None),
            *item_recallable(),
            *holding(on_postgres=on_postgres),
            *of_types(types),
            *items_narrowed_by(narrowed, on_postgres=on_postgres),
        )
        .order_by(i.created_at.desc(), i.key.desc())
        .limit(bindparam("most"))
    )

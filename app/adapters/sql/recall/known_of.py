"""The facts that hold of what a query asks for, whatever words tell it."""

from functools import cache
from itertools import islice
from typing import Any

from sqlalchemy import Select, bindparam, select

from app.adapters.sql import tables as t
from app.adapters.sql.dialect import unindexed
from app.adapters.sql.fetch import Constant, Reading
from app.adapters.sql.narrowing.items import held_by, holding, item_recallable, items_narrowed_by
from app.adapters.sql.narrowing.recallable import narrowing
from app.domain.ids import ItemKey, TenantId
from app.domain.memory import ItemType, Table, item_key
from app.ports import RecallFilter
from app.ranking.query import About

_MOST = 40
"""Facts that are read: a bundle has room for some twenty items."""

_LOOKED_AT = 400
"""The most important facts of a user, of which those about somebody are read."""


def known_of(wanted: About, *, tenant: TenantId, within: RecallFilter) -> Reading[list[ItemKey]]:
    """The most important of the facts that are `wanted`."""
    keys: list[ItemKey] = []
    if not within.of_facts():
        return keys
    narrow = narrowing(within)
    for scope in within.scopes:
        asked = {"of_tenant": tenant, "of_scope": scope, "looked_at": _LOOKED_AT}
        rows = yield facts_held(frozenset(narrow)), {**asked, **narrow, **held_by(within)}
        about = (key for key, subject in rows if wanted.is_told(subject))
        keys += [item_key(Table.MEMORY, key) for key in islice(about, _MOST)]
    return keys


@cache
def facts_held(narrowed: frozenset[str]) -> Constant:
    return Constant.of_both(lambda on_postgres: _most_important(narrowed, on_postgres=on_postgres))


def _most_important(narrowed: frozenset[str], *, on_postgres: bool) -> Select[Any]:
    """One scope at a time, by its index of types; of equal importance, the newest first."""
    i, c = t.memory_item.c, t.conversation.c
    return (
        select(i.key, i.subject)
        .join(t.scope, t.scope.c.key == i.scope_key)
        .outerjoin(t.conversation, c.key == i.conversation_key)
        .where(
            t.scope.c.tenant == bindparam("of_tenant"),
            i.scope_key == bindparam("of_scope"),
            i.type == ItemType.FACT.value,
            *item_recallable(),
            *holding(on_postgres=on_postgres),
            *items_narrowed_by(narrowed, on_postgres=on_postgres),
        )
        .order_by(unindexed(i.importance).desc(), i.valid_from.desc(), i.key.desc())
        .limit(bindparam("looked_at"))
    )

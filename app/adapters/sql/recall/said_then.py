"""What was said at a time for which a query asks as a whole, whatever it is about."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from sqlalchemy import Select, bindparam, func, select

from app.adapters.sql import tables as t
from app.adapters.sql.fetch import Constant, Reading
from app.adapters.sql.narrowing.recallable import (
    importance_of_message,
    narrowed_by,
    narrowing,
    recallable,
)
from app.domain.ids import ItemKey, TenantId
from app.domain.memory import ItemType, Table, item_key
from app.ports import RecallFilter
from app.text.intervals import Interval

_MOST = 40
"""Messages of a time that are read: a bundle has room for some twenty items."""

_LOOKED_AT = 400
"""The last messages of a time, of which the most important are read."""


def said_in(
    moments: Sequence[Interval], *, tenant: TenantId, within: RecallFilter
) -> Reading[Sequence[ItemKey]]:
    """
    The most important messages of each of these times, of what `within` may find: as callers say,
    and among what they say nothing of as it was rated.
    """
    keys: list[ItemKey] = []
    if within.types and ItemType.MESSAGE not in within.types:
        return keys
    for each in moments:
        since = each.start if within.after is None else max(each.start, within.after)
        until = each.stop if within.before is None else min(each.stop, within.before)
        narrow = narrowing(replace(within, after=since, before=until))
        for scope in within.scopes:
            asked = {"of_tenant": tenant, "of_scope": scope, **narrow}
            sizes = {"most": _MOST, "looked_at": _LOOKED_AT}
            rows = yield said_then(frozenset(narrow)), {**asked, **sizes}
            keys += [item_key(Table.MESSAGE, key) for (key,) in rows]
    return keys


@cache
def said_then(narrowed: frozenset[str]) -> Constant:
    return Constant.of_both(lambda on_postgres: _newest(narrowed, on_postgres=on_postgres))


def _newest(narrowed: frozenset[str], *, on_postgres: bool) -> Select[Any]:
    """One scope at a time: so the index has its messages in the order in which they are wanted."""
    m, c = t.message.c, t.conversation.c
    rated = func.coalesce(m.rated, 0)
    last = (
        select(m.key, m.created_at, importance_of_message().label("worth"), rated.label("rated"))
        .join(t.conversation, c.key == m.conversation_key)
        .join(t.scope, t.scope.c.key == m.scope_key)
        .where(
            t.scope.c.tenant == bindparam("of_tenant"),
            m.scope_key == bindparam("of_scope"),
            *recallable(),
            *narrowed_by(narrowed, on_postgres=on_postgres),
        )
        .order_by(m.created_at.desc(), m.key.desc())
        .limit(bindparam("looked_at"))
        .subquery("last")
    )
    best = (last.c.worth, last.c.rated, last.c.created_at, last.c.key)
    return select(last.c.key).order_by(*(each.desc() for each in best)).limit(bindparam("most"))

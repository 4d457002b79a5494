"""How entities are told: their names and mentions, as far as a request may see them."""

from functools import cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    and_,
    bindparam,
    case,
    func,
    literal,
    null,
    select,
    type_coerce,
)

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import unindexed
from app.adapters.sql.fetch import Constant
from app.adapters.sql.graph.pieces import MESSAGES, Names, ours, said
from app.adapters.sql.narrowing.recallable import recallable
from app.adapters.sql.raw_rows import raw


@cache
def shown(names: Names) -> Constant:
    return Constant.of_both(lambda on_postgres: _showing(names, on_postgres=on_postgres))


def _showing(names: Names, *, on_postgres: bool) -> Select[Any]:
    """Entities, with their names where these may be told; no mention is counted that is hidden."""
    e = d.entity
    name: ColumnElement[Any] = null() if names else case((_called_so(), e.c.name))
    counted: ColumnElement[int] = e.c.mentions
    if names:
        counted = _counting(names, on_postgres=on_postgres)
    if names == _TIMES:
        counted = case((_all_within_times(), e.c.mentions), else_=counted)
    return (
        select(e.c.key, raw(e.c.id, "id"), e.c.type, name.label("name"), counted)
        .join(t.scope, t.scope.c.key == unindexed(e.c.scope_key))
        .where(*ours(e, on_postgres=on_postgres))
    )


def _called_so() -> ColumnElement[bool]:
    """
    That an entity goes by its name in any message that may be recalled.

    Where only others call it so, which are archived, or about to be erased, nobody is told.
    """
    e, a, other = d.entity.c, d.entity_alias.c, d.mention.alias("other")
    told = d.entity_alias.join(other, other.c.alias_key == a.key)
    told = told.join(MESSAGES, t.message.c.key == other.c.message_key)
    own = (a.entity_key == e.key, a.normal_name == e.normal_name)
    return (
        select(literal(1)).select_from(told).where(*own, *recallable()).correlate(d.entity).exists()
    )


_TIMES: Names = frozenset({"since", "until"})
"""Of a `narrowing` by nothing but times."""


def _all_within_times() -> ColumnElement[bool]:
    """That no time of an entity is hidden."""
    e = d.entity.c
    first, last = (type_coerce(each, BigInteger) for each in (e.first_seen_at, e.last_seen_at))
    return and_(first >= bindparam("since"), last <= bindparam("until"))


def _counting(names: Names, *, on_postgres: bool) -> ColumnElement[int]:
    """The mentions of an entity that a filter lets be seen, `most` at most."""
    e, other = d.entity, d.mention.alias("other")
    some = (
        select(other.c.message_key)
        .select_from(other.join(MESSAGES, t.message.c.key == other.c.message_key))
        .where(other.c.entity_key == e.c.key, *said(names, on_postgres=on_postgres))
        .limit(bindparam("most"))
        .correlate(e)
        .subquery("some")
    )
    return select(func.count()).select_from(some).scalar_subquery()

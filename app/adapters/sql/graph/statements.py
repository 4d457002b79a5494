"""The statements that the graph is walked by: constant, and made once for each shape of filter."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    CompoundSelect,
    FromClause,
    Select,
    and_,
    bindparam,
    case,
    func,
    literal,
    null,
    or_,
    select,
    true,
    type_coerce,
    union_all,
)
from sqlalchemy import Table as SqlTable

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import unindexed
from app.adapters.sql.fetch import Constant, one_of
from app.adapters.sql.narrowing.items import (
    holding,
    item_recallable,
    items_narrowed_by,
    of_types,
    sums_up_several,
)
from app.adapters.sql.narrowing.recallable import narrowed_by, recallable
from app.adapters.sql.raw_rows import raw
from app.domain.memory import ItemType

Names = frozenset[str]
"""The parameters of a `narrowing`."""


def _both(make: Callable[[bool], Select[Any] | CompoundSelect[Any]]) -> Constant:
    return Constant(sqlite=make(False), postgres=make(True))  # noqa: FBT003  (on_postgres)


def _ours(table: FromClause, *, on_postgres: bool) -> Sequence[ColumnElement[bool]]:
    """That an entity or an edge is one of those asked for, and of these scopes of this tenant."""
    s = t.scope.c
    return (
        one_of(table.c.key, "of", on_postgres=on_postgres),
        one_of(s.key, "of_scopes", on_postgres=on_postgres),
        s.tenant == bindparam("of_tenant"),
    )


def _said(names: Names, *, on_postgres: bool) -> Sequence[ColumnElement[bool]]:
    """That the request may see a message, given that and its conversation."""
    return (*recallable(), *narrowed_by(names, on_postgres=on_postgres))


_MESSAGES = t.message.join(t.conversation, t.conversation.c.key == t.message.c.conversation_key)

Pick = Callable[[Sequence[str]], Select[Any]]
"""Picks rows of a table for the row that it is correlated with: these columns of them."""

# A key plus 0 is looked up by, and not from: SQLite would rather begin at the other end.


def _with_best(
    near: FromClause,
    table: SqlTable,
    link: ColumnElement[bool],
    pick: Pick,
    key: str,
    *,
    on_postgres: bool,
) -> tuple[FromClause, Any]:
    """`near` joined with what is picked for each row of it; and that alone, for its columns."""
    if on_postgres:
        best = pick([column.name for column in table.c]).lateral("best")
        return near.join(best, true()), best
    return near.join(table, and_(link, table.c[key].in_(pick([key])))), table


def _with_last(
    near: FromClause,
    table: SqlTable,
    about: str,
    names: Names,
    *,
    then: Sequence[str] = (),
    on_postgres: bool,
) -> tuple[FromClause, Any]:
    """
    The same with the last rows of `table` about it whose message the request may see.

    SQLite picks messages by their keys, with whatever is said of them: `then` would only have it
    sort what its index has in order.
    """
    other = table.alias("other")

    def pick(columns: Sequence[str]) -> Select[Any]:
        return (
            select(*(other.c[name] for name in columns))
            .select_from(other.join(_MESSAGES, t.message.c.key == other.c.message_key))
            .where(other.c[about] == near.c.key, *_said(names, on_postgres=on_postgres))
            .order_by(
                other.c.message_key.desc(),
                *(other.c[name] for name in then if on_postgres),
            )
            .limit(bindparam("most"))
            .correlate(near)
        )

    link = table.c[about] == near.c.key
    return _with_best(near, table, link, pick, "message_key", on_postgres=on_postgres)


@cache
def steps(names: Names) -> Constant:
    return _both(
        lambda on_postgres: union_all(
            _stepping("source_key", "target_key", names, on_postgres=on_postgres),
            _stepping("target_key", "source_key", names, on_postgres=on_postgres),
        )
    )


def _stepping(begin: str, end: str, names: Names, *, on_postgres: bool) -> Select[Any]:
    """What the near entity, at their `begin`, is the same as; then its heaviest edges."""
    near, far, other = d.entity.alias("near"), d.entity.alias("far"), d.edge.alias("other")
    proof = d.edge_evidence.join(_MESSAGES, t.message.c.key == d.edge_evidence.c.message_key)
    proven = (
        select(literal(1))
        .select_from(proof)
        .where(d.edge_evidence.c.edge_key == other.c.key, *_said(names, on_postgres=on_postgres))
        .correlate(other)
        .exists()
    )

    def pick(columns: Sequence[str]) -> Select[Any]:
        return (
            select(*(other.c[name] for name in columns))
            .where(other.c[begin] == near.c.key, proven)
            .order_by(other.c.same.desc(), other.c.weight.desc(), other.c.key.desc())
            .limit(bindparam("most"))
            .correlate(near)
        )

    source, best = _with_best(near, d.edge, true(), pick, "key", on_postgres=on_postgres)
    outwards = literal(1 if begin == "source_key" else 0)
    told = (best.c.key, near.c.key, best.c[end], outwards, best.c.relation, best.c.weight)
    more = (far.c.mentions, _has_other_names(far))
    return (
        select(*(column.label(f"c{at}") for at, column in enumerate((*told, *more))))
        .select_from(
            source.join(far, far.c.key == best.c[end]).join(
                t.scope, t.scope.c.key == near.c.scope_key
            )
        )
        .where(*_ours(near, on_postgres=on_postgres))
    )


def _has_other_names(far: FromClause) -> ColumnElement[bool]:
    """That somebody says an entity to be the same as another, whoever may see that."""
    other = d.edge.alias("other_name")
    ends = other.c.source_key, other.c.target_key
    return or_(*(select(literal(1)).where(end == far.c.key, other.c.same).exists() for end in ends))


@cache
def places(names: Names) -> Constant:
    return _both(lambda on_postgres: _placing(names, on_postgres=on_postgres))


def _placing(names: Names, *, on_postgres: bool) -> Select[Any]:
    """The last messages that mention an entity, and how they call it."""
    near, told, a = d.entity.alias("near"), t.message.alias("told"), d.entity_alias.c
    source, best = _with_last(
        near, d.mention, "entity_key", names, then=("start",), on_postgres=on_postgres
    )
    joined = source.join(told, told.c.key == best.c.message_key)
    joined = joined.join(d.entity_alias, a.key == best.c.alias_key)
    return (
        select(
            near.c.key,
            told.c.key,
            told.c.chunks,
            a.name,
            raw(told.c.id, "id"),
            told.c.external_id,
            best.c.start,
            best.c.stop,
        )
        .select_from(joined.join(t.scope, t.scope.c.key == near.c.scope_key))
        .where(*_ours(near, on_postgres=on_postgres))
        .order_by(near.c.key, told.c.key.desc(), best.c.start)
    )


@cache
def proofs(names: Names) -> Constant:
    return _both(lambda on_postgres: _proving(names, on_postgres=on_postgres))


def _proving(names: Names, *, on_postgres: bool) -> Select[Any]:
    """The last messages that state an edge."""
    near, told = d.edge.alias("near"), t.message.alias("told")
    source_end = d.entity.alias("source_end")
    source, best = _with_last(near, d.edge_evidence, "edge_key", names, on_postgres=on_postgres)
    joined = source.join(told, told.c.key == unindexed(best.c.message_key))
    joined = joined.join(source_end, source_end.c.key == near.c.source_key)
    return (
        select(near.c.key, told.c.key, told.c.chunks)
        .select_from(joined.join(t.scope, t.scope.c.key == source_end.c.scope_key))
        .where(*_ours(near, on_postgres=on_postgres))
        .order_by(near.c.key, told.c.key.desc())
    )


@cache
def derived(names: Names, types: frozenset[ItemType]) -> Constant:
    return _both(lambda on_postgres: _deriving(names, types, on_postgres=on_postgres))


def _deriving(names: Names, types: frozenset[ItemType], *, on_postgres: bool) -> Select[Any]:
    """Memory items that were derived from messages, but summaries of periods, newest first."""
    i, c = t.memory_item.c, t.conversation.c
    own = unindexed(i.scope_key)
    source = t.lineage.join(t.memory_item, i.key == t.lineage.c.item_key)
    source = source.outerjoin(t.conversation, c.key == i.conversation_key)
    return (
        select(t.lineage.c.message_key, i.key)
        .select_from(source.join(t.scope, t.scope.c.key == own))
        .where(
            one_of(t.lineage.c.message_key, "of", on_postgres=on_postgres),
            one_of(own, "of_scopes", on_postgres=on_postgres),
            t.scope.c.tenant == bindparam("of_tenant"),
            ~sums_up_several(),
            *item_recallable(),
            *holding(on_postgres=on_postgres),
            *items_narrowed_by(names, on_postgres=on_postgres),
            *of_types(types),
        )
        .order_by(i.key.desc(), t.lineage.c.message_key)
        .limit(bindparam("most"))
    )


@cache
def shown(names: Names) -> Constant:
    return _both(lambda on_postgres: _showing(names, on_postgres=on_postgres))


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
        .where(*_ours(e, on_postgres=on_postgres))
    )


def _called_so() -> ColumnElement[bool]:
    """
    That an entity goes by its name in any message that may be recalled.

    Where only others call it so, which are archived, or about to be erased, nobody is told.
    """
    e, a, other = d.entity.c, d.entity_alias.c, d.mention.alias("other")
    said = d.entity_alias.join(other, other.c.alias_key == a.key)
    said = said.join(_MESSAGES, t.message.c.key == other.c.message_key)
    own = (a.entity_key == e.key, a.normal_name == e.normal_name)
    return (
        select(literal(1)).select_from(said).where(*own, *recallable()).correlate(d.entity).exists()
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
        .select_from(other.join(_MESSAGES, t.message.c.key == other.c.message_key))
        .where(other.c.entity_key == e.c.key, *_said(names, on_postgres=on_postgres))
        .limit(bindparam("most"))
        .correlate(e)
        .subquery("some")
    )
    return select(func.count()).select_from(some).scalar_subquery()

"""The statements that the graph is walked by: constant, and made once for each shape of filter."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    FromClause,
    Select,
    and_,
    bindparam,
    literal,
    or_,
    select,
    true,
    union_all,
)
from sqlalchemy import Table as SqlTable

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import unindexed
from app.adapters.sql.fetch import Constant, one_of
from app.adapters.sql.graph.pieces import MESSAGES, Names, ours, said
from app.adapters.sql.narrowing.items import (
    holding,
    item_recallable,
    items_narrowed_by,
    of_types,
    sums_up_several,
)
from app.adapters.sql.raw_rows import raw
from app.domain.memory import ItemType

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
            .select_from(other.join(MESSAGES, t.message.c.key == other.c.message_key))
            .where(other.c[about] == near.c.key, *said(names, on_postgres=on_postgres))
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
    return Constant.of_both(
        lambda on_postgres: union_all(
            _stepping("source_key", "target_key", names, on_postgres=on_postgres),
            _stepping("target_key", "source_key", names, on_postgres=on_postgres),
        )
    )


def _stepping(begin: str, end: str, names: Names, *, on_postgres: bool) -> Select[Any]:
    """What the near entity, at their `begin`, is the same as; then its heaviest edges."""
    near, far, other = d.entity.alias("near"), d.entity.alias("far"), d.edge.alias("other")
    proof = d.edge_evidence.join(MESSAGES, t.message.c.key == d.edge_evidence.c.message_key)
    proven = (
        select(literal(1))
        .select_from(proof)
        .where(d.edge_evidence.c.edge_key == other.c.key, *said(names, on_postgres=on_postgres))
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
        .where(*ours(near, on_postgres=on_postgres))
    )


def _has_other_names(far: FromClause) -> ColumnElement[bool]:
    """That somebody says an entity to be the same as another, whoever may see that."""
    other = d.edge.alias("other_name")
    ends = other.c.source_key, other.c.target_key
    return or_(*(select(literal(1)).where(end == far.c.key, other.c.same).exists() for end in ends))


@cache
def places(names: Names) -> Constant:
    return Constant.of_both(lambda on_postgres: _placing(names, on_postgres=on_postgres))


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
        .where(*ours(near, on_postgres=on_postgres))
        .order_by(near.c.key, told.c.key.desc(), best.c.start)
    )


@cache
def proofs(names: Names) -> Constant:
    return Constant.of_both(lambda on_postgres: _proving(names, on_postgres=on_postgres))


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
        .where(*ours(near, on_postgres=on_postgres))
        .order_by(near.c.key, told.c.key.desc())
    )


@cache
def derived(names: Names, types: frozenset[ItemType]) -> Constant:
    return Constant.of_both(lambda on_postgres: _deriving(names, types, on_postgres=on_postgres))


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

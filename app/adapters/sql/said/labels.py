"""
By which words of their labels conversations are found: written with them, read for a query.

Only conversations that are not archived have any.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from math import fsum, log
from typing import Any, NamedTuple

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Integer,
    Select,
    String,
    TableValuedAlias,
    and_,
    bindparam,
    delete,
    exists,
    func,
    insert,
    select,
    true,
    type_coerce,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import unindexed
from app.adapters.sql.fetch import Constant, Reading, one_of
from app.adapters.sql.one_hop import UNREAD
from app.domain.ids import ConversationKey, ScopeKey, TenantId
from app.text.labels import indexed_terms

_MANY = 200
"""Conversations that are looked at for one term: the newest of those that have it."""


class Labelled(NamedTuple):
    """A conversation, where it belongs, and its label; None where it is not to be found by it."""

    key: int
    scope: int
    label: str | None


async def add_labels(connection: AsyncConnection, several: Sequence[Labelled]) -> None:
    """Index the labels of conversations that have nothing in the index."""
    rows = [
        {"scope_key": scope, "term": term, "conversation_key": key}
        for key, scope, label in several
        for term in indexed_terms(label or "")
    ]
    if rows:
        await connection.execute(insert(d.label_term), rows, execution_options=UNREAD)


async def forget_labels(connection: AsyncConnection, keys: Collection[int]) -> None:
    """Take conversations out of the index."""
    theirs = d.label_term.c.conversation_key.in_(sorted(keys))
    await connection.execute(delete(d.label_term).where(theirs), execution_options=UNREAD)


def labelled(
    scopes: Sequence[ScopeKey], tenant: TenantId, *, terms: Collection[str], limit: int
) -> Reading[Mapping[ConversationKey, str]]:
    """
    The conversations whose labels have the most of these terms, and their labels.

    A term counts the more the fewer labels have it. The newest come first among equals. Of a term
    that very many have, all are looked at only as far as they have another one, too.
    """
    asked = {"of_scopes": list(scopes), "of_tenant": tenant}
    rows = yield NEWEST, {**asked, "wanted_terms": sorted(terms), "most": _MANY}
    often = Counter(term for term, *_ in rows)
    held, found = defaultdict[int, set[str]](set), dict[int, tuple[int, str]]()
    for term, key, created_at, label in rows:
        held[key].add(term)
        found[key] = created_at, label
    common = sorted(term for term, count in often.items() if count >= _MANY)
    unsure = sorted(key for key, some in held.items() if len(some) < len(often))
    if common and unsure and len(found) > limit:
        more = {"wanted_terms": common, "wanted_keys": unsure}
        for term, key in (yield HELD, {**asked, **more}):
            held[key].add(term)

    def standing(key: int) -> tuple[float, int, int]:
        rarity = fsum(log(1 + _MANY / often[term]) for term in held[key])
        return rarity, found[key][0], key

    best = sorted(found, key=standing, reverse=True)[:limit]
    return {ConversationKey(key): found[key][1] for key in best}


def _newest(*, on_postgres: bool) -> Select[Any]:
    """For each term the newest conversations that have it: the term, key, time and label."""
    c = t.conversation.c
    term, scope = (
        _each(name, of, on_postgres=on_postgres)
        for name, of in (("wanted_terms", String), ("of_scopes", BigInteger))
    )
    newest = (
        select(d.label_term.c.conversation_key)
        .where(d.label_term.c.scope_key == scope.c.value, d.label_term.c.term == term.c.value)
        .order_by(d.label_term.c.conversation_key.desc())
        .limit(bindparam("most", type_=Integer))
        .correlate(term, scope)
    )
    owner = unindexed(c.scope_key)
    of_ours = exists().where(t.scope.c.key == owner, t.scope.c.tenant == bindparam("of_tenant"))
    told = select(term.c.value, c.key, type_coerce(c.created_at, BigInteger), c.label).where(
        owner == scope.c.value, c.archived.is_(False), of_ours
    )
    both = term.join(scope, true())
    if on_postgres:
        best = newest.lateral("best")
        here = both.join(best, true()).join(t.conversation, c.key == best.c.conversation_key)
        return told.select_from(here)
    return told.select_from(both.join(t.conversation, c.key.in_(newest)))


def _each(name: str, of: type[Any], *, on_postgres: bool) -> TableValuedAlias:
    """The values of a parameter, as rows with a `value`."""
    if on_postgres:
        listed = func.unnest(bindparam(name, type_=ARRAY(of)))
        return listed.table_valued("value", name=name).render_derived()
    return func.json_each(bindparam(name)).table_valued("value", name=name)


def _held(*, on_postgres: bool) -> Select[Any]:
    """Which of the terms the labels of these conversations have."""
    p = d.label_term.c

    def among(column: ColumnElement[Any], name: str, of: type[Any]) -> ColumnElement[bool]:
        return one_of(column, name, on_postgres=on_postgres, of=of)

    return select(p.term, p.conversation_key).where(
        and_(
            among(unindexed(p.scope_key), "of_scopes", BigInteger),
            among(p.term, "wanted_terms", String),
            among(p.conversation_key, "wanted_keys", BigInteger),
        )
    )


NEWEST, HELD = (
    Constant(sqlite=make(on_postgres=False), postgres=make(on_postgres=True), bytes_at=())
    for make in (_newest, _held)
)

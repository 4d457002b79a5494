"""Which memory items may be recalled, when they hold, and how a filter narrows them."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Integer,
    Text,
    and_,
    bindparam,
    false,
    func,
    or_,
    type_coerce,
)

from app.adapters.sql import tables as t
from app.adapters.sql.fetch import one_of
from app.adapters.sql.narrowing.recallable import ALWAYS
from app.adapters.sql.types import to_micros
from app.domain.memory import OF_MESSAGES, ItemType
from app.domain.periods import SUBJECTS
from app.ports import RecallFilter
from app.ports.stored import PlacedMemory

WHENEVER: Mapping[str, object] = {
    "held_since": ALWAYS,
    "held_after": -ALWAYS,
    "unexpired": -ALWAYS,
    "untold": [],
    "of_several": 1,
}
"""Parameters of `holding` that are met by every item."""


def item_recallable() -> Sequence[ColumnElement[bool]]:
    """What may be in an index at all, given the item and its conversation, if it has one."""
    i, c = t.memory_item.c, t.conversation.c
    shown = and_(c.archived.is_(False), c.scope_key == i.scope_key)
    return (i.terms.is_not(None), or_(i.conversation_key.is_(None), shown))


def sums_up_several() -> ColumnElement[bool]:
    """Of memory items: what sums up a period, and so maybe more than one conversation."""
    i = t.memory_item.c
    about = func.coalesce(i.subject, "").startswith(SUBJECTS, autoescape=True)
    return and_(i.type == ItemType.SUMMARY.value, i.conversation_key.is_(None), about)


def will_sum_up_several(placed: PlacedMemory) -> bool:
    """The same of an item that is to be stored."""
    new = placed.prepared.new
    alone = new.type is ItemType.SUMMARY and placed.conversation is None
    return alone and (new.subject or "").startswith(SUBJECTS)


def in_words() -> ColumnElement[bool]:
    """
    Of memory items: what full text holds.

    What sums up periods says the same again for each day, week, month and year; in full text, every
    word of it would tell less for that. It is found by its meaning. (Golden set, questions about
    times: MRR 0.529 with them in full text, 0.582 without.)
    """
    return and_(t.memory_item.c.terms.is_not(None), ~sums_up_several())


def holding(*, on_postgres: bool) -> Sequence[ColumnElement[bool]]:
    """What holds, and is to be told at all, by the parameters of `held_by`."""
    i = t.memory_item.c
    untold = one_of(i.type, "untold", on_postgres=on_postgres, of=Text)
    return (
        _micros(i.valid_from) <= bindparam("held_since"),
        _behind(i.valid_to, "held_after"),
        _behind(i.expires_at, "unexpired"),
        ~and_(i.derived, untold),
        or_(bindparam("of_several", type_=Integer) == 1, ~sums_up_several()),
    )


def held_by(within: RecallFilter) -> Mapping[str, object]:
    """
    At `as_of`, else now; what has expired by now is not shown as of before either.

    What was derived of a type that is not wanted is not told, nor, where conversations are left
    out, what may tell of them among others.
    """
    if within.now is None or within.held_at is None:
        return WHENEVER
    at, now = to_micros(within.held_at), to_micros(within.now)
    return {
        "held_since": at,
        "held_after": at,
        "unexpired": max(at, now),
        "untold": sorted(each.value for each in within.untold),
        "of_several": int(not within.without_conversations),
    }


def unexpired(now: datetime) -> ColumnElement[bool]:
    expires_at = t.memory_item.c.expires_at
    return or_(expires_at.is_(None), expires_at > now)


def items_narrowed_by(names: Iterable[str], *, on_postgres: bool) -> Sequence[ColumnElement[bool]]:
    """
    The conditions that take the parameters `names` of a `narrowing`, on memory items.

    What is in no conversation is in none of those wanted. Nobody said an item, so no role has it.
    """
    i = t.memory_item.c
    outside = ~one_of(i.conversation_key, "outside", on_postgres=on_postgres)
    since = _micros(i.valid_from)
    conditions: dict[str, ColumnElement[bool]] = {
        "inside": one_of(i.conversation_key, "inside", on_postgres=on_postgres),
        "outside": or_(i.conversation_key.is_(None), outside),
        "by_roles": false(),
        "since": and_(since >= bindparam("since"), since <= bindparam("until")),
    }
    return [conditions[name] for name in conditions if name in set(names)]


def of_types(types: Iterable[ItemType]) -> Sequence[ColumnElement[bool]]:
    """That an item is of one of `types`; no condition where none of them is of memory items."""
    wanted = sorted(set(types) - OF_MESSAGES)
    return [or_(*(t.memory_item.c.type == each.value for each in wanted))] if wanted else []


def _micros(column: Column[datetime]) -> ColumnElement[int]:
    return type_coerce(column, BigInteger)


def _behind(column: Column[datetime], name: str) -> ColumnElement[bool]:
    return or_(column.is_(None), _micros(column) > bindparam(name))

"""What may be recalled, and how a filter narrows it, as conditions on messages."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    ScalarSelect,
    Text,
    bindparam,
    func,
    select,
    type_coerce,
)

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.fetch import one_of
from app.adapters.sql.raw_rows import raw
from app.adapters.sql.types import to_micros
from app.ports import RecallFilter

ALWAYS = 2**62
"""Microseconds, far beyond the last year that can be stored."""


def of_any_model() -> ColumnElement[bool]:
    """True of every embedding; lets its key, which begins with the model, find it by item."""
    return d.embedding.c.model_key.in_(select(d.embedding_model.c.key))


def of_named_model() -> ScalarSelect[Any]:
    """The key of the embedding model that the parameter `of_model` names."""
    c = d.embedding_model.c
    return select(c.key).where(c.name == bindparam("of_model")).scalar_subquery()


def importance_of_message() -> ColumnElement[int]:
    """As the caller gave it, to the message or else to its conversation."""
    return func.coalesce(t.message.c.importance, t.conversation.c.importance)


def told_of_conversation() -> Sequence[ColumnElement[Any]]:
    """What an answer tells of the conversation that an item is of."""
    c = t.conversation.c
    return (
        raw(c.id, "conversation_id"),
        c.external_id.label("conversation_external_id"),
        c.folder,
    )


def recallable() -> Sequence[ColumnElement[bool]]:
    """
    What may be in an index at all, given message and conversation.

    A conversation that is being erased is not its user's any more; its messages still are.
    """
    return (
        t.message.c.terms.is_not(None),
        t.conversation.c.archived.is_(False),
        t.conversation.c.scope_key == t.message.c.scope_key,
    )


def said_between() -> Sequence[ColumnElement[bool]]:
    """The times that the parameters of `times_of` allow, both inclusive."""
    micros = type_coerce(t.message.c.created_at, BigInteger)
    return (micros >= bindparam("since"), micros <= bindparam("until"))


def times_of(within: RecallFilter) -> Mapping[str, int]:
    """The first and the last microsecond: `after` and `as_of` are inclusive, `before` is not."""
    since = -ALWAYS if within.after is None else to_micros(within.after)
    until = ALWAYS if within.before is None else to_micros(within.before) - 1
    if within.as_of is not None:
        until = min(until, to_micros(within.as_of))
    return {"since": since, "until": until}


def narrowed_by(names: Iterable[str], *, on_postgres: bool) -> Sequence[ColumnElement[bool]]:
    """The conditions that take the parameters `names` of a `narrowing`."""
    c = t.message.c
    conditions: dict[str, Sequence[ColumnElement[bool]]] = {
        "inside": (one_of(c.conversation_key, "inside", on_postgres=on_postgres),),
        "outside": (~one_of(c.conversation_key, "outside", on_postgres=on_postgres),),
        "by_roles": (one_of(c.role, "by_roles", on_postgres=on_postgres, of=Text),),
        "since": said_between(),
    }
    return [each for name in conditions if name in set(names) for each in conditions[name]]


def narrowing(within: RecallFilter) -> Mapping[str, object]:
    """What the filter asks beyond its scopes and types, as parameters; only what it does ask."""
    values: dict[str, object] = {}
    if within.conversations is not None:
        values["inside"] = sorted(within.conversations)
    if within.without_conversations:
        values["outside"] = sorted(within.without_conversations)
    if within.roles:
        values["by_roles"] = sorted(role.value for role in within.roles)
    if within.after or within.before or within.as_of:
        values |= times_of(within)
    return values

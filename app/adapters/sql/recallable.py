"""What may be recalled, and how a filter narrows it, as conditions on messages."""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    ScalarSelect,
    bindparam,
    select,
)

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.ports import RecallFilter


def of_any_model() -> ColumnElement[bool]:
    """True of every embedding; lets its key, which begins with the model, find it by item."""
    return d.embedding.c.model_key.in_(select(d.embedding_model.c.key))


def of_named_model() -> ScalarSelect[Any]:
    """The key of the embedding model that the parameter `of_model` names."""
    c = d.embedding_model.c
    return select(c.key).where(c.name == bindparam("of_model")).scalar_subquery()


def recallable() -> Sequence[ColumnElement[bool]]:
    """What may be in an index at all, given message and conversation."""
    return (t.message.c.terms.is_not(None), t.conversation.c.archived.is_(False))


def narrowed(within: RecallFilter) -> Sequence[ColumnElement[bool]]:
    """The filter but for its scopes and types, as conditions on a message."""
    c = t.message.c
    conditions: list[ColumnElement[bool]] = []
    if within.conversations is not None:
        conditions.append(c.conversation_key.in_(numbers(within.conversations)))
    if within.without_conversations:
        conditions.append(c.conversation_key.not_in(numbers(within.without_conversations)))
    if within.roles:
        conditions.append(c.role.in_(sorted(within.roles)))
    if within.after is not None:
        conditions.append(c.created_at >= within.after)
    if within.before is not None:
        conditions.append(c.created_at < within.before)
    if within.as_of is not None:
        conditions.append(c.created_at <= within.as_of)
    return conditions


def numbers(keys: Collection[int]) -> BindParameter[Any]:
    """Keys written into the statement: a user's conversations may outnumber its parameters."""
    return bindparam(None, sorted(keys), expanding=True, literal_execute=True, unique=True)

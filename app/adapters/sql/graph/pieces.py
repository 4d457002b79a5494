"""What the statements of the graph are made of."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, FromClause, bindparam

from app.adapters.sql import tables as t
from app.adapters.sql.fetch import one_of
from app.adapters.sql.narrowing.recallable import narrowed_by, recallable

Names = frozenset[str]
"""The parameters of a `narrowing`."""


def ours(table: FromClause, *, on_postgres: bool) -> Sequence[ColumnElement[bool]]:
    """That an entity or an edge is one of those asked for, and of these scopes of this tenant."""
    s = t.scope.c
    return (
        one_of(table.c.key, "of", on_postgres=on_postgres),
        one_of(s.key, "of_scopes", on_postgres=on_postgres),
        s.tenant == bindparam("of_tenant"),
    )


def said(names: Names, *, on_postgres: bool) -> Sequence[ColumnElement[bool]]:
    """That the request may see a message, given that and its conversation."""
    return (*recallable(), *narrowed_by(names, on_postgres=on_postgres))


MESSAGES = t.message.join(t.conversation, t.conversation.c.key == t.message.c.conversation_key)

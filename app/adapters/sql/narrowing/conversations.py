"""How filters narrow conversations."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, exists, func, or_

from app.adapters.sql import tables as t
from app.domain.context import Filters
from app.domain.conversation import ConversationFilter


def listed_conditions(wanted: ConversationFilter) -> list[ColumnElement[bool]]:
    c = t.conversation.c
    conditions = [t.scope.c.user_id == (wanted.user_id or "")]
    if wanted.folder is not None:
        conditions.append(_inside_folder(wanted.folder))
    if wanted.label is not None:
        conditions.append(c.label == wanted.label)
    if wanted.tag is not None:
        conditions.append(_tagged([wanted.tag]))
    if wanted.text is not None:
        conditions.append(
            or_(
                *(
                    each.icontains(wanted.text, autoescape=True)
                    for each in (c.label, c.external_id, c.folder)
                )
            )
        )
    if wanted.after is not None:
        conditions.append(c.created_at >= wanted.after)
    if wanted.before is not None:
        conditions.append(c.created_at < wanted.before)
    return conditions


def filter_conditions(filters: Filters) -> list[ColumnElement[bool]]:
    conditions = []
    if filters.folder is not None:
        conditions.append(_inside_folder(filters.folder))
    if filters.labels:
        conditions.append(t.conversation.c.label.in_(filters.labels))
    if filters.tags:
        conditions.append(_tagged(filters.tags))
    if filters.conversation_ids:
        conditions.append(t.conversation.c.id.in_(filters.conversation_ids))
    return conditions


def _inside_folder(folder: str) -> ColumnElement[bool]:
    """
    The folder itself and what lies below it: "/work" holds "/work/api", not "/workshop".

    Not LIKE, to which "/Work" is the same on SQLite, and not on PostgreSQL.
    """
    path, column = folder.rstrip("/"), t.conversation.c.folder
    below = path + "/"
    return or_(column == path, func.substr(column, 1, len(below)) == below)


def _tagged(tags: Sequence[str]) -> ColumnElement[bool]:
    return exists().where(
        t.conversation_tag.c.conversation_key == t.conversation.c.key,
        t.conversation_tag.c.tag.in_(tags),
    )

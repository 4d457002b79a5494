"""
How one conversation is found and read: statements made once, and what is made of their rows.

They belong to every turn, and to make one anew takes longer than SQLite takes to answer it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, Row, Select, bindparam, exists, select

from app.adapters.sql import tables as t
from app.domain.conversation import Conversation
from app.domain.ids import ConversationId, ConversationKey, ScopeKey, TenantId


def _all_of(*conditions: ColumnElement[bool]) -> Select[Any]:
    """The conversations of a tenant, with whose they are."""
    return (
        select(t.conversation, t.scope.c.user_id)
        .join(t.scope, t.scope.c.key == t.conversation.c.scope_key)
        .where(t.scope.c.tenant == bindparam("of_tenant"), *conditions)
    )


def is_of(tenant: TenantId | BindParameter[str]) -> ColumnElement[bool]:
    """Whether a conversation is one of the tenant."""
    return exists().where(t.scope.c.key == t.conversation.c.scope_key, t.scope.c.tenant == tenant)


def _locked() -> Select[Any]:
    wanted = t.conversation.c.key == bindparam("the_key")
    ours = is_of(bindparam("of_tenant"))
    return select(t.conversation.c.key).where(wanted, ours).with_for_update()


def _last_position() -> Select[Any]:
    m = t.message.c
    inside = m.conversation_key == bindparam("the_key")
    return select(m.position).where(inside).order_by(m.position.desc()).limit(1)


def _tags() -> Select[Any]:
    c = t.conversation_tag.c
    wanted = c.conversation_key.in_(bindparam("the_keys", expanding=True))
    return select(c.conversation_key, c.tag).where(wanted).order_by(c.conversation_key, c.position)


ALL = _all_of()
BY_ID = _all_of(t.conversation.c.id == bindparam("the_id"))
BY_KEY = _all_of(t.conversation.c.key == bindparam("the_key"))
BY_NAME = _all_of(
    t.conversation.c.scope_key == bindparam("of_scope"),
    t.conversation.c.external_id == bindparam("named"),
)
LOCKED, LAST_POSITION, TAGS = _locked(), _last_position(), _tags()


def conversation_of(row: Row[Any], tags: Mapping[int, Sequence[str]]) -> Conversation:
    return Conversation(
        key=ConversationKey(row.key),
        id=ConversationId(row.id),
        scope=ScopeKey(row.scope_key),
        user_id=row.user_id or None,
        external_id=row.external_id,
        label=row.label,
        folder=row.folder,
        importance=row.importance,
        tags=tags[row.key],
        metadata=row.metadata,
        system_prompt=row.system_prompt,
        archived=row.archived,
        created_at=row.created_at,
        updated_at=row.updated_at,
        written_at=row.written_at,
        message_count=row.message_count,
        token_count=row.token_count,
        last_message_at=row.last_message_at,
    )

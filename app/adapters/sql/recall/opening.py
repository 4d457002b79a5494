"""How a conversation that goes on is entered: its end, what is kept of before, its summary."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    BigInteger,
    Select,
    bindparam,
    func,
    literal_column,
    or_,
    select,
    type_coerce,
    union,
)

from app.adapters.sql import tables as t
from app.adapters.sql.fetch import Constant, Reading
from app.adapters.sql.items.rows import SUMMARY_OF_CONVERSATION
from app.adapters.sql.narrowing.items import held_by
from app.adapters.sql.narrowing.recallable import ALWAYS
from app.adapters.sql.raw_rows import parsed, raw, uuid_of
from app.adapters.sql.recall.hydrating import recalled
from app.adapters.sql.said.messages import rating_of
from app.adapters.sql.types import from_micros, to_micros
from app.domain.conversation import KEPT, Conversation, Message, Role
from app.domain.ids import MessageId, MessageKey, TenantId
from app.ports import RecallFilter
from app.ports.stored import Opening
from app.ranking.pool import Recalled

_OPENED = (
    *("key", "id", "position", "external_id", "role", "name", "content", "tool_calls"),
    *("tool_call_id", "importance", "metadata", "created_at", "tokens", "echo", "rated", "tags"),
)


def _opening() -> Select[Any]:
    """
    The last messages, and of those to be kept, which have an index of their own, the last and the
    first that is a system message.
    """
    m = t.message.c
    until = type_coerce(m.created_at, BigInteger) <= bindparam("until")
    here = (m.conversation_key == bindparam("of_conversation"), until, m.aside.is_(False))
    system = m.role == literal_column("'system'")
    important = func.coalesce(m.importance, m.rated) >= literal_column(str(KEPT))
    tail = select(m.key).where(*here).order_by(m.position.desc()).limit(bindparam("most"))
    kept = (
        select(m.key)
        .where(*here, or_(system, important))
        .order_by(system.desc(), m.position.desc())
        .limit(bindparam("most_kept"))
    )
    rules = select(m.key).where(*here, or_(system, important), system).order_by(m.position).limit(1)
    wanted = union(*(select(each.subquery().c.key) for each in (tail, rules, kept)))
    return (
        select(*(raw(m[name], name) for name in _OPENED))
        .join(t.conversation, t.conversation.c.key == m.conversation_key)
        .join(t.scope, t.scope.c.key == t.conversation.c.scope_key)
        .where(t.scope.c.tenant == bindparam("of_tenant"), m.key.in_(wanted))
        .order_by(m.position)
    )


OPENING = Constant.alone(_opening())


def opened(
    conversation: Conversation,
    *,
    tenant: TenantId,
    within: RecallFilter,
    most: int,
    kept: int,
    summary: str | None,
) -> Reading[Opening]:
    """Given the model `summary`, with the summary that holds, and its vector of that model."""
    until = ALWAYS if within.as_of is None else to_micros(within.as_of)
    asked = {"of_conversation": conversation.key, "of_tenant": tenant, "until": until}
    rows = yield OPENING, {**asked, "most": most, "most_kept": kept}
    told = Recalled.nothing()
    if summary is not None:
        of = {"of_scopes": [conversation.scope], "of_model": summary, **asked}
        told = recalled((yield SUMMARY_OF_CONVERSATION, {**of, **held_by(within)}))
    messages = [_message(row, conversation) for row in rows]
    return Opening(
        tail=messages[max(0, len(messages) - most) :],
        rules=[each for each in messages if each.role is Role.SYSTEM][:1],
        kept=[each for each in messages if kept and each.is_kept],
        summary=told,
    )


def _message(row: Sequence[Any], conversation: Conversation) -> Message:
    told = dict(zip(_OPENED, row, strict=True))
    return Message(
        key=MessageKey(told["key"]),
        id=MessageId(uuid_of(told["id"])),
        conversation_id=conversation.id,
        position=told["position"],
        external_id=told["external_id"],
        role=Role(told["role"]),
        name=told["name"],
        content=told["content"],
        tool_calls=parsed(told["tool_calls"]),
        tool_call_id=told["tool_call_id"],
        importance=told["importance"],
        metadata=parsed(told["metadata"]),
        created_at=from_micros(told["created_at"]),
        tokens=told["tokens"],
        echo=[(start, stop) for start, stop in parsed(told["echo"]) or ()],
        rating=rating_of(told["rated"], parsed(told["tags"])),
    )

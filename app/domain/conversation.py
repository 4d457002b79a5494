"""What was said, by whom, in which order. Immutable once stored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from app.domain.ids import ConversationId, ConversationKey, MessageId, MessageKey, ScopeKey

PINNED = 10
"""The importance that puts an item into every bundle first."""

DEFAULT_IMPORTANCE = 5


class Role(StrEnum):
    """Who speaks."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """A user's memory. `version` rises with everything that can change an answer about it."""

    key: ScopeKey
    user_id: str | None
    version: int
    messages: int
    """Documents in full text, for BM25: messages, or their chunks where they have some."""
    terms: int
    """Terms in full text, for BM25's average document length."""
    has_pinned: bool = False
    """Whether anything of importance 10 is stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """A message as a caller hands it in. `created_at` of None means now."""

    role: Role
    content: str | None
    external_id: str | None = None
    name: str | None = None
    created_at: datetime | None = None
    tool_calls: Sequence[Mapping[str, object]] | None = None
    tool_call_id: str | None = None
    importance: int | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewConversation:
    """A conversation as a caller hands it in."""

    user_id: str | None = None
    external_id: str | None = None
    label: str | None = None
    folder: str | None = None
    importance: int = DEFAULT_IMPORTANCE
    tags: Sequence[str] = ()
    metadata: Mapping[str, object] = field(default_factory=dict)
    system_prompt: str | None = None
    created_at: datetime | None = None
    messages: Sequence[NewMessage] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A conversation as stored, without its messages."""

    key: ConversationKey
    id: ConversationId
    scope: ScopeKey
    user_id: str | None
    external_id: str | None
    label: str | None
    folder: str | None
    importance: int
    tags: Sequence[str]
    metadata: Mapping[str, object]
    system_prompt: str | None
    archived: bool
    created_at: datetime
    updated_at: datetime
    message_count: int
    token_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message as stored. `tokens` were counted at write; `position` counts from 0."""

    key: MessageKey
    id: MessageId
    conversation_id: ConversationId
    position: int
    external_id: str | None
    role: Role
    name: str | None
    content: str | None
    tool_calls: Sequence[Mapping[str, object]] | None
    tool_call_id: str | None
    importance: int | None
    metadata: Mapping[str, object]
    created_at: datetime
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationChanges:
    """What a PATCH sets; a field that is not in `given` stays as it is."""

    given: frozenset[str]
    label: str | None = None
    folder: str | None = None
    importance: int = DEFAULT_IMPORTANCE
    tags: Sequence[str] = ()
    metadata: Mapping[str, object] = field(default_factory=dict)
    archived: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationFilter:
    """Which conversations a list shows. None and empty mean "any"; times are `created_at`."""

    user_id: str | None = None
    folder: str | None = None
    label: str | None = None
    tag: str | None = None
    text: str | None = None
    after: datetime | None = None
    before: datetime | None = None

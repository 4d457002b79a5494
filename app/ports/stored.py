"""What goes into the store and comes out of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Generic, Self, TypeVar

from app.domain.conversation import (
    Message,
)
from app.domain.ids import (
    BundleId,
    ConversationKey,
    ItemId,
    ItemKey,
    MessageId,
    ScopeKey,
    TenantId,
)
from app.text.chunks import Span

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedChunk:
    """A chunk of a message, with what is counted once, at write; `terms` and `bag` as there."""

    id: ItemId
    span: Span
    content: str
    tokens: int
    content_hash: bytes
    terms: Sequence[str]
    bag: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedMessage:
    """A message with what is counted once, at write."""

    message: Message
    content_hash: bytes
    terms: Sequence[str]
    """In order, repeats included; empty for what no index holds."""
    bag: bytes | None
    """The packed terms (app/ranking/bm25.py); None keeps it out of every index."""
    chunks: Sequence[PreparedChunk] = ()
    """What full text holds instead of the message; the vector index holds both."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMessage:
    """What tells whether a message is there already."""

    id: MessageId
    position: int
    external_id: str | None
    role: str
    name: str | None
    content_hash: bytes
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalAnswer:
    """
    What full text found: keys, best first, and how many documents of the scope hold a term.

    The terms are those asked for that any document holds, and those that continue a prefix.
    """

    keys: Sequence[ItemKey]
    document_frequency: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[T]):
    """Some of a list, and where it goes on."""

    items: Sequence[T]
    next_cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How much a tenant has stored."""

    conversations: int
    messages: int
    chunks: int
    memory_items: int
    embeddings: int
    users: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """What a delete took out of SQL, and the item keys that the vector index must forget."""

    scope: ScopeKey | None = None
    conversations: Sequence[ConversationKey] = ()
    keys: Sequence[ItemKey] = ()
    messages: int = 0
    chunks: int = 0
    embeddings: int = 0
    full_text: int = 0
    memory_items: int = 0
    bundles: int = 0

    def __add__(self, other: Self) -> Self:
        counted = ("messages", "chunks", "embeddings", "full_text", "memory_items", "bundles")
        sums = {name: getattr(self, name) + getattr(other, name) for name in counted}
        return replace(self, keys=[*self.keys, *other.keys], **sums)


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What was answered, without a word of memory in it."""

    bundle_id: BundleId
    tenant: TenantId
    scope: ScopeKey | None
    created_at: datetime
    request: Mapping[str, object]
    answer: Mapping[str, object]
    total_ms: float
    facts: Mapping[str, object]

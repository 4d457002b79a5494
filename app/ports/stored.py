"""What goes into the store and comes out of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Generic, Self, TypeVar
from uuid import UUID

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
from app.domain.memories import NewMemory
from app.ranking.pool import Recalled
from app.text.chunks import Span

T = TypeVar("T")
U = TypeVar("U")


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
class PreparedMemory:
    """
    A memory item with what is counted once, at write; `terms` and `bag` as of a message.

    A document of several `parts` is in no index itself.
    """

    id: ItemId
    new: NewMemory
    tokens: int
    content_hash: bytes
    terms: Sequence[str]
    bag: bytes | None
    parts: Sequence[PreparedChunk] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedMemory:
    """
    A prepared item with its place: whose it is, and from when to when it holds.

    It ends at `valid_to`: where it was told to, or where the item `superseded_by` begins.
    """

    prepared: PreparedMemory
    scope: ScopeKey
    conversation: ConversationKey | None
    archived: bool
    """In an archived conversation: kept out of full text."""
    valid_from: datetime
    valid_to: datetime | None
    superseded_by: ItemKey | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """That an item was shown, and when."""

    key: ItemKey
    at: datetime


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
    `besides` are keys, best first, of what was searched besides.
    """

    keys: Sequence[ItemKey]
    document_frequency: Mapping[str, int]
    besides: Sequence[ItemKey] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """
    What a conversation that goes on is entered with.

    `tail` is its end; `rules` its first system message, or none; `kept` are system messages and
    important ones, of the end or before it; all in the order they were said. `summary` holds the
    item that sums it up, or none.
    """

    tail: Sequence[Message] = ()
    rules: Sequence[Message] = ()
    kept: Sequence[Message] = ()
    summary: Recalled = field(default_factory=Recalled.nothing)


PAGE_BYTES = 16 * 2**20
"""What the messages of one page may weigh together; one alone may weigh more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """Whose memory something is about, and which conversation in it."""

    scope: ScopeKey | None = None
    conversation: ConversationKey | None = None


NOBODY = About()


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[T]):
    """Some of a list, and where it goes on."""

    items: Sequence[T]
    next_cursor: str | None

    def of(self, other: Callable[[T], U]) -> "Page[U]":
        """The same page of something else, item by item."""
        return Page(items=[other(each) for each in self.items], next_cursor=self.next_cursor)


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
    """
    What a delete took out of SQL, and the item keys that the vector index must forget.

    `doomed` is the scope of what is out of reach already, and still to be erased; `user` the one,
    as the audit log names them, of whom it is all.
    """

    scope: ScopeKey | None = None
    user: str | None = None
    doomed: ScopeKey | None = None
    conversations: Sequence[ConversationKey] = ()
    keys: Sequence[ItemKey] = ()
    messages: int = 0
    chunks: int = 0
    embeddings: int = 0
    full_text: int = 0
    memory_items: int = 0
    edges: int = 0
    profiles: int = 0
    profile_entries: int = 0
    """Derived from facts."""
    consents: int = 0
    bundles: int = 0

    items: Sequence[ItemKey] = ()
    """The whole memory items among the keys."""

    retold: Sequence[ConversationKey] = ()
    """Conversations of which a summary went too: it is to be made anew."""

    def __add__(self, other: Self) -> Self:
        more = other.counts()
        sums = {name: count + more[name] for name, count in self.counts().items()}
        return replace(
            self,
            keys=[*self.keys, *other.keys],
            items=(*self.items, *other.items),
            conversations=sorted({*self.conversations, *other.conversations}),
            **sums,
        )

    def counts(self) -> dict[str, Any]:
        """How many of each kind, by name."""
        return {name: getattr(self, name) for name in _COUNTED}

    def told(self) -> dict[str, Any]:
        """What the audit log tells of it: counts, and of nothing that there was none of."""
        return {name: count for name, count in self.counts().items() if count}


_COUNTED = (
    *("messages", "chunks", "embeddings", "full_text", "memory_items", "edges"),
    *("profiles", "profile_entries", "consents", "bundles"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """What is being erased in portions: `scope` is doomed; `subject` as the audit log names it."""

    id: UUID
    tenant: TenantId
    subject: str
    scope: ScopeKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """
    What was answered, without a word of memory in it.

    Its only text is the query, empty once anything of its scope was erased.
    """

    bundle_id: BundleId
    tenant: TenantId
    scope: ScopeKey | None
    subject: str
    """Who asked, as the audit log names a user: before anything is stored, there is no scope."""
    version: int
    """Of the scope, when it was asked: what was erased since must not be told."""
    created_at: datetime
    request: Mapping[str, object]
    answer: Mapping[str, object]
    total_ms: float
    facts: Mapping[str, object]
    issued: Mapping[ItemKey, frozenset[int]] = field(default_factory=dict)
    """Fingerprints (app/text/echo.py) of what the bundle showed, by item, or under `PROFILE`."""

    def wordless(self) -> Self:
        """
        Without what could repeat what was erased, whatever that was: what was asked, by which words
        is known what was shown, and which profile was.
        """
        request, answer = {**self.request, "query": ""}, {**self.answer, "profile": None}
        return replace(self, request=request, answer=answer, issued={})

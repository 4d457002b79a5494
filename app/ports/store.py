"""
The store: SQL, the truth.

A snapshot reads, a transaction writes; both belong to one tenant, so no query can be written
without one. Workers, who serve every tenant, have `SystemTransaction`.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Generic, Protocol, Self, TypeVar

from app.domain.context import Filters
from app.domain.conversation import (
    Conversation,
    ConversationChanges,
    ConversationFilter,
    Message,
    NewConversation,
    Role,
    Scope,
)
from app.domain.ids import (
    BundleId,
    ConversationId,
    ConversationKey,
    ItemId,
    ItemKey,
    MessageId,
    MessageKey,
    ScopeKey,
    TenantId,
)
from app.domain.memory import ItemType
from app.ports import RecallFilter
from app.ranking.neighbours import Neighbours
from app.ranking.pool import Recalled
from app.text.chunks import Span
from app.text.terms import QueryTerms

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


class ScopeReader(Protocol):
    async def find(self, user_id: str | None) -> Scope | None: ...


class ScopeWriter(ScopeReader, Protocol):
    async def ensure(self, user_id: str | None, *, now: datetime) -> Scope:
        """The scope of a user, made on first use."""
        ...

    async def touch(self, key: ScopeKey, *, messages: int = 0, terms: int = 0) -> None:
        """Make what caches hold of this scope unreachable; move the full-text counters."""
        ...


class ConversationReader(Protocol):
    async def get(self, conversation_id: ConversationId) -> Conversation:
        """
        One conversation.

        Raises:
            ConversationNotFound: There is none under this id in this tenant.
        """
        ...

    async def find(self, scope: ScopeKey, external_id: str) -> Conversation | None: ...

    async def page(
        self, wanted: ConversationFilter, *, cursor: str | None, limit: int
    ) -> Page[Conversation]:
        """
        Conversations, newest first.

        Raises:
            InvalidCursor: The cursor is not one of this list's.
        """
        ...

    async def matching(
        self, scope: ScopeKey, filters: Filters
    ) -> frozenset[ConversationKey] | None:
        """The conversations that folder, labels, tags and ids of `filters` allow; None: any."""
        ...

    async def keys(
        self, scope: ScopeKey, ids: Sequence[ConversationId]
    ) -> frozenset[ConversationKey]: ...


class ConversationWriter(ConversationReader, Protocol):
    async def add(
        self, new: NewConversation, *, conversation_id: ConversationId, scope: Scope, now: datetime
    ) -> Conversation: ...

    async def change(
        self, key: ConversationKey, changes: ConversationChanges, *, now: datetime
    ) -> None:
        """
        Set what is given.

        Raises:
            ConversationNotFound: It was deleted meanwhile.
        """
        ...

    async def lock(self, key: ConversationKey) -> int:
        """
        Take the conversation for this transaction; the next free position in it.

        Raises:
            ConversationNotFound: It was deleted meanwhile.
        """
        ...


class MessageReader(Protocol):
    async def get(self, keys: Sequence[MessageKey]) -> Sequence[Message]:
        """Those of `keys` that are still there, in the order they were said."""
        ...

    async def tail(
        self, conversation: ConversationKey, *, limit: int, as_of: datetime | None = None
    ) -> Sequence[Message]:
        """The last `limit` messages said until `as_of`, oldest first."""
        ...

    async def page(
        self, conversation: ConversationKey, *, cursor: str | None, limit: int, newest_first: bool
    ) -> Page[Message]:
        """
        Messages in the order they were said, or the other way round.

        Raises:
            InvalidCursor: The cursor is not one of this list's.
        """
        ...

    async def stored(
        self,
        conversation: ConversationKey,
        *,
        external_ids: Sequence[str],
        content_hashes: Sequence[bytes],
        last: int,
    ) -> Sequence[StoredMessage]:
        """The messages under these external ids or hashes, and the `last` ones, in order."""
        ...

    async def scope_of(self, message_id: MessageId) -> tuple[ConversationKey, ScopeKey]:
        """
        Where a message belongs.

        Raises:
            MessageNotFound: There is none under this id in this tenant.
        """
        ...


class MessageWriter(MessageReader, Protocol):
    async def append(
        self, conversation: Conversation, messages: Sequence[PreparedMessage], *, now: datetime
    ) -> Sequence[ItemKey]:
        """Store rows, full text and outbox entries; the item keys of those to be indexed."""
        ...

    async def unindex(self, conversation: Conversation, *, now: datetime) -> None:
        """Take an archived conversation out of full text; vectors follow through the outbox."""
        ...

    async def reindex(self, conversation: Conversation, *, now: datetime) -> None:
        """Put a conversation that is no longer archived back."""
        ...


class Eraser(Protocol):
    async def message(self, message_id: MessageId, *, now: datetime) -> Erased: ...

    async def conversation(self, conversation_id: ConversationId, *, now: datetime) -> Erased: ...

    async def user(self, user_id: str | None, *, limit: int, now: datetime) -> tuple[Erased, bool]:
        """Erase up to `limit` conversations of a user; whether there are more."""
        ...


class Recall(Protocol):
    async def hydrate(
        self, keys: Sequence[ItemKey], *, scopes: Sequence[ScopeKey], model: str
    ) -> Recalled:
        """What of `keys` is recallable in `scopes`, with its vector of `model`, by key."""
        ...

    async def chunks(
        self, messages: Sequence[MessageKey], *, scopes: Sequence[ScopeKey], model: str
    ) -> Recalled:
        """The chunks of these messages, as `hydrate` would return them; the first 1,000."""
        ...

    async def neighbours(
        self, messages: Sequence[MessageKey], *, within: RecallFilter, model: str
    ) -> Neighbours:
        """What stands beside these messages in their conversations, of what may be recalled."""
        ...

    async def remaining(
        self, keys: Sequence[ItemKey], conversations: Sequence[ConversationKey]
    ) -> int:
        """How many of `keys`, which lay in `conversations`, full text or embeddings still hold."""
        ...

    async def pinned(self, within: RecallFilter, *, limit: int) -> Sequence[ItemKey]:
        """Items of importance 10 and the tails of conversations of importance 10, newest first."""
        ...

    async def find(
        self,
        asked: QueryTerms,
        *,
        scope: Scope,
        within: RecallFilter,
        limit: int,
        without: Sequence[str] = (),
    ) -> LexicalAnswer:
        """
        Full text: the `limit` items whose matched terms are the most telling.

        Given terms `without`, the best that hold none of them come first and the best of all after,
        at most twice `limit`: a term stands for several words, which one is unwanted or not.
        """
        ...


class BundleReader(Protocol):
    async def get(self, bundle_id: BundleId) -> Receipt:
        """
        The receipt of a bundle.

        Raises:
            BundleNotFound: It was never issued to this tenant, or is older than is kept.
        """
        ...


class Snapshot(Protocol):
    """Reads of one tenant; each sees the last commit before it."""

    @property
    def scopes(self) -> ScopeReader: ...
    @property
    def conversations(self) -> ConversationReader: ...
    @property
    def messages(self) -> MessageReader: ...
    @property
    def recall(self) -> Recall: ...
    @property
    def bundles(self) -> BundleReader: ...
    async def counts(self) -> Counts: ...
    async def indexed_until(self, outbox_key: int) -> bool:
        """Whether no row of this tenant up to this one waits; what was given up does not."""
        ...


class Transaction(Protocol):
    """Writes of one tenant that happen all or not at all."""

    @property
    def scopes(self) -> ScopeWriter: ...
    @property
    def conversations(self) -> ConversationWriter: ...
    @property
    def messages(self) -> MessageWriter: ...
    @property
    def erase(self) -> Eraser: ...
    async def last_outbox_key(self) -> int: ...
    async def find_answer(self, path: str, key: str) -> tuple[bytes, Mapping[str, object]] | None:
        """What was answered under an idempotency key: the hash of the body, and the answer."""
        ...

    async def keep_answer(
        self,
        path: str,
        key: str,
        *,
        body_hash: bytes,
        answer: Mapping[str, object],
        now: datetime,
    ) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxRow:
    """A note that the projections of an item may differ from the truth."""

    key: int
    tenant: TenantId
    scope: ScopeKey
    item_key: ItemKey
    attempts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorItem:
    """An item that belongs into the vector index: its text, and its vector where one is stored."""

    key: ItemKey
    tenant: TenantId
    scope: ScopeKey
    conversation: ConversationKey | None
    role: Role | None
    type: ItemType
    created_at: datetime
    text: str
    vector: bytes | None
    """float16, little endian."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxState:
    """Rows that wait, seconds that the oldest waits, and rows that were given up."""

    depth: int
    oldest_age: float
    dead: int


class Observations(Protocol):
    """What workers and operators look at, of every tenant."""

    async def to_index(self, keys: Sequence[ItemKey], *, model: str) -> Sequence[VectorItem]:
        """Those of `keys` that belong into the vector index, with text and stored vector."""
        ...

    async def belonging(self, keys: Sequence[ItemKey]) -> frozenset[ItemKey]:
        """Those of `keys` that belong into the vector index."""
        ...

    async def recallable(self, *, after: ItemKey, limit: int) -> Sequence[ItemKey]:
        """The keys of items that belong into the vector index, ascending, from behind `after`."""
        ...

    async def state(self, *, now: datetime) -> OutboxState: ...

    async def full_text_answers(self) -> None:
        """
        Look whether full text can be asked.

        Raises:
            StoreUnavailable: It cannot.
        """
        ...

    async def sizes(self) -> Mapping[str, int]:
        """Bytes on disk, by part, where the database can tell."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Unbuilt:
    """
    Some of what full text lacks while it is built anew: messages with their chunks.

    `after` and `until` are the message keys between which they are all; `left` are the keys that
    this batch and the later ones go through. `texts` are (content, name).
    """

    after: int
    until: int
    left: int
    texts: Mapping[ItemKey, tuple[str, str | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysed:
    """The terms of a message or chunk, and their bag."""

    terms: Sequence[str]
    bag: bytes


class Projections(Protocol):
    """What the indexer needs of SQL, for every tenant."""

    async def claim(self, *, now: datetime, limit: int, lease: float) -> Sequence[OutboxRow]:
        """Take due rows for `lease` seconds, oldest first; no other worker gets them meanwhile."""
        ...

    async def release(self, *, now: datetime) -> None:
        """Make due what is claimed or put off, if this is the only process of the database."""
        ...

    async def keep_vectors(
        self, vectors: Mapping[ItemKey, bytes], *, model: str, dimension: int, now: datetime
    ) -> None:
        """Store embeddings of items that still exist."""
        ...

    async def finish(self, rows: Sequence[OutboxRow]) -> frozenset[ItemKey]:
        """Drop done rows and touch their scopes; the item keys that belong in no index any more."""
        ...

    async def retry(
        self, rows: Sequence[OutboxRow], *, due_at: datetime, error: str, tried: bool, dead: bool
    ) -> None:
        """Put rows off until `due_at`, or give them up; `tried` counts as an attempt of theirs."""
        ...

    async def enqueue(self, keys: Sequence[ItemKey], *, now: datetime) -> None:
        """Note that these items may differ from their projections, where no note says so yet."""
        ...

    async def begin_full_text(self, version: str) -> bool:
        """Empty full text unless it has this version, or gets it; whether it is to be built."""
        ...

    async def unbuilt(self, *, limit: int) -> Unbuilt | None:
        """The next messages that full text lacks; None: it is complete."""
        ...

    async def build(self, unbuilt: Unbuilt, analysed: Mapping[ItemKey, Analysed]) -> None:
        """Put a batch into full text, with bags and counters, unless that has been done."""
        ...

    async def keep_receipts(self, receipts: Sequence[Receipt]) -> None: ...

    async def forget_old(self, *, now: datetime) -> None:
        """Drop receipts, metrics and idempotency keys past their time."""
        ...


class Store(Protocol):
    """Opens units of work. Each raises StoreUnavailable when the database does not answer."""

    def read(self, tenant: TenantId) -> AbstractAsyncContextManager[Snapshot]: ...

    def write(self, tenant: TenantId) -> AbstractAsyncContextManager[Transaction]: ...

    def project(self) -> AbstractAsyncContextManager[Projections]: ...

    def observe(self) -> AbstractAsyncContextManager[Observations]: ...

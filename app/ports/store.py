"""
The store: SQL, the truth.

A snapshot reads, a transaction writes; both belong to one tenant, so no query can be written
without one. Workers, who serve every tenant, have `SystemTransaction`.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Protocol

from app.domain.context import Filters
from app.domain.conversation import (
    Conversation,
    ConversationChanges,
    ConversationFilter,
    Message,
    NewConversation,
    Scope,
)
from app.domain.ids import (
    BundleId,
    ConversationId,
    ConversationKey,
    ItemKey,
    MessageId,
    MessageKey,
    ScopeKey,
    TenantId,
)
from app.ports import RecallFilter
from app.ports.projecting import (
    Observations,
    Projections,
)
from app.ports.stored import (
    Counts,
    Erased,
    LexicalAnswer,
    Page,
    PreparedMessage,
    Receipt,
    StoredMessage,
)
from app.ranking.neighbours import Neighbours
from app.ranking.pool import Recalled
from app.text.terms import QueryTerms


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


class Store(Protocol):
    """Opens units of work. Each raises StoreUnavailable when the database does not answer."""

    def read(self, tenant: TenantId) -> AbstractAsyncContextManager[Snapshot]: ...

    def write(self, tenant: TenantId) -> AbstractAsyncContextManager[Transaction]: ...

    def project(self) -> AbstractAsyncContextManager[Projections]: ...

    def observe(self) -> AbstractAsyncContextManager[Observations]: ...

"""What services need of the store for users, conversations and messages."""

from collections.abc import Collection, Mapping, Sequence
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
    User,
    Way,
)
from app.domain.ids import ConversationId, ConversationKey, ItemKey, MessageId, MessageKey, ScopeKey
from app.ports.stored import PAGE_BYTES, Page, PreparedMessage, StoredMessage


class ScopeReader(Protocol):
    async def find(self, user_id: str | None, *, shared: bool = False) -> Scope | None:
        """The scope of a user; of nobody, given `shared`, that of the tenant's documents."""
        ...

    async def find_user(self, key: ScopeKey) -> str | None:
        """Whose scope this is; None for nobody's, another tenant's, and what is no scope."""
        ...

    async def page(self, *, begins: str, cursor: str | None, limit: int) -> Page[User]:
        """
        The users of the tenant whose id begins so, in order of the code points of their ids.

        Raises:
            InvalidCursor: The cursor is not one of this list's.
        """
        ...

    async def readable(self, user_id: str | None, *, now: datetime) -> Sequence[Scope]:
        """What a user reads: the own scope, then the documents', of which either may lack."""
        ...


class ScopeWriter(ScopeReader, Protocol):
    async def ensure(self, user_id: str | None, *, now: datetime, shared: bool = False) -> Scope:
        """The scope that `find` looks for, made on first use."""
        ...

    async def hold(self, key: ScopeKey) -> bool:
        """Keep its user from being erased until the transaction ends; False: they just were."""
        ...

    async def touch(
        self, key: ScopeKey, *, messages: int = 0, terms: int = 0, erased: bool = False
    ) -> None:
        """
        Make what caches hold of this scope unreachable; move the full-text counters.

        With `erased`, no receipt of what was answered before is kept any more.
        """
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

    async def named(self, scope: ScopeKey, external_ids: Collection[str]) -> Sequence[Conversation]:
        """Those of a scope that have one of these external ids, in the order they were stored."""
        ...

    async def going_beyond(
        self, scope: ScopeKey, external_id: str, *, position: int
    ) -> Sequence[Conversation]:
        """Those of a scope that have this message there and more behind it, the oldest first."""
        ...

    async def page(
        self, wanted: ConversationFilter, *, cursor: str | None, limit: int
    ) -> Page[Conversation]:
        """
        Conversations, newest first.

        Raises:
            InvalidCursor: The cursor is not one of this list's.
        """
        ...

    async def labelled(
        self, scopes: Sequence[ScopeKey], *, terms: Collection[str], limit: int
    ) -> Mapping[ConversationKey, str]:
        """
        The labels that have the most of these terms (app/text/labels.py), best first.

        A term counts the more the fewer labels have it, and the newest conversations come first
        among equals. Of those that are archived there are none.
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
    async def claim(self, scope: ScopeKey, external_id: str) -> Conversation | None:
        """Find, and until this transaction ends let nobody else make one under that id."""
        ...

    async def take(self, claims: Collection[tuple[ScopeKey, str]]) -> None:
        """`claim` and `lock` several at once: who does so first can wait for nobody later."""
        ...

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

    async def date(self, key: ConversationKey, *, updated_at: datetime) -> None:
        """Set when it was last written to or changed, elsewhere."""
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

    async def one(self, message_id: MessageId) -> Message:
        """
        One message.

        Raises:
            MessageNotFound: There is none under this id in this tenant.
        """
        ...

    async def page(
        self,
        conversation: ConversationKey,
        *,
        cursor: str | None,
        limit: int,
        newest_first: bool,
        most_bytes: int = PAGE_BYTES,
    ) -> Page[Message]:
        """
        Messages in the order they were said, or the other way round.

        A page ends before `limit` where the next message would make it heavier than `most_bytes`.

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
        ids: Sequence[MessageId] = (),
    ) -> Sequence[StoredMessage]:
        """The messages of these ids, external ids or hashes, and the `last` ones, in order."""
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

    async def take_ways(self, ways: Sequence[tuple[Conversation, Way]], *, now: datetime) -> None:
        """
        Mark what is aside of each way, and unmark what is on it; the rest stays as it is.

        Brief messages to which something else leads in then are noted, to be embedded with that.
        """
        ...

    async def unindex(self, conversation: Conversation, *, now: datetime) -> None:
        """Take an archived conversation out of full text; vectors follow through the outbox."""
        ...

    async def reindex(self, conversation: Conversation, *, now: datetime) -> None:
        """Put a conversation that is no longer archived back."""
        ...

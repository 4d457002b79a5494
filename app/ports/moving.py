"""What services need of the store to move memory out of it and into it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from app.domain.conversation import Conversation, Message
from app.domain.ids import ConversationKey, ItemId, ItemKey, MessageId, ScopeKey
from app.domain.memories import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """Where something with an id lies; None of what is another tenant's."""

    scope: ScopeKey | None
    conversation: ConversationKey | None


class Identities(Protocol):
    async def take(self) -> None:
        """
        Let others who bring ids wait until the transaction ends: what `held` told stays so.

        Before anything else is taken: who waits here with that would be waited for.
        """
        ...

    async def held(self, kind: str, ids: Collection[UUID]) -> Mapping[UUID, Holder]:
        """
        Those of `ids` that a `conversation`, `message` or `memory` has, whoever's it is.

        The only question whose answer is not of one tenant alone: an id is given out once.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """A user of the tenant, or what is shared."""

    scope: ScopeKey
    user_id: str | None
    shared: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredVector:
    """A vector of a model, as float16; of a chunk also where it lies."""

    kind: str
    id: ItemId | MessageId
    model: str
    vector: bytes
    message_id: MessageId | None = None
    start: int | None = None
    stop: int | None = None


class Export(Protocol):
    """Everything of a tenant, in the order in which it was stored; `after` is the last one read."""

    async def owners(self, *, after: int, limit: int) -> Sequence[Owner]: ...

    async def said(self, scope: ScopeKey | None = None) -> int:
        """How many messages a user has, or the whole tenant."""
        ...

    async def conversations(
        self, scope: ScopeKey, *, after: int, limit: int
    ) -> Sequence[Conversation]: ...

    async def messages(
        self, several: Sequence[ConversationKey]
    ) -> Mapping[ConversationKey, Sequence[Message]]:
        """All that was said in these conversations."""
        ...

    async def weights(self, several: Sequence[ConversationKey]) -> Mapping[ConversationKey, int]:
        """Bytes of all that was said in each of these conversations; 0 where nothing was."""
        ...

    async def memories(
        self, scope: ScopeKey, *, after: int, limit: int, now: datetime, superseded: bool = False
    ) -> Sequence[Memory]:
        """Items that have not expired, documents whole; given `superseded`, those that are."""
        ...

    async def lineages(
        self, several: Sequence[ItemKey]
    ) -> Mapping[ItemKey, Sequence[tuple[MessageId, bool]]]:
        """The messages that items were derived from, and whether they say it in other words."""
        ...

    async def vectors(self, several: Sequence[ItemKey]) -> Sequence[StoredVector]:
        """Those of messages with their chunks, or of items with their parts."""
        ...

"""What services need of the store to erase for good."""

from datetime import datetime
from typing import Protocol
from uuid import UUID

from app.domain.ids import ConversationId, ItemId, MessageId, ScopeKey
from app.ports.stored import Erased, Erasure


class Eraser(Protocol):
    """Erases a message at once; what may be large is put out of reach, then erased in portions."""

    async def memory(self, item_id: ItemId, *, now: datetime) -> Erased:
        """
        Erase a memory item, of a part its document; what it superseded holds again.

        Raises:
            MemoryNotFound: There is none under this id in this tenant.
        """
        ...

    async def message(self, message_id: MessageId, *, now: datetime) -> Erased:
        """
        Erase one message and what is derived from it.

        Raises:
            MessageNotFound: There is none under this id in this tenant.
        """
        ...

    async def conversation(self, conversation_id: ConversationId, *, now: datetime) -> Erased:
        """
        Put a conversation out of everybody's reach, to be erased as `doomed`.

        Raises:
            ConversationNotFound: There is none under this id in this tenant.
        """
        ...

    async def user(self, user_id: str | None, *, now: datetime) -> Erased:
        """Put all of a user out of everybody's reach; what they say from now on is another's."""
        ...

    async def portion(self, doomed: ScopeKey, *, limit: int, now: datetime) -> tuple[Erased, bool]:
        """Erase up to `limit` messages of what is doomed; whether there is more to do."""
        ...

    async def begin(self, erasure: Erasure, erased: Erased, *, now: datetime) -> None:
        """Keep that something is doomed, and what was erased of it: portions add to that."""
        ...

    async def end(self, erasure: UUID) -> Erased | None:
        """Drop what was kept of an erasure; what all of it erased, None if it was ended before."""
        ...


class Following(Protocol):
    """What is read from beside the store that is written to, and lags behind it."""

    async def follows(self) -> bool:
        """Whether it has all that is committed by now, after a wait of some seconds if need be."""
        ...

"""What services need of the store for memory items of their own."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from app.domain.ids import ItemId, ItemKey, MessageId, ScopeKey
from app.domain.memories import Memory, MemoryChanges, MemoryFilter
from app.domain.memory import ItemType, LineageEdge
from app.ports.stored import Page, PlacedMemory, PreparedMemory


class MemoryReader(Protocol):
    async def get(self, item_id: ItemId, *, now: datetime | None) -> Memory:
        """
        One item, or a part of a document; without `now` also one that has expired.

        Raises:
            MemoryNotFound: There is none under this id in this tenant, or it has expired by `now`.
        """
        ...

    async def recalled(self, item_id: ItemId, *, now: datetime | None) -> Memory:
        """
        The same, or the message or chunk of this id, which a bundle shows as an item, too.

        Raises:
            MemoryNotFound: There is nothing of this id.
        """
        ...

    async def page(self, wanted: MemoryFilter, *, cursor: str | None, limit: int) -> Page[Memory]:
        """
        Items, newest first, documents whole.

        Raises:
            InvalidCursor: The cursor is not one of this list's.
        """
        ...

    async def superseded(
        self, memories: Sequence[Memory], *, now: datetime
    ) -> Mapping[ItemId, Sequence[ItemId]]:
        """What each took the place of and has not expired by `now`, the latest first."""
        ...

    async def lineage(self, memory: Memory) -> Sequence[LineageEdge]:
        """What an item was derived from, messages in the order they were stored."""
        ...


class MemoryWriter(MemoryReader, Protocol):
    async def lock(self, scope: ScopeKey, messages: Sequence[MessageId]) -> None:
        """
        Take the items of a scope for this transaction, with those that `messages` are of.

        Raises:
            MessageNotFound: A message is not there, or not of this scope.
        """
        ...

    async def take(self, item: Memory) -> None:
        """Take an item's scope for this transaction, after what it is derived from."""
        ...

    async def refuse(self, item: Memory) -> None:
        """Have what an item says not be drawn again from the messages that it is derived from."""
        ...

    async def about(self, scope: ScopeKey, kind: ItemType, subject: str) -> Sequence[Memory]:
        """All that was ever stored about a subject, by when it began to hold."""
        ...

    async def add(self, placed: PlacedMemory, *, now: datetime) -> ItemKey:
        """Store an item with its parts: rows, full text, outbox entries; touch the scope."""
        ...

    async def supersede(self, old: Memory, *, by: ItemKey, now: datetime) -> None:
        """End an item where another one begins, unless it ends before."""
        ...

    async def release(self, old: Memory, *, now: datetime) -> Sequence[ItemId]:
        """Let an item supersede nothing, and nothing supersede it; what it superseded."""
        ...

    async def under(
        self,
        scope: ScopeKey,
        kind: ItemType,
        groups: Sequence[str],
        *,
        beginnings: Sequence[str] = (),
    ) -> Sequence[Memory]:
        """
        The same of subjects that are one of `groups`, or one and then "|" and more.

        And of such as begin with one of `beginnings`.
        """
        ...

    async def alike(
        self,
        scope: ScopeKey,
        kind: ItemType,
        subjects: Sequence[str],
        *,
        groups: Sequence[str],
        telling: str,
    ) -> Sequence[Memory]:
        """The same of these subjects, and what of `groups` tells something as `telling`."""
        ...

    async def drop(self, old: Memory, *, now: datetime) -> None:
        """Erase what nobody would derive any more; what it superseded holds again."""
        ...

    async def derive(
        self,
        scope: ScopeKey,
        key: ItemKey,
        messages: Sequence[MessageId],
        *,
        reworded: bool = False,
        found_at: datetime | None = None,
    ) -> None:
        """
        Add messages of a scope to the lineage of an item of it; of what is there already, note when
        it was found again.

        A fact goes with the last message that says it in its words: what is `reworded` does not.
        """
        ...

    async def change(
        self, old: Memory, changes: MemoryChanges, fresh: PreparedMemory | None, *, now: datetime
    ) -> None:
        """
        Set what is given; `fresh` is what the new content is counted as.

        Raises:
            NeverValid: It would end before it begins.
        """
        ...

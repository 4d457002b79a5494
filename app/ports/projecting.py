"""What workers need of the store: the outbox, and the projections of every tenant's truth."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from app.domain.conversation import (
    Role,
)
from app.domain.ids import (
    ConversationKey,
    ItemKey,
    ScopeKey,
    TenantId,
)
from app.domain.memory import ItemType
from app.ports.stored import (
    Receipt,
)


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

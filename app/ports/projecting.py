"""What workers need of the store: the outbox, and the projections of every tenant's truth."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Protocol

from app.domain.ids import (
    ConversationId,
    ConversationKey,
    ItemKey,
    ScopeKey,
    TenantId,
)
from app.domain.memory import Table
from app.ports import NewId, VectorPlace
from app.ports.distilling import DistilObservations, DistilProjections
from app.ports.embedding import Packed
from app.ports.governing import KeyUses
from app.ports.measuring import Beat
from app.ports.periods import PeriodObservations, PeriodProjections
from app.ports.stored import Access, Erasure, Receipt


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxRow:
    """A note that the projections of an item may differ from the truth."""

    key: int
    tenant: TenantId
    scope: ScopeKey
    item_key: ItemKey
    attempts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorItem(VectorPlace):
    """
    An item that belongs into the vector index: its text, and its vector where one is stored.

    `same` is, where it has none, what is stored of another memory item of the scope that says the
    same.
    `lead_in` is what was said right before a brief message, with which it is embedded besides;
    `in_context` is the vector that came of it. Where there is that one, `lead_in` is not told.
    """

    text: str
    vector: bytes | None
    """float16, little endian."""
    same: Packed | None = None
    in_context: bytes | None = None
    lead_in: Sequence[str] = ()

    @property
    def indexed(self) -> bytes | None:
        """The vector that stands for it in the index."""
        return self.in_context or self.vector

    @property
    def is_embedded(self) -> bool:
        """Whether there are all vectors of it; one without what leads in to it has yet to come."""
        return self.vector is not None and not self.lead_in


@dataclass(frozen=True, slots=True, kw_only=True)
class InContext:
    """The vector of a brief message in context, and what led in to it when that was made."""

    vector: bytes
    lead_in: Sequence[str]


NOT_IN_CONTEXT: Mapping[ItemKey, InContext] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownModel:
    """An embedding model that there are vectors of; `opened_as` are the settings it had."""

    name: str
    dimension: int
    opened_as: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxState:
    """Rows that wait, seconds that the oldest waits, and rows that were given up."""

    depth: int
    oldest_age: float
    dead: int


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleConversation:
    """A conversation that nobody wrote to for long."""

    key: ConversationKey
    id: ConversationId
    tenant: TenantId
    messages: int


class Observations(DistilObservations, PeriodObservations, Protocol):
    """What workers and operators look at, of every tenant."""

    async def idle(
        self,
        *,
        since: datetime,
        tenant: TenantId | None = None,
        after: ConversationKey,
        limit: int,
    ) -> Sequence[IdleConversation]:
        """
        Conversations, of which nothing is pinned, that nobody wrote to, changed or imported since
        then, by their keys from behind `after`.
        """
        ...

    async def to_index(self, keys: Sequence[ItemKey], *, model: str) -> Sequence[VectorItem]:
        """Those of `keys` that belong into the vector index, with text and stored vector."""
        ...

    async def belonging(self, keys: Sequence[ItemKey]) -> frozenset[ItemKey]:
        """Those of `keys` that belong into the vector index."""
        ...

    async def recallable(self, *, after: ItemKey, limit: int) -> Sequence[ItemKey]:
        """The keys of items that belong into the vector index, ascending, from behind `after`."""
        ...

    async def count_recallable(self) -> int:
        """How many items belong into the vector index."""
        ...

    async def serving_model(self) -> KnownModel | None:
        """The model whose vectors answer; None while there are no vectors."""
        ...

    async def waiting(self, *, now: datetime) -> Mapping[TenantId, OutboxState]:
        """The outbox by tenant; those that have no row in it are not named."""
        ...

    async def items_due(self, *, now: datetime) -> bool:
        """Whether the outbox holds anything that may be claimed."""
        ...

    async def state(self, *, now: datetime) -> OutboxState: ...

    async def unfinished(self, *, until: datetime) -> Sequence[Erasure]:
        """Erasures that are not over; where other processes are, what none was at since `until`."""
        ...

    async def full_text_sound(self) -> bool:
        """Whether full text is there, and not emptied behind our back."""
        ...

    async def embedded(self, keys: Sequence[ItemKey], *, model: str) -> int:
        """How many of `keys` have a stored vector of `model`."""
        ...

    async def sizes(self) -> Mapping[str, int]:
        """Bytes on disk, by part, where the database can tell."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Unbuilt:
    """
    Some of what full text lacks while it is built anew: messages with their chunks, or items.

    `after` and `until` are the keys of rows of `table` between which they are all; `left` are the
    keys that this batch and the later ones go through. `texts` are (content, name).
    """

    after: int
    until: int
    left: int
    texts: Mapping[ItemKey, tuple[str, str | None]]
    table: Table = Table.MESSAGE


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysed:
    """The terms of a message or chunk, and their bag."""

    terms: Sequence[str]
    bag: bytes


class Projections(KeyUses, DistilProjections, PeriodProjections, Protocol):
    """What the indexer needs of SQL, for every tenant."""

    async def claim(
        self, *, now: datetime, limit: int, lease: float, latest: bool = False
    ) -> Sequence[OutboxRow]:
        """Take due rows, oldest or `latest` first, for `lease` seconds; nobody else gets them."""
        ...

    async def release(self, *, now: datetime) -> None:
        """Make due what is claimed or put off, if this is the only process of the database."""
        ...

    async def give_back(self, rows: Sequence[OutboxRow], *, now: datetime) -> None:
        """Make claimed rows due again, as if nobody had had them."""
        ...

    async def keep_vectors(
        self,
        embedded: Mapping[ItemKey, Packed],
        *,
        model: str,
        dimension: int,
        now: datetime,
        in_context: Mapping[ItemKey, InContext] = NOT_IN_CONTEXT,
    ) -> None:
        """
        Store embeddings of items that still exist, some `in_context` besides; in a transaction
        behind `finish`. Where something else leads in by now, what is stored stays.
        """
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

    async def begin_full_text(self, version: str, *, sound: bool) -> bool:
        """
        Empty full text unless it is `sound` and has this version, or gets it.

        Its tables are made anew where it is not. Returns whether it is to be built.

        Args:
            sound: What `Observations.full_text_sound` said, in a transaction of its own: a broken
                table that was looked at lets nothing more be written in the same one.
        """
        ...

    async def unbuilt(self, *, limit: int) -> Unbuilt | None:
        """The next messages that full text lacks; None: it is complete."""
        ...

    async def build(self, unbuilt: Unbuilt, analysed: Mapping[ItemKey, Analysed]) -> None:
        """Put a batch into full text, with bags and counters, unless that has been done."""
        ...

    async def index_labels(self, version: str, *, limit: int) -> bool:
        """
        Index labels that are not indexed in this version, up to `limit`; whether there may be more.

        What is written with a conversation is indexed at once; this is for those of before.
        """
        ...

    async def count_accesses(self, several: Sequence[Access]) -> None:
        """Count that memory items were shown, by their own keys or those of their parts."""
        ...

    async def erase_expired(self, *, now: datetime, limit: int, new_id: NewId) -> int:
        """Erase up to `limit` memory items that have expired, of each tenant in one; how many."""
        ...

    async def know_model(
        self, name: str, *, dimension: int, opened_as: Mapping[str, object], now: datetime
    ) -> None:
        """Note how a model is opened."""
        ...

    async def serve_model(self, name: str) -> str | None:
        """Let the vectors of this model answer from now on; those of which did until now."""
        ...

    async def forget_models(self, *, but: Sequence[str], limit: int) -> bool:
        """Drop up to `limit` embeddings of models that are none of `but`; whether any was left."""
        ...

    async def keep_receipts(self, receipts: Sequence[Receipt]) -> None:
        """Store receipts of scopes that are there; wordless if anything was erased since."""
        ...

    async def keep_beats(self, several: Sequence[Beat]) -> None:
        """Add to what is kept of these minutes: cached answers are summed, of the rest the most."""
        ...

    async def forget_old(self, *, now: datetime, limit: int) -> bool:
        """Drop old receipts, metrics and keys, `limit` of each; whether there may be more."""
        ...

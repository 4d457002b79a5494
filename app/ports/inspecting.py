"""What a doctor asks of the store: facts about all tenants that must fit each other."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from app.domain.ids import ConversationKey, EntityKey, ItemKey, MessageKey, ScopeKey, TenantId
from app.ports import VectorPlace
from app.ports.stored import Erasure


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexed:
    """
    What full text holds, or what by the truth it should.

    `documents` are told by conversation, `postings` (pairs of a document and a distinct term) by
    scope.
    """

    documents: Mapping[ConversationKey, int]
    postings: Mapping[ScopeKey, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """By scope: documents in full text, and their terms."""

    documents: Mapping[ScopeKey, int]
    terms: Mapping[ScopeKey, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unlinked:
    """A message of which the graph has nothing."""

    tenant: TenantId
    scope: ScopeKey
    message: MessageKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A message as full text is to hold it."""

    key: ItemKey
    scope: ScopeKey
    content: str
    name: str | None


class Inspection(Protocol):
    """One moment of the store, of every tenant."""

    async def damage(self) -> Sequence[str]:
        """What the database itself finds wrong with its files."""
        ...

    async def broken_references(self) -> Sequence[str]:
        """Rows of the truth that point to rows that are not there."""
        ...

    async def orphans(self) -> Sequence[str]:
        """The same of what is derived: of each row its table and what it lacks."""
        ...

    async def miscounted(self) -> Sequence[ConversationKey]:
        """Conversations whose counters differ from their messages."""
        ...

    async def strays(self) -> Sequence[ItemKey]:
        """Messages, and items that a caller told, that lie in another scope than their chat."""
        ...

    async def astray(self) -> Sequence[ItemKey]:
        """Chunks, parts of items, and derived items that lie in another scope than their origin."""
        ...

    async def notes_astray(self) -> Sequence[ItemKey]:
        """Items that the outbox names under another scope, or another tenant, than their own."""
        ...

    async def mixed_entities(self) -> Sequence[EntityKey]:
        """Entities with a name, a mention or an edge that is of another scope."""
        ...

    async def misled(self) -> Sequence[ItemKey]:
        """Memory items, there or not, whose lineage leads nowhere or into another scope."""
        ...

    async def underived(self) -> Sequence[ItemKey]:
        """Derived memory items without a lineage."""
        ...

    async def chunks_missing(self) -> Sequence[ItemKey]:
        """Messages that have another number of chunks than they should."""
        ...

    async def full_text_is_being_built(self) -> bool: ...

    async def said(self, *, limit: int) -> Sequence[Said]:
        """At most so many of the messages that full text is to hold, spread over all of them."""
        ...

    async def lacking(
        self, terms: Mapping[ItemKey, tuple[ScopeKey, Sequence[str]]]
    ) -> Sequence[ItemKey]:
        """Those that full text does not find by all of their terms, in their scope."""
        ...

    async def labels_are_being_indexed(self) -> bool: ...

    async def mislabelled(self) -> Sequence[ConversationKey]:
        """Conversations of which the index of labels holds other terms than their labels have."""
        ...

    async def indexed(self) -> Indexed: ...

    async def to_be_indexed(self) -> Indexed: ...

    async def counters(self) -> Counters:
        """As they are stored."""
        ...

    async def counted(self) -> Counters:
        """As they should be; terms that a message repeats very often may be counted short."""
        ...

    async def miscounted_entities(self) -> Sequence[EntityKey]:
        """Entities that tell another number of mentions than there are."""
        ...

    async def misweighed_edges(self) -> Sequence[int]:
        """Edges that weigh something else than their evidence."""
        ...

    async def unlinked(self, *, limit: int) -> Sequence[Unlinked]:
        """Distilled messages that mention nothing, of each user the newest, at most so many."""
        ...

    async def orphaned_embeddings(self) -> Sequence[ItemKey]:
        """Embeddings of what is not there any more."""
        ...

    async def misshapen_embeddings(self) -> Sequence[ItemKey]:
        """Embeddings that do not have their model's dimension, alone or in context."""
        ...

    async def unnormal_embeddings(self) -> Sequence[ItemKey]:
        """Embeddings of that dimension that are not of length 1."""
        ...

    async def unembedded(self, keys: Sequence[ItemKey], *, model: str) -> Sequence[ItemKey]:
        """Those of `keys` that have no embedding of `model`."""
        ...

    async def wordless(
        self, keys: Sequence[ItemKey], *, model: str, dimension: int
    ) -> Sequence[ItemKey]:
        """Those of `keys` that are embedded without vectors of words, of this dimension."""
        ...

    async def out_of_context(self, keys: Sequence[ItemKey], *, model: str) -> Sequence[ItemKey]:
        """Those of `keys` that something leads in to, and that have none with it."""
        ...

    async def noted(self, keys: Sequence[ItemKey]) -> frozenset[ItemKey]:
        """Those of `keys` of which the outbox says that they may differ."""
        ...

    async def untried(self, keys: Sequence[ItemKey]) -> bool:
        """Whether the outbox has anything of `keys` that no worker has tried yet."""
        ...

    async def undistilled_of(self, conversations: Sequence[ConversationKey]) -> bool:
        """Whether any of these waits to be distilled for the first time since it was noted."""
        ...

    async def due(self, *, now: datetime) -> bool:
        """Whether the outbox has anything that a worker would take, or is at."""
        ...

    async def recallable(self, *, after: ItemKey, limit: int) -> Sequence[ItemKey]:
        """The keys of items that belong into the vector index, ascending, from behind `after`."""
        ...

    async def belonging(self, keys: Sequence[ItemKey]) -> frozenset[ItemKey]:
        """Those of `keys` that belong into the vector index."""
        ...

    async def places(self, keys: Sequence[ItemKey]) -> Sequence[VectorPlace]:
        """Where the vectors of those of `keys` lie that belong into the vector index."""
        ...

    async def unfinished(self, *, until: datetime) -> Sequence[Erasure]:
        """Erasures that are not over, and nobody is at."""
        ...


class Repairs(Protocol):
    """What can be put right without a backup."""

    async def recount(self, conversations: Sequence[ConversationKey]) -> None: ...

    async def settle_graph(self, *, after: EntityKey, limit: int) -> Sequence[EntityKey]:
        """Make some entities behind `after`, with the edges from them, add up; which."""
        ...

    async def bring_home(self, keys: Sequence[ItemKey]) -> None:
        """Put what is astray into the scope of its origin; indexes are to follow."""
        ...

    async def bring_notes_home(self, keys: Sequence[ItemKey]) -> None:
        """Put what the outbox says of these items under their own scope and tenant."""
        ...

    async def forget_entities(self, keys: Sequence[EntityKey]) -> None:
        """Drop these with their names, mentions and edges; linking makes them anew."""
        ...

    async def drop_false_lineage(self, keys: Sequence[ItemKey]) -> None:
        """Drop what of the lineage of these leads nowhere or into another scope."""
        ...

    async def derive_anew(self, keys: Sequence[ItemKey], *, now: datetime) -> None:
        """Erase those of these that have no lineage, and note that they are to be made anew."""
        ...

    async def drop_embeddings(self, keys: Sequence[ItemKey]) -> None: ...

    async def drop_orphans(self) -> None:
        """Drop what is derived and points to what is not there."""
        ...

    async def revive(self, *, now: datetime, tenant: TenantId | None = None) -> int:
        """Give what was given up, of one tenant or of all, another try; how many rows."""
        ...

    async def empty_full_text(self, version: str) -> None:
        """Begin to build full text anew, whatever it holds."""
        ...

    async def begin_labels(self) -> None:
        """Begin to index the labels anew; each is found as before until it is its turn."""
        ...


class Clinic(Protocol):
    """Where a doctor works. Each raises StoreUnavailable when the database does not answer."""

    def inspect(self) -> AbstractAsyncContextManager[Inspection]: ...

    def repair(self) -> AbstractAsyncContextManager[Repairs]: ...

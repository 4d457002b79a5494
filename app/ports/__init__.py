"""What the services need from the outside world, one small Protocol each."""

from collections.abc import AsyncIterator, Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol, Self
from uuid import UUID

from app.domain.chat import Keeping, Outcome
from app.domain.context import ContextBundle, ContextRequest, Source, Step
from app.domain.conversation import Role
from app.domain.difference import Difference
from app.domain.ids import ConversationKey, ItemKey, ScopeKey, TenantId
from app.domain.memory import OF_MESSAGES, ItemType
from app.ranking import Floats

Clock = Callable[[], datetime]
"""The time now, aware, in UTC."""

NewId = Callable[[], UUID]
"""A fresh UUIDv7."""


class TokenCounter(Protocol):
    """Counts tokens as the reader of a bundle would."""

    def count(self, text: str) -> int: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorPlace:
    """
    What a search can narrow a vector by.

    `created_at` is, of memory items of their own, when they begin to hold; `until` when they end.
    """

    key: ItemKey
    tenant: TenantId
    scope: ScopeKey
    conversation: ConversationKey | None
    role: Role | None
    type: ItemType
    created_at: datetime
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorPoint(VectorPlace):
    """A vector, and where it lies."""

    vector: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallFilter:
    """
    What a search may find.

    `scopes` is never empty in a search that finds something: no scope, no answer; the same goes for
    `conversations`, of which None means "any". For the rest None and empty mean "any". `after` is
    inclusive, `before` exclusive, `as_of` inclusive; all three compare with `created_at`, of memory
    items of their own with `valid_from`.

    `now` is given where there are such items: they must hold at `as_of`, else now. What was derived
    of a type of `untold` is not found.
    """

    scopes: Sequence[ScopeKey]
    conversations: frozenset[ConversationKey] | None = None
    without_conversations: frozenset[ConversationKey] = frozenset()
    roles: frozenset[Role] = frozenset()
    types: frozenset[ItemType] = frozenset()
    untold: frozenset[ItemType] = frozenset()
    after: datetime | None = None
    before: datetime | None = None
    as_of: datetime | None = None
    now: datetime | None = None

    def of_messages(self) -> bool:
        """Whether messages, or parts of messages, may be found."""
        return not self.types or not self.types.isdisjoint(OF_MESSAGES)

    def of_items(self) -> bool:
        """Whether memory items of their own may be found."""
        return self.now is not None and (not self.types or not self.types <= OF_MESSAGES)

    def of_periods(self) -> bool:
        """Whether what sums up a day, week, month or year may be found: of no conversation."""
        summaries = not self.types or ItemType.SUMMARY in self.types
        told = summaries and ItemType.SUMMARY not in self.untold and self.of_items()
        narrowed = self.roles or self.without_conversations or self.conversations is not None
        return told and not narrowed

    def of_facts(self) -> bool:
        """Whether facts may be found."""
        return self.of_items() and (not self.types or ItemType.FACT in self.types)

    @property
    def held_at(self) -> datetime | None:
        """When such items must hold."""
        return self.now and (self.as_of or self.now)

    def of_whole_messages(self) -> bool:
        """Whether messages may be found, not only parts of them."""
        return not self.types or ItemType.MESSAGE in self.types

    def has_chunks(self) -> bool:
        """Whether a part of a message may be found instead of it."""
        return not self.types or ItemType.CHUNK in self.types

    def anywhere(self) -> Self:
        """The same, in every conversation."""
        return replace(self, conversations=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of what may be found, of which at most `limit` are wanted."""

    within: RecallFilter
    limit: int


class Removable(Protocol):
    """Where vectors lie that can be taken out."""

    async def remove(self, keys: Sequence[ItemKey]) -> None: ...

    async def known(self, keys: Sequence[ItemKey]) -> frozenset[ItemKey]: ...


class VectorIndex(Protocol):
    """
    Nearest neighbours by cosine; a projection of SQL that can be lost and rebuilt.

    Every method raises VectorIndexUnavailable when the engine does not answer, however it fails.
    """

    async def upsert(self, points: Sequence[VectorPoint]) -> None:
        """Store `points`, replacing those already there under the same key."""
        ...

    async def remove(self, keys: Sequence[ItemKey]) -> None:
        """Forget `keys`; those not there are no error."""
        ...

    async def search(
        self, query: Floats, *, within: RecallFilter, limit: int
    ) -> Sequence[tuple[ItemKey, float]]:
        """The `limit` nearest to `query` with their cosine, best first, ties by key."""
        ...

    async def known(self, keys: Sequence[ItemKey]) -> frozenset[ItemKey]:
        """Those of `keys` that the index holds."""
        ...

    async def misplaced(self, places: Sequence[VectorPlace]) -> frozenset[ItemKey]:
        """Those that the index holds, but in another place than these say."""
        ...

    def keys(self) -> AsyncIterator[Sequence[ItemKey]]:
        """Every key that the index holds, in ascending batches."""
        ...

    async def count(self) -> int: ...

    async def flush(self) -> None:
        """Make what was stored durable, where the engine does not do so by itself."""
        ...

    async def intact(self) -> bool:
        """Whether what was opened is still there; if not, it must be opened anew."""
        ...


class Mendable(Protocol):
    """A part that can be missing or get lost while the service runs, and come back."""

    async def mend(self) -> bool:
        """
        Open what is missing or lost; whether that was so.

        Raises:
            ForewordError: It is still missing, or does not answer.
        """
        ...


class Telemetry(Protocol):
    """What is worth counting, in the words of the service. Never blocks, never raises."""

    def source_answered(self, source: Source, found: int) -> None: ...

    def source_missing(self, source: Source | Step, reason: str) -> None: ...

    def reranked(self, texts: int, seconds: float) -> None: ...

    def stage_done(self, stage: str, seconds: float) -> None: ...

    def bundle_built(
        self, *, items: int, tokens: int, budget: int, deduplicated: int, candidates: int
    ) -> None: ...

    def cache_asked(self, *, hit: bool) -> None: ...

    def batch_embedded(self, size: int, seconds: float) -> None: ...

    def indexed(self, items: int) -> None: ...

    def passed_through(self, outcome: Outcome) -> None: ...

    def exchange_ended(self, keeping: Keeping) -> None: ...

    def parts_seen(self, statuses: Mapping[str, str]) -> None: ...

    def outbox_seen(self, *, depth: int, oldest_age: float, dead: int) -> None: ...

    def distilled(self, messages: int, seconds: float) -> None: ...

    def distilling_seen(
        self, *, waiting: int, periods: int, oldest_age: float, dead: int
    ) -> None: ...


class AnswerCache(Protocol):
    """Answers by key, until they are old or pushed out."""

    @property
    def erasures(self) -> int:
        """How often anything was forgotten: what was begun before must not be put."""
        ...

    def get(self, key: Hashable) -> bytes | None: ...

    def put(
        self,
        key: Hashable,
        scopes: Collection[ScopeKey],
        answer: bytes,
        *,
        seconds: float | None = None,
    ) -> None:
        """Keep what was read of `scopes`; given `seconds`, for no longer."""
        ...

    def forget(self, scope: ScopeKey) -> int:
        """Drop what is held of a scope; how much that was."""
        ...


class Renderer(Protocol):
    """Makes of a bundle the answer that goes out."""

    def render(
        self, request: ContextRequest, bundle: ContextBundle, difference: Difference | None
    ) -> bytes: ...

    def from_cache(self, answer: bytes) -> bytes:
        """The same answer, telling that it was kept."""
        ...

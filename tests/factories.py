"""Values with every field filled in; a test names only those that it is about."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import numpy as np

from app.adapters.sql.database import open_database
from app.adapters.sql.migrate import upgrade
from app.adapters.sql.store import SqlStore
from app.domain.chat import Keeping, Outcome
from app.domain.context import (
    Candidate,
    ContextBundle,
    Degraded,
    Dropped,
    Intent,
    MemoryItem,
    Source,
    Step,
)
from app.domain.conversation import Message, NewMessage, Role
from app.domain.ids import (
    BundleId,
    ConversationId,
    ConversationKey,
    ItemId,
    MessageId,
    MessageKey,
    TenantId,
)
from app.domain.memory import ItemType, LineageEdge, Table, item_key
from app.domain.periods import Span
from app.ports.stored import PreparedMessage
from app.ranking import Floats
from app.ranking.bm25 import pack_terms
from app.ranking.pool import Gist, Recalled, pack_vector
from app.ranking.ranked import Ranked
from app.services.writing.prepare import content_hash
from app.text.terms import terms_of

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ACME = TenantId("acme")


def uuid_of(number: int) -> UUID:
    return UUID(int=number)


@dataclass
class Ids:
    """Ids in order, as reproducible as the tests that use them."""

    last: int = 0

    def __call__(self) -> UUID:
        self.last += 1
        return uuid_of(self.last)


@dataclass
class HandClock:
    """A clock that stands still until somebody moves it."""

    now: datetime = NOON

    def __call__(self) -> datetime:
        return self.now

    def forward(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@dataclass
class Counted:
    """Telemetry that can be asked what it was told."""

    answered: list[tuple[Source, int]] = field(default_factory=list)
    missing: list[tuple[Source | Step, str]] = field(default_factory=list)
    reread: list[tuple[int, float]] = field(default_factory=list)
    cache: list[bool] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    exchanges: list[Keeping] = field(default_factory=list)
    items_indexed: int = 0
    messages_distilled: int = 0
    distil_seconds: float = 0.0
    bundles: int = 0

    def source_answered(self, source: Source, found: int) -> None:
        self.answered.append((source, found))

    def source_missing(self, source: Source | Step, reason: str) -> None:
        self.missing.append((source, reason))

    def reranked(self, texts: int, seconds: float) -> None:
        self.reread.append((texts, seconds))

    def stage_done(self, stage: str, seconds: float) -> None: ...

    def bundle_built(self, **_: int) -> None:
        self.bundles += 1

    def cache_asked(self, *, hit: bool) -> None:
        self.cache.append(hit)

    def batch_embedded(self, size: int, seconds: float) -> None: ...

    def indexed(self, items: int) -> None:
        self.items_indexed += items

    def passed_through(self, outcome: Outcome) -> None:
        self.outcomes.append(outcome)

    def exchange_ended(self, keeping: Keeping) -> None:
        self.exchanges.append(keeping)

    def parts_seen(self, statuses: Mapping[str, str]) -> None: ...

    def outbox_seen(self, *, depth: int, oldest_age: float, dead: int) -> None: ...

    def distilled(self, messages: int, seconds: float) -> None:
        self.messages_distilled += messages
        self.distil_seconds += seconds

    def distilling_seen(
        self, *, waiting: int, periods: int, oldest_age: float, dead: int
    ) -> None: ...


def an_item(
    row: int = 1,
    content: str = "We picked PostgreSQL.",
    *,
    conversation: int | None = 1,
    external_id: str | None = None,
    label: str | None = None,
    role: Role | None = Role.USER,
    name: str | None = None,
    at: datetime = NOON,
    tokens: int = 5,
    importance: int = 5,
) -> MemoryItem:
    return MemoryItem(
        key=item_key(Table.MESSAGE, row),
        id=ItemId(uuid_of(row)),
        type=ItemType.MESSAGE,
        external_id=None,
        conversation_id=None if conversation is None else ConversationId(uuid_of(conversation)),
        conversation_external_id=external_id,
        label=label,
        folder=None,
        role=role,
        name=name,
        content=content,
        created_at=at,
        tokens=tokens,
        importance=importance,
        content_hash=content_hash(content, None),
        lineage=(LineageEdge(kind="message", id=str(uuid_of(row))),),
    )


def a_message(
    row: int = 1,
    content: str | None = "Hello.",
    *,
    role: Role = Role.USER,
    name: str | None = None,
    tool_calls: Sequence[Mapping[str, object]] | None = None,
    tool_call_id: str | None = None,
    tokens: int = 2,
) -> Message:
    return Message(
        key=MessageKey(row),
        id=MessageId(uuid_of(row)),
        conversation_id=ConversationId(uuid_of(1)),
        position=row,
        external_id=None,
        role=role,
        name=name,
        content=content,
        tool_calls=tool_calls,
        tool_call_id=tool_call_id,
        importance=None,
        metadata={},
        created_at=NOON,
        tokens=tokens,
    )


def a_chunk(row: int, message: MemoryItem, start: int, stop: int, *, tokens: int = 5) -> MemoryItem:
    """A chunk of `message`, as if it was found."""
    (edge,) = message.lineage
    return replace(
        message,
        key=item_key(Table.CHUNK, row),
        id=ItemId(uuid_of(1_000 + row)),
        type=ItemType.CHUNK,
        content=message.content[start:stop],
        content_hash=content_hash(message.content[start:stop], None),
        tokens=tokens,
        lineage=(replace(edge, start=start, stop=stop),),
    )


def _message_of(item: MemoryItem) -> MessageKey:
    """The rows of messages made here have their number as id."""
    return MessageKey(UUID(item.lineage[0].id).int)


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryItem(MemoryItem):
    """A summary, with what ranking knows of it and answers do not tell."""

    summed_up: Span | None = None

    @classmethod
    def of(
        cls, item: MemoryItem, cites: Sequence[int], summed_up: Span | None = None
    ) -> "SummaryItem":
        """`item` as one that was made from the messages of these rows."""
        told = {each.name: getattr(item, each.name) for each in fields(item)}
        edges = [LineageEdge(kind="message", id=str(uuid_of(each))) for each in cites]
        told |= {"type": ItemType.SUMMARY, "lineage": edges}
        return cls(**told, summed_up=summed_up)


def _gist_of(item: MemoryItem) -> Gist | None:
    if item.type is not ItemType.SUMMARY:
        return None
    cited = frozenset(MessageKey(UUID(each).int) for each in item.cited)
    return Gist(cited=cited, span=item.summed_up if isinstance(item, SummaryItem) else None)


def recalled(
    *items: MemoryItem,
    vectors: Mapping[int, Floats] | None = None,
    pieces: Mapping[int, int] | None = None,
) -> Recalled:
    """The items in columns; `vectors` by place, `pieces` of those places have so many chunks."""
    packed = {at: pack_vector(vector) for at, vector in (vectors or {}).items()}
    own_vectors = [packed.get(at) for at in range(len(items))]
    own_bags = [pack_terms(terms_of(each.content)) for each in items]
    return Recalled(
        keys=[each.key for each in items],
        created_at=[each.created_at.timestamp() for each in items],
        tokens=[each.tokens for each in items],
        importance=[each.importance for each in items],
        labels=[each.label for each in items],
        contents=[each.content for each in items],
        hashes=[each.content_hash for each in items],
        vectors=own_vectors,
        words=[None] * len(items),
        bags=own_bags,
        messages=[_message_of(each) for each in items],
        whole_vectors=own_vectors,
        context_vectors=own_vectors,
        whole_bags=own_bags,
        pieces=[(pieces or {}).get(at, 0) for at in range(len(items))],
        kinds=["prose" if each.type is ItemType.CHUNK else None for each in items],
        conversations=[ConversationKey(int(each.conversation_id or 0)) for each in items],
        positions=[_message_of(each) for each in items],
        roles=[each.role for each in items],
        names=[each.name for each in items],
        types=[each.type for each in items],
        shown_at=[None] * len(items),
        gists=[_gist_of(each) for each in items],
        subjects=[None] * len(items),
        read=items.__getitem__,
    )


def ranked(
    *items: MemoryItem,
    pinned: frozenset[int] = frozenset(),
    pieces: Mapping[int, int] | None = None,
    worth: Mapping[str, float] | None = None,
    vectors: Mapping[int, Floats] | None = None,
) -> Ranked:
    """The items, best first, as if ranking had said so; those at the places `pinned` are."""
    scores = np.linspace(0.9, 0.1, len(items), dtype=np.float32)
    sources = {
        each.key: frozenset({Source.PINNED if at in pinned else Source.LEXICAL})
        for at, each in enumerate(items)
    }
    return Ranked(
        recalled=recalled(*items, pieces=pieces, vectors=vectors),
        sources=sources,
        score=scores,
        relevance=scores,
        signals={"relevance": scores},
        order=range(len(items)),
        dropped=(),
        deduplicated=0,
        sufficient=bool(items),
        worth=worth or {},
    )


def a_candidate(item: MemoryItem, score: float = 0.5) -> Candidate:
    return Candidate(
        item=item,
        score=score,
        relevance=score,
        sources=frozenset({Source.LEXICAL}),
        signals={"relevance": score},
    )


def a_bundle(
    number: int = 1,
    retrieved: Sequence[Candidate] = (),
    *,
    query: str = "Which database?",
    budget: int = 1_000,
    history: Sequence[Message] = (),
    text: str | None = None,
    degraded: Sequence[Degraded] = (),
    dropped: Sequence[Dropped] = (),
) -> ContextBundle:
    return ContextBundle(
        id=BundleId(uuid_of(number)),
        query=query,
        intent=Intent.RECALL,
        recent_history=history,
        retrieved=retrieved,
        text=text,
        messages=None,
        total_tokens=sum(each.item.tokens for each in retrieved),
        budget_tokens=budget,
        candidates=len(retrieved),
        deduplicated=0,
        sufficient=bool(retrieved),
        degraded=degraded,
        dropped=dropped,
        timings={"total": 0.25},
        created_at=NOON,
    )


def prepared(new: NewMessage, number: int = 1) -> PreparedMessage:
    """As the service prepares it, but for its id, which is `number`."""
    content = new.content or ""
    return PreparedMessage(
        message=a_message(number, new.content, role=new.role, name=new.name),
        content_hash=content_hash(new.content, new.tool_calls),
        terms=terms_of(content),
        bag=pack_terms(terms_of(content)),
    )


@asynccontextmanager
async def a_store(directory: Path) -> AsyncIterator[SqlStore]:
    """The real store, empty, on SQLite."""
    database = open_database(f"sqlite+aiosqlite:///{directory / 'foreword.db'}", durable=False)
    try:
        await upgrade(database.writer)
        yield SqlStore(database)
    finally:
        await database.dispose()

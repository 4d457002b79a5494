"""What is asked for a turn, and what is answered: the context bundle."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Self

from app.domain.conversation import Message, Role
from app.domain.entities import RelatedEntity
from app.domain.ids import BundleId, ConversationId, ItemId, ItemKey, MessageId
from app.domain.memory import ItemType, LineageEdge
from app.domain.profile import ShownProfile

DEFAULT_BUDGET = 4_000
"""Tokens of a bundle where nobody says anything else."""


class Source(StrEnum):
    """What found an item."""

    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    LEXICAL = "lexical"
    RELATIONAL = "relational"
    PINNED = "pinned"
    PROFILE = "profile"


class Step(StrEnum):
    """What is done with all that was found, and may fail by itself."""

    RERANK = "rerank"


class Intent(StrEnum):
    """What kind of question a query is."""

    CODE = "code"
    TEMPORAL = "temporal"
    RELATION = "relation"
    RECALL = "recall"
    OPEN = "open"


class Format(StrEnum):
    """How a bundle is handed over."""

    JSON = "json"
    MARKDOWN = "markdown"
    MESSAGES = "messages"


class HistoryStrategy(StrEnum):
    """How the running conversation goes into the bundle."""

    SIMPLE = "simple"
    SUMMARIZATION = "summarization"
    HYBRID = "hybrid"


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The shares of a final score; they sum to 1."""

    relevance: float = 0.5
    recency: float = 0.3
    importance: float = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What may be recalled at all. Empty and None mean "any"; times are `created_at`."""

    folder: str | None = None
    labels: Sequence[str] = ()
    tags: Sequence[str] = ()
    roles: Sequence[Role] = ()
    types: Sequence[ItemType] = ()
    after: datetime | None = None
    before: datetime | None = None
    conversation_ids: Sequence[ConversationId] = ()
    exclude_conversation_ids: Sequence[ConversationId] = ()
    exclude_terms: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryOptions:
    """How much of the running conversation goes in, in messages and as a share of the budget."""

    strategy: HistoryStrategy = HistoryStrategy.HYBRID
    max_messages: int = 10
    max_share: float = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextRequest:
    """One question to memory. Sizes in tokens, `deadline` in seconds."""

    query: str
    user_id: str | None = None
    conversation_id: ConversationId | None = None
    conversation_external_id: str | None = None
    may_begin: bool = False
    """Whether a conversation that is told by name need not be there yet."""
    budget_tokens: int = DEFAULT_BUDGET
    budget_named: bool = True
    """Whether the caller said so; if not, the tenant may say something else."""
    max_items: int = 20
    min_score: float | None = None
    as_of: datetime | None = None
    utc_offset: timedelta = timedelta()
    """Of who asks: their days begin with it."""
    deadline: float | None = None
    format: Format = Format.JSON
    explain: bool = False
    group_by_conversation: bool = False
    history: HistoryOptions = field(default_factory=HistoryOptions)
    weights: Weights = field(default_factory=Weights)
    preferred_labels: Sequence[str] = ()
    filters: Filters = field(default_factory=Filters)
    since: BundleId | None = None
    looks_up: bool = False  # for what is stored, not for what answers: a question finds itself
    shown: tuple[str, ...] = ()
    """Texts that the reader has before them anyway: what they hold is not in the bundle."""
    in_full: str | None = None
    """What was asked, where `query` is a part of it or what was made of it."""
    follows_up: bool = False
    """Whether `query` is a question and the one that it leans on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryItem:
    """A recallable thing with what an answer shows of it. Tokens were counted at write."""

    key: ItemKey
    id: ItemId
    type: ItemType
    external_id: str | None
    conversation_id: ConversationId | None
    conversation_external_id: str | None
    label: str | None
    folder: str | None
    role: Role | None
    name: str | None
    content: str
    created_at: datetime
    tokens: int
    importance: int
    content_hash: bytes
    lineage: Sequence[LineageEdge]
    lines: tuple[int, ...] | None = None
    """The lines that are shown of a summary, counted from 0, where others are left out."""

    @property
    def cited(self) -> frozenset[str]:
        """The ids of the messages that it is, or was derived from."""
        return frozenset(each.id for each in self.lineage if each.kind == "message")

    @property
    def source(self) -> str | None:
        """What a caller named as its source, or where a tool found it."""
        return next((each.id for each in self.lineage if each.kind == "source"), None)

    @property
    def span(self) -> tuple[int, int] | None:
        """Where a chunk lies in its message; None for what is whole."""
        edge = self.lineage[0] if self.lineage else None
        if edge is None or edge.start is None or edge.stop is None:
            return None
        return edge.start, edge.stop


def part_of(item: MemoryItem, start: int, stop: int) -> MemoryItem:
    """The part of a chunk from `start` to `stop` of its message, without blanks at its ends."""
    edge, *others = _with_own_edge(item)
    offset = edge.start or 0
    behind = item.content[start - offset : stop - offset]
    start += len(behind) - len(behind.lstrip())
    content = behind.strip()
    told = replace(edge, start=start, stop=start + len(content))
    return replace(item, content=content, lineage=(told, *others))


def with_lines(item: MemoryItem, lines: Sequence[int]) -> MemoryItem:
    """An item with these of its lines only."""
    every = item.content.split("\n")
    kept = tuple(at for at in lines if at < len(every))
    return replace(item, content="\n".join(every[at] for at in kept), lines=kept)


def _with_own_edge(item: MemoryItem) -> Sequence[LineageEdge]:
    """The lineage, first of which is what the offsets of a part are told of."""
    if item.span is not None or item.type in _OF_WHICH_PARTS_ARE:
        return item.lineage
    return (LineageEdge(kind="memory", id=str(item.id)), *item.lineage)


_OF_WHICH_PARTS_ARE = {ItemType.MESSAGE, ItemType.CHUNK, ItemType.DOCUMENT}
"""The lineage of these tells what they are, or are a part of; others are told of by themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A memory item found for one query, with its score (0 to 1, preferred labels to 1.5)."""

    item: MemoryItem
    score: float
    relevance: float
    sources: frozenset[Source]
    signals: Mapping[str, float]
    erased: bool = False
    """In a replay: the item is gone, and what is left are its id, type and score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Degraded:
    """A source that did not answer, or a step that was left out, and why."""

    source: Source | Step
    reason: str

    @classmethod
    def of(cls, source: str, reason: str) -> Self:
        """The inverse of its two texts."""
        known: set[str] = set(Step)
        return cls(source=Step(source) if source in known else Source(source), reason=reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A candidate that is not in the bundle, and why."""

    id: ItemId
    type: ItemType
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextBundle:
    """
    What an agent should read before its next turn. `timings` in seconds by stage, `starts` in
    seconds after the beginning; receipts of before have none.
    """

    id: BundleId
    query: str
    intent: Intent
    recent_history: Sequence[Message]
    retrieved: Sequence[Candidate]
    text: str | None
    messages: Sequence[Mapping[str, object]] | None
    total_tokens: int
    budget_tokens: int
    candidates: int
    deduplicated: int
    sufficient: bool
    degraded: Sequence[Degraded]
    dropped: Sequence[Dropped]
    timings: Mapping[str, float]
    created_at: datetime
    profile: ShownProfile | None = None
    related: Sequence[RelatedEntity] = ()
    starts: Mapping[str, float] = field(default_factory=dict)
    rolling: frozenset[ItemKey] = frozenset()
    """What sums up the running conversation: it is rendered before all others."""
    grouped: bool = False
    explained: bool = False
    """Of a replay: whether its signals were asked for."""
    """Whether the items are told by conversation, too."""
    leans_on: MessageId | None = None
    """What was said before the query and looked for with it, where it is understood only so."""
    respelled: Mapping[str, str] = field(default_factory=dict)
    """What was looked for instead of words that are misspelt, folded."""

    @property
    def queried(self) -> bool:
        """Whether the query is the last of the messages: it is not if it is over the budget."""
        return self.messages is not None and any(
            each["content"] == self.query for each in self.messages[-1:]
        )

    @property
    def budget_used(self) -> float:
        return self.total_tokens / self.budget_tokens if self.budget_tokens else 0.0

    @property
    def conversations_included(self) -> int:
        return len({each.item.conversation_id for each in self.retrieved} - {None})

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from typing import Any, Literal, Self
from uuid import UUID

from pydantic import Field, FiniteFloat, model_validator

from app.api.schemas.conversations import MessageOut
from app.api.schemas.fields import Answer, Body, Label, Moment, Name, Text
from app.domain.context import (
    Candidate,
    ContextBundle,
    ContextRequest,
    Difference,
    Filters,
    Format,
    HistoryOptions,
    HistoryStrategy,
    Intent,
    Source,
    Weights,
)
from app.domain.conversation import Role
from app.domain.ids import BundleId, ConversationId
from app.domain.memory import ItemType

MAX_QUERY = 200_000
"""Characters."""

Share = Field(default=0.5, ge=0.0, le=1.0, description="Of the budget.")


class HistoryIn(Body):
    strategy: HistoryStrategy = HistoryStrategy.HYBRID
    max_messages: int = Field(default=10, ge=0, le=1_000)
    max_share: float = Share

    def to_options(self) -> HistoryOptions:
        return HistoryOptions(
            strategy=self.strategy, max_messages=self.max_messages, max_share=self.max_share
        )


class WeightsIn(Body):
    relevance: FiniteFloat = Field(default=0.5, ge=0.0)
    recency: FiniteFloat = Field(default=0.3, ge=0.0)
    importance: FiniteFloat = Field(default=0.2, ge=0.0)

    @model_validator(mode="after")
    def _weigh_something(self) -> Self:
        largest = max(self.relevance, self.recency, self.importance)
        if largest == 0.0:
            raise ValueError("at least one weight must be above zero")
        return self

    def to_weights(self) -> Weights:
        """Scaled to sum 1, by the largest first: the sum of huge weights would overflow."""
        largest = max(self.relevance, self.recency, self.importance)
        parts = [each / largest for each in (self.relevance, self.recency, self.importance)]
        relevance, recency, importance = (part / sum(parts) for part in parts)
        return Weights(relevance=relevance, recency=recency, importance=importance)


class FiltersIn(Body):
    folder: Label | None = None
    labels: list[Label] = Field(default_factory=list, max_length=100)
    tags: list[Name] = Field(default_factory=list, max_length=100)
    roles: list[Role] = Field(default_factory=list)
    types: list[ItemType] = Field(default_factory=list)
    after: Moment | None = Field(default=None, description="Inclusive.")
    before: Moment | None = Field(default=None, description="Exclusive.")
    conversation_ids: list[UUID] = Field(default_factory=list, max_length=1_000)
    exclude_conversation_ids: list[UUID] = Field(default_factory=list, max_length=1_000)
    exclude_terms: list[Name] = Field(default_factory=list, max_length=100)

    def to_filters(self) -> Filters:
        return Filters(
            folder=self.folder,
            labels=tuple(self.labels),
            tags=tuple(self.tags),
            roles=tuple(self.roles),
            types=tuple(self.types),
            after=self.after,
            before=self.before,
            conversation_ids=tuple(map(ConversationId, self.conversation_ids)),
            exclude_conversation_ids=tuple(map(ConversationId, self.exclude_conversation_ids)),
            exclude_terms=tuple(self.exclude_terms),
        )


class SearchIn(Body):
    """What a search needs: a context request without what concerns its layout."""

    query: Text = Field(min_length=1, max_length=MAX_QUERY)
    user_id: Name | None = None
    conversation_id: UUID | None = None
    conversation_external_id: Name | None = None
    max_items: int = Field(default=20, ge=1, le=500)
    min_score: FiniteFloat | None = None
    as_of: Moment | None = None
    deadline_ms: int | None = Field(default=None, ge=1, le=60_000)
    explain: bool = False
    weights: WeightsIn = Field(default_factory=WeightsIn)
    preferred_labels: list[Label] = Field(default_factory=list, max_length=100)
    filters: FiltersIn = Field(default_factory=FiltersIn)

    @model_validator(mode="after")
    def _one_conversation(self) -> Self:
        if self.conversation_id is not None and self.conversation_external_id is not None:
            raise ValueError("give conversation_id or conversation_external_id, not both")
        return self

    def to_request(self) -> ContextRequest:
        return ContextRequest(
            query=self.query,
            user_id=self.user_id,
            conversation_id=None
            if self.conversation_id is None
            else ConversationId(self.conversation_id),
            conversation_external_id=self.conversation_external_id,
            max_items=self.max_items,
            min_score=self.min_score,
            as_of=self.as_of,
            deadline=self.deadline_ms and self.deadline_ms / 1_000,
            explain=self.explain,
            # A search answers without history, so the end of the conversation may be found.
            history=HistoryOptions(max_messages=0),
            weights=self.weights.to_weights(),
            preferred_labels=tuple(self.preferred_labels),
            filters=self.filters.to_filters(),
        )


class ContextIn(SearchIn):
    budget_tokens: int = Field(default=4_000, ge=1, le=10_000_000)
    format: Format = Format.JSON
    group_by: Literal["conversation"] | None = None
    history: HistoryIn = Field(default_factory=HistoryIn)
    since: UUID | None = None

    def to_request(self) -> ContextRequest:
        return replace(
            super().to_request(),
            budget_tokens=self.budget_tokens,
            format=self.format,
            group_by_conversation=self.group_by is not None,
            history=self.history.to_options(),
            since=None if self.since is None else BundleId(self.since),
        )


def _is_none(value: object) -> bool:
    return value is None


class LineageOut(Answer):
    kind: str
    id: str
    external_id: str | None
    start: int | None = Field(
        default=None, description="Of a chunk, in code points.", exclude_if=_is_none
    )
    stop: int | None = Field(
        default=None, description="Of a chunk, exclusive.", exclude_if=_is_none
    )


class MemoryOut(Answer):
    id: UUID
    type: ItemType
    external_id: str | None
    conversation_id: UUID | None
    conversation_external_id: str | None
    label: str | None
    folder: str | None
    role: Role | None
    name: str | None
    content: str
    created_at: datetime
    tokens: int
    score: float
    sources: list[Source]
    signals: dict[str, float] | None
    lineage: list[LineageOut]
    erased: bool = Field(default=False, description="In a replay: forgotten since.")

    @classmethod
    def of(cls, candidate: Candidate, *, explain: bool) -> Self:
        item = candidate.item
        return cls(
            id=item.id,
            type=item.type,
            external_id=item.external_id,
            conversation_id=item.conversation_id,
            conversation_external_id=item.conversation_external_id,
            label=item.label,
            folder=item.folder,
            role=item.role,
            name=item.name,
            content=item.content,
            created_at=item.created_at,
            tokens=item.tokens,
            score=_rounded(candidate.score),
            sources=sorted(candidate.sources),
            signals=_all_rounded(candidate.signals) if explain else None,
            lineage=[
                LineageOut(
                    kind=each.kind,
                    id=each.id,
                    external_id=each.external_id,
                    start=each.start,
                    stop=each.stop,
                )
                for each in item.lineage
            ],
            erased=candidate.erased,
        )


class GroupOut(Answer):
    conversation_id: UUID | None
    conversation_external_id: str | None
    label: str | None
    folder: str | None
    score: float = Field(description="The best of its items.")
    items: list[MemoryOut]


class DegradedOut(Answer):
    source: Source
    reason: str


class DroppedOut(Answer):
    id: UUID
    reason: str


class MetadataOut(Answer):
    total_tokens: int
    budget_tokens: int
    budget_used: float
    conversations_included: int
    candidates: int
    deduplicated: int
    cache_hit: bool
    sufficient: bool
    degraded: list[DegradedOut]
    timings_ms: dict[str, float]
    dropped: list[DroppedOut]


class DifferenceOut(Answer):
    bundle_id: UUID
    added: list[UUID]
    removed: list[UUID]


class BundleOut(Answer):
    bundle_id: UUID
    query: str
    intent: Intent
    recent_history: list[MessageOut]
    retrieved_memories: list[MemoryOut]
    conversations: list[GroupOut] | None = None
    related_entities: list[dict[str, Any]]
    user_profile: dict[str, Any] | None
    text: str | None
    messages: list[dict[str, Any]] | None
    since: DifferenceOut | None = None
    metadata: MetadataOut

    @classmethod
    def of(
        cls,
        bundle: ContextBundle,
        *,
        request: ContextRequest | None,
        cache_hit: bool,
        difference: Difference | None = None,
    ) -> Self:
        """The answer to `request`; a replay, which has none, shows all that is known."""
        explain = request is None or request.explain
        memories = [MemoryOut.of(each, explain=explain) for each in bundle.retrieved]
        grouped = request is not None and request.group_by_conversation
        return cls(
            bundle_id=bundle.id,
            query=bundle.query,
            intent=bundle.intent,
            recent_history=[MessageOut.of(each) for each in bundle.recent_history],
            retrieved_memories=memories,
            conversations=_groups(memories) if grouped else None,
            related_entities=[],
            user_profile=None,
            text=bundle.text,
            messages=[dict(each) for each in bundle.messages] if bundle.messages else None,
            since=None if difference is None else _difference(difference),
            metadata=_metadata(bundle, explain=explain, cache_hit=cache_hit),
        )


def _metadata(bundle: ContextBundle, *, explain: bool, cache_hit: bool) -> MetadataOut:
    dropped = bundle.dropped if explain else ()
    return MetadataOut(
        total_tokens=bundle.total_tokens,
        budget_tokens=bundle.budget_tokens,
        budget_used=_rounded(bundle.budget_used),
        conversations_included=bundle.conversations_included,
        candidates=bundle.candidates,
        deduplicated=bundle.deduplicated,
        cache_hit=cache_hit,
        sufficient=bundle.sufficient,
        degraded=[DegradedOut(source=each.source, reason=each.reason) for each in bundle.degraded],
        timings_ms={stage: round(s * 1_000, 3) for stage, s in bundle.timings.items()},
        dropped=[DroppedOut(id=each.id, reason=each.reason) for each in dropped],
    )


def _groups(memories: list[MemoryOut]) -> list[GroupOut]:
    """Conversations by their best item; inside each, items best first."""
    first: dict[UUID | None, int] = {}
    for at, memory in enumerate(memories):
        first.setdefault(memory.conversation_id, at)
    ordered = sorted(memories, key=lambda memory: first[memory.conversation_id])
    return [
        GroupOut(
            conversation_id=(best := (items := list(group))[0]).conversation_id,
            conversation_external_id=best.conversation_external_id,
            label=best.label,
            folder=best.folder,
            score=best.score,
            items=items,
        )
        for _, group in groupby(ordered, key=lambda memory: memory.conversation_id)
    ]


def _difference(difference: Difference) -> DifferenceOut:
    return DifferenceOut(
        bundle_id=difference.since, added=list(difference.added), removed=list(difference.removed)
    )


def _rounded(value: float) -> float:
    return round(value, 6)


def _all_rounded(values: Mapping[str, float]) -> dict[str, float]:
    return {name: _rounded(value) for name, value in values.items()}


class SearchOut(Answer):
    query: str
    intent: Intent
    results: list[MemoryOut]
    degraded: list[DegradedOut]
    timings_ms: dict[str, float]
    sufficient: bool

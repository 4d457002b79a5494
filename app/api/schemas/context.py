"""What is asked: the bodies of POST /context and POST /search."""

from dataclasses import replace
from datetime import UTC, timedelta
from typing import Annotated, Literal, Self, TypeVar
from uuid import UUID

from pydantic import Field, StrictBool, model_validator

from app.api.limits import AtMost
from app.api.schemas.fields import (
    Body,
    Budget,
    Label,
    LocalMoment,
    Moment,
    Name,
    Real,
    Text,
    UserId,
    Whole,
)
from app.domain.context import (
    DEFAULT_BUDGET,
    ContextRequest,
    Filters,
    Format,
    HistoryOptions,
    HistoryStrategy,
    Weights,
)
from app.domain.conversation import Role
from app.domain.ids import BundleId, ConversationId
from app.domain.memory import ItemType

T = TypeVar("T")
Several = Annotated[list[T], AtMost("list_items")]
Ids = Annotated[list[UUID], AtMost("filter_ids")]
Question = Annotated[Text, Field(min_length=1), AtMost("query_chars")]

Share = Field(default=0.5, ge=0.0, le=1.0, description="Of the budget.")


class HistoryIn(Body):
    strategy: HistoryStrategy = HistoryStrategy.HYBRID
    max_messages: Whole = Field(default=10, ge=0, le=1_000)
    max_share: Real = Share

    def to_options(self) -> HistoryOptions:
        return HistoryOptions(
            strategy=self.strategy, max_messages=self.max_messages, max_share=self.max_share
        )


class WeightsIn(Body):
    relevance: Real = Field(default=0.5, ge=0.0)
    recency: Real = Field(default=0.3, ge=0.0)
    importance: Real = Field(default=0.2, ge=0.0)

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
    labels: Several[Label] = Field(default_factory=list)
    tags: Several[Name] = Field(default_factory=list)
    roles: Several[Role] = Field(default_factory=list)
    types: Several[ItemType] = Field(default_factory=list)
    after: Moment | None = Field(default=None, description="Inclusive, by when it was said.")
    before: Moment | None = Field(default=None, description="Exclusive, by when it was said.")
    conversation_ids: Ids = Field(default_factory=list)
    exclude_conversation_ids: Ids = Field(default_factory=list)
    exclude_terms: Several[Name] = Field(default_factory=list)

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

    query: Question
    user_id: UserId | None = None
    conversation_id: UUID | None = None
    conversation_external_id: Name | None = None
    max_items: Whole = Field(default=20, ge=1, le=500)
    min_score: Real | None = None
    as_of: LocalMoment | None = Field(
        default=None, description='In its offset "yesterday" and other times are understood.'
    )
    deadline_ms: Whole | None = Field(
        default=None,
        ge=1,
        le=60_000,
        description="A source that takes longer is left out and named in `degraded`; a reranker "
        "has what is left of it. What is read of SQL in any case comes on top.",
    )
    explain: StrictBool = False
    weights: WeightsIn = Field(default_factory=WeightsIn)
    preferred_labels: Several[Label] = Field(default_factory=list)
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
            as_of=self.as_of and self.as_of.astimezone(UTC),
            utc_offset=(self.as_of and self.as_of.utcoffset()) or timedelta(),
            deadline=self.deadline_ms and self.deadline_ms / 1_000,
            explain=self.explain,
            # A search answers without history, so the end of the conversation may be found.
            history=HistoryOptions(max_messages=0),
            weights=self.weights.to_weights(),
            preferred_labels=tuple(self.preferred_labels),
            filters=self.filters.to_filters(),
        )


class ContextIn(SearchIn):
    budget_tokens: Budget | None = Field(
        default=None, description="None: what the flag `token_budget` says, 4,000 by default."
    )
    format: Format = Format.JSON
    group_by: Literal["conversation"] | None = None
    history: HistoryIn = Field(default_factory=HistoryIn)
    since: UUID | None = None

    def to_request(self) -> ContextRequest:
        return replace(
            super().to_request(),
            budget_tokens=DEFAULT_BUDGET if self.budget_tokens is None else self.budget_tokens,
            budget_named=self.budget_tokens is not None,
            format=self.format,
            group_by_conversation=self.group_by is not None,
            history=self.history.to_options(),
            since=None if self.since is None else BundleId(self.since),
        )

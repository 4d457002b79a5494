"""Memory items of their own, as they are told, listed and changed."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import Field, model_validator

from app.api.limits import AtMost
from app.api.schemas.conversations import PageQuery
from app.api.schemas.fields import Answer, Body, Importance, Metadata, Moment, Text, UserId
from app.api.schemas.recalled import LineageOut
from app.domain.conversation import DEFAULT_IMPORTANCE
from app.domain.ids import ConversationId, ItemId
from app.domain.memories import ItemView, Memory, MemoryChanges, MemoryFilter, NewMemory
from app.domain.memory import ItemType
from app.services.memories.keep import KeptMemories

Told = Literal["fact", "tool", "procedure", "document"]
"""What a caller may tell; the other types are derived."""

Kept = Literal["summary", "fact", "tool", "procedure", "entity", "profile", "document"]

Content = Annotated[Text, Field(min_length=1, pattern=r"\S"), AtMost("message_chars")]
Source = Annotated[Text, Field(min_length=1, max_length=10_000)]


class MemoryIn(Body):
    type: Told
    content: Content
    user_id: UserId | None = Field(
        default=None, description="Whose it is; a document is every user's, whatever this says."
    )
    conversation_id: UUID | None = None
    importance: Importance = DEFAULT_IMPORTANCE
    source: Source | None = Field(
        default=None, description="Of a document its name: the same again is its next version."
    )
    valid_from: Moment | None = Field(default=None, description="Inclusive; absent: now.")
    valid_to: Moment | None = Field(default=None, description="Exclusive; absent: open.")
    expires_at: Moment | None = Field(default=None, description="From then on it is gone.")
    metadata: Metadata = Field(
        default_factory=dict,
        description="Of a fact, subject, attribute and value may tell what supersedes what.",
    )

    @model_validator(mode="after")
    def _documents_are_everybodys(self) -> Self:
        if self.type == "document" and self.conversation_id is not None:
            raise ValueError("a document belongs to no conversation")
        return self

    @model_validator(mode="after")
    def _holds_at_all(self) -> Self:
        if self.valid_from and self.valid_to and self.valid_to <= self.valid_from:
            raise ValueError("valid_to must be later than valid_from")
        return self

    def to_memory(self) -> NewMemory:
        inside = self.conversation_id
        return NewMemory(
            type=ItemType(self.type),
            content=self.content,
            user_id=self.user_id,
            conversation_id=None if inside is None else ConversationId(inside),
            importance=self.importance,
            source=self.source,
            metadata=self.metadata,
            valid_from=self.valid_from,
            valid_to=self.valid_to,
            expires_at=self.expires_at,
        )


class KeptOut(Answer):
    id: UUID
    type: Kept
    tokens: int
    parts: int = Field(description="Of a document that is too long to be found as one.")
    superseded: list[UUID] = Field(description="What ended where this begins.")
    known: bool = Field(description="Whether the same was stored already, under this id.")
    indexed: bool = Field(description="Whether every index holds it already.")

    @classmethod
    def of(cls, kept: KeptMemories, *, indexed: bool) -> Self:
        """The answer to a request of one item."""
        (memory,) = kept.memories
        return cls.model_validate(
            {name: getattr(memory, name) for name in cls.model_fields if name != "indexed"}
            | {"type": memory.type.value, "indexed": indexed}
        )


class SummaryIn(Body):
    """Nothing has to be said about a summary."""


class MemoryPatch(Body):
    content: Content = ""
    source: Source | None = None
    importance: Importance = DEFAULT_IMPORTANCE
    metadata: Metadata = Field(default_factory=dict)
    valid_from: Moment | None = Field(default=None, description="Null: when it was stored.")
    valid_to: Moment | None = None
    expires_at: Moment | None = None

    def to_changes(self) -> MemoryChanges:
        return MemoryChanges(
            given=frozenset(self.model_fields_set),
            content=self.content,
            source=self.source,
            importance=self.importance,
            metadata=self.metadata,
            valid_from=self.valid_from,
            valid_to=self.valid_to,
            expires_at=self.expires_at,
        )


class MemoryQuery(PageQuery):
    user_id: UserId | None = None
    type: Kept | None = None
    conversation_id: UUID | None = None
    as_of: Moment | None = Field(default=None, description="What held then.")
    include_superseded: bool = Field(default=False, description="Also what does not hold.")

    def to_filter(self, now: datetime) -> MemoryFilter:
        at = self.as_of or (None if self.include_superseded else now)
        inside = self.conversation_id
        return MemoryFilter(
            now=now,
            at=at,
            user_id=self.user_id,
            type=self.type and ItemType(self.type),
            conversation_id=None if inside is None else ConversationId(inside),
        )


class MemoryItemOut(Answer):
    id: UUID
    type: ItemType
    user_id: str | None
    conversation_id: UUID | None
    document_id: UUID | None = Field(description="Of a part: the document that it is of.")
    parts: int
    content: str
    source: str | None
    importance: int
    metadata: dict[str, Any]
    tokens: int
    created_at: datetime
    updated_at: datetime
    valid_from: datetime
    valid_to: datetime | None
    expires_at: datetime | None
    superseded_by: UUID | None
    superseded: list[UUID] = Field(description="What ended where this begins, the latest first.")
    last_accessed_at: datetime | None
    access_count: int

    @classmethod
    def of(cls, memory: Memory | ItemView, superseded: Sequence[ItemId]) -> Self:
        told = {"document_id": memory.parent, "superseded": superseded}
        fields = {name: getattr(memory, name) for name in cls.model_fields if name not in told}
        return cls.model_validate(fields | told)


class MemoryPage(Answer):
    items: list[MemoryItemOut]
    next_cursor: str | None


class LineagePage(Answer):
    items: list[LineageOut]
    next_cursor: str | None

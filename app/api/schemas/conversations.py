from datetime import datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import AfterValidator, Field, StrictBool, model_validator

from app.api.limits import AtMost, within_metadata_bytes
from app.api.schemas.fields import (
    Answer,
    Body,
    Importance,
    JsonObject,
    Label,
    Metadata,
    Moment,
    Name,
    Text,
    UserId,
)
from app.domain.conversation import (
    DEFAULT_IMPORTANCE,
    Conversation,
    ConversationChanges,
    ConversationFilter,
    Message,
    NewConversation,
    NewMessage,
    Role,
)
from app.services.erasing.erasure import Forgotten
from app.services.writing.ingest import Stored

Tags = Annotated[list[Name], AtMost("list_items")]
ToolCalls = Annotated[list[JsonObject], AfterValidator(within_metadata_bytes), AtMost("list_items")]


class MessageIn(Body):
    role: Role
    content: Annotated[Text, AtMost("message_chars")] | None
    external_id: Name | None = None
    name: Name | None = None
    created_at: Moment | None = None
    tool_calls: ToolCalls | None = None
    tool_call_id: Name | None = None
    importance: Importance | None = None
    metadata: Metadata = Field(default_factory=dict)

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.content is None and not self.tool_calls:
            raise ValueError("content may be null only where tool_calls has a call")
        return self

    def to_message(self) -> NewMessage:
        return NewMessage(
            role=self.role,
            content=self.content,
            external_id=self.external_id,
            name=self.name,
            created_at=self.created_at,
            tool_calls=self.tool_calls,
            tool_call_id=self.tool_call_id,
            importance=self.importance,
            metadata=self.metadata,
        )


class MessagesIn(Body):
    messages: Annotated[list[MessageIn], AtMost("messages")] = Field(min_length=1)


class ConversationIn(Body):
    messages: Annotated[list[MessageIn], AtMost("messages")] = Field(default_factory=list)
    external_id: Name | None = None
    user_id: UserId | None = None
    label: Label | None = None
    folder: Label | None = None
    importance: Importance = DEFAULT_IMPORTANCE
    tags: Tags = Field(default_factory=list)
    metadata: Metadata = Field(default_factory=dict)
    system_prompt: Annotated[Text, AtMost("message_chars")] | None = None
    created_at: Moment | None = None

    def to_conversation(self) -> NewConversation:
        return NewConversation(
            user_id=self.user_id,
            external_id=self.external_id,
            label=self.label,
            folder=self.folder,
            importance=self.importance,
            tags=self.tags,
            metadata=self.metadata,
            system_prompt=self.system_prompt,
            created_at=self.created_at,
            messages=[each.to_message() for each in self.messages],
        )


class StoredOut(Answer):
    id: UUID
    external_id: str | None
    message_ids: list[UUID]
    message_count: int = Field(description="Messages in the conversation now.")
    token_count: int = Field(description="Tokens in the conversation now.")
    indexed: bool = Field(description="Whether every index holds the messages already.")
    duplicates: int = Field(description="Messages of this request that were there already.")
    differing_ids: list[UUID] = Field(
        description="Of those, which are stored with another content; it stays."
    )

    @classmethod
    def of(cls, stored: Stored, *, indexed: bool) -> Self:
        return cls(
            id=stored.conversation_id,
            external_id=stored.external_id,
            message_ids=list(stored.message_ids),
            message_count=stored.message_count,
            token_count=stored.token_count,
            indexed=indexed,
            duplicates=stored.duplicates,
            differing_ids=list(stored.differing),
        )


class ConversationPatch(Body):
    label: Label | None = None
    folder: Label | None = None
    importance: Importance = DEFAULT_IMPORTANCE
    tags: Tags = Field(default_factory=list)
    metadata: Metadata = Field(default_factory=dict)
    archived: StrictBool = False

    def to_changes(self) -> ConversationChanges:
        return ConversationChanges(
            given=frozenset(self.model_fields_set),
            label=self.label,
            folder=self.folder,
            importance=self.importance,
            tags=self.tags,
            metadata=self.metadata,
            archived=self.archived,
        )


class ConversationOut(Answer):
    id: UUID
    external_id: str | None
    user_id: str | None
    label: str | None
    folder: str | None
    importance: int
    tags: list[str]
    metadata: dict[str, Any]
    system_prompt: str | None
    archived: bool
    created_at: datetime
    updated_at: datetime
    last_message_at: datetime | None = Field(description="When the last message was said.")
    message_count: int
    token_count: int

    @classmethod
    def of(cls, conversation: Conversation) -> Self:
        return cls(**{name: getattr(conversation, name) for name in cls.model_fields})


class PageQuery(Body):
    limit: int = Field(default=50, ge=1, le=500)
    cursor: str | None = Field(default=None, max_length=500)


_BEGUN = (
    ", by the `created_at` of the conversation: as it was given, else when it was stored. The times"
    " of its messages do not count; those are what the filters of /context go by."
)


class ConversationQuery(PageQuery):
    user_id: UserId | None = None
    folder: Label | None = None
    label: Label | None = None
    tag: Name | None = None
    q: Label | None = Field(default=None, description="In label, folder or external id.")
    after: Moment | None = Field(default=None, description=f"From then on{_BEGUN}")
    before: Moment | None = Field(default=None, description=f"Before that{_BEGUN}")

    def to_filter(self) -> ConversationFilter:
        return ConversationFilter(
            user_id=self.user_id,
            folder=self.folder,
            label=self.label,
            tag=self.tag,
            text=self.q,
            after=self.after,
            before=self.before,
        )


class MessageQuery(PageQuery):
    order: Literal["asc", "desc"] = "asc"


class ConversationPage(Answer):
    items: list[ConversationOut]
    next_cursor: str | None


class RatingOut(Answer):
    kind: str = Field(description="decision, commitment, correction, preference, number, …")
    importance: int = Field(description="1 to 9, beside what the caller gave.")
    topics: list[str]


class MessageOut(Answer):
    id: UUID
    external_id: str | None
    conversation_id: UUID
    role: Role
    name: str | None
    content: str | None
    tool_calls: list[dict[str, Any]] | None
    tool_call_id: str | None
    importance: int | None
    metadata: dict[str, Any]
    created_at: datetime
    tokens: int
    echo: list[tuple[int, int]] = Field(
        description="Where the content repeats a bundle of ours, from and to, in code points; "
        "that is kept, but not recalled."
    )
    rating: RatingOut | None = Field(description="By rules, of what users and assistants say.")
    aside: bool = Field(
        description="Of a branch that was left before an import: kept and found, not gone on with."
    )

    @classmethod
    def of(cls, message: Message) -> Self:
        return cls.model_validate(message, from_attributes=True)


class MessagePage(Answer):
    items: list[MessageOut]
    next_cursor: str | None


class ErasedOut(Answer):
    messages: int
    chunks: int
    vectors: int
    embeddings: int
    full_text: int
    memory_items: int
    edges: int
    profiles: int
    profile_entries: int = Field(description="Of profiles: what was derived from facts.")
    consents: int
    bundles: int = Field(description="That lost their query, or went whole with their user.")
    cache_entries: int


class ErasureOut(Answer):
    erasure_id: str
    erased: ErasedOut
    rebuilt: dict[str, int]
    remaining: int = Field(
        description="What a search of every index still found, and what `unasked` may hold: 0."
    )
    unasked: list[str] = Field(
        description="Who did not answer that search: `vectors`, which show nothing of it, and are "
        "rid of it once they answer; `replica`, which may show it until it has followed."
    )

    @classmethod
    def of(cls, forgotten: Forgotten) -> Self:
        erased = forgotten.erased
        return cls(
            erasure_id=forgotten.erasure_id,
            erased=ErasedOut(
                messages=erased.messages,
                chunks=erased.chunks,
                vectors=forgotten.vectors,
                embeddings=erased.embeddings,
                full_text=erased.full_text,
                memory_items=erased.memory_items,
                edges=erased.edges,
                profiles=erased.profiles,
                profile_entries=erased.profile_entries,
                consents=erased.consents,
                bundles=erased.bundles,
                cache_entries=forgotten.cache_entries,
            ),
            rebuilt={"summaries": forgotten.summaries},
            remaining=forgotten.remaining,
            unasked=sorted(forgotten.left.unasked),
        )

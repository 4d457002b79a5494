"""What is told and answered: JSON, of which the types name the fields most used."""

from typing import Any, Generic, NotRequired, TypedDict, TypeVar

T = TypeVar("T")
Json = dict[str, Any]


class Message(TypedDict):
    role: str
    content: str | None
    name: NotRequired[str | None]
    external_id: NotRequired[str | None]
    created_at: NotRequired[str | None]


class Stored(TypedDict):
    id: str
    external_id: str | None
    message_ids: list[str]
    message_count: int
    token_count: int
    indexed: bool
    duplicates: int
    differing_ids: list[str]


class Conversation(TypedDict):
    id: str
    external_id: str | None
    user_id: str | None
    label: str | None
    folder: str | None
    message_count: int
    created_at: str
    last_message_at: str | None


class Memory(TypedDict):
    id: str
    type: str
    content: str
    score: float
    sources: list[str]
    signals: dict[str, float]
    created_at: str


class Bundle(TypedDict):
    bundle_id: str
    recent_history: list[Json]
    retrieved_memories: list[Memory]
    text: str | None
    messages: list[Json] | None
    metadata: Json


class Receipt(TypedDict):
    erasure_id: str
    erased: dict[str, int]
    remaining: int
    unasked: list[str]


class Imported(TypedDict):
    conversations: int
    messages: int
    duplicates: int
    rejected: list[dict[str, str]]
    memories: NotRequired[int]
    differing: NotRequired[int]
    users: NotRequired[int]


class Page(TypedDict, Generic[T]):
    items: list[T]
    next_cursor: str | None


class Item(TypedDict):
    """A memory item of its own: a fact, a summary, a document."""

    id: str
    type: str
    content: str
    user_id: str | None
    conversation_id: str | None
    valid_from: str
    valid_to: str | None
    superseded: list[str]
    superseded_by: str | None


class Entity(TypedDict):
    id: str
    type: str
    name: str
    mentions: int


class User(TypedDict):
    user_id: str
    created_at: str
    last_message_at: str | None


class Consent(TypedDict):
    user_id: str
    purposes: dict[str, bool]
    grants: dict[str, Json]
    has_profile: bool
    erasure: Receipt | None


class Profile(TypedDict):
    preferences: Json
    context: Json
    notes: str


class Job(TypedDict):
    id: str
    kind: str
    status: str
    progress: dict[str, int]
    facts: Json
    error: str | None

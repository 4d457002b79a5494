"""What was said, by whom, in which order. Immutable once stored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from app.domain.ids import ConversationId, ConversationKey, MessageId, MessageKey, ScopeKey
from app.domain.storable import same_json

PINNED = 10
"""The importance that puts an item into every bundle first."""

DEFAULT_IMPORTANCE = 5

KEPT = 8
"""From this importance on a message stays in the history of its conversation while it goes on."""


class Role(StrEnum):
    """Who speaks."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


_USERS = """
    user human prompter customer client visitor guest caller consumer requester end_user
"""
_ASSISTANTS = """
    assistant ai bot model chatbot chat_bot llm gpt chatgpt claude gemini copilot bing bard
    agent operator support representative rep advisor function_call tool_call
    ai_assistant virtual_assistant ai_agent virtual_agent human_agent live_agent support_agent
    service_agent customer_support customer_service
"""
_SYSTEMS = "system developer"
_TOOLS = "tool function observation function_response tool_response tool_result ipython"

_ROLES: Mapping[str, Role] = {
    **dict.fromkeys(_USERS.split(), Role.USER),
    **dict.fromkeys(_ASSISTANTS.split(), Role.ASSISTANT),
    **dict.fromkeys(_SYSTEMS.split(), Role.SYSTEM),
    **dict.fromkeys(_TOOLS.split(), Role.TOOL),
}
"""
What who speaks is called, here and elsewhere, with "_" between words: no names of persons. Who
serves is the assistant, be it a person.
"""


def role_called(word: str) -> Role | None:
    """The role that is called so, in whichever case: "Support Agent", `support-agent`."""
    return _ROLES.get("_".join(word.lower().replace("-", " ").replace("_", " ").split()))


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """Somebody of whom anything was ever stored, and not erased."""

    user_id: str
    created_at: datetime
    """When the first of it was."""
    last_message_at: datetime | None
    """When the last message was said; None: no message is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """A user's memory. `version` rises with everything that can change an answer about it."""

    key: ScopeKey
    user_id: str | None
    version: int
    messages: int
    """Documents in full text, for BM25: messages, or their chunks where they have some."""
    terms: int
    """Terms in full text, for BM25's average document length."""
    has_pinned: bool = False
    """Whether anything of importance 10 is stored."""
    profile_until: datetime | None = None
    """When the consent to use the user's profile ends; None: there is no consent or no profile."""
    derived_until: datetime | None = None
    """When the consent that facts add to it ends; None: there is none."""
    flags_version: int = 0
    """Of the tenant's flags."""
    has_items: bool = False
    """Whether there are memory items of their own."""
    has_chunks: bool = False
    """Whether messages are so long that parts of them are found by themselves."""
    changes_at: datetime | None = None
    """When, by the clock alone, other memory items will hold, as far as that was asked."""
    has_entities: bool = False
    """Whether anything is known that messages speak of."""
    has_labels: bool = False
    """Whether conversations are found by words of their labels."""
    shared: bool = False
    """Whether these are the tenant's documents, which every user reads."""
    documents_version: int = 0
    """Of the documents that are counted here too; 0 for none."""

    def with_documents(self, documents: "Scope") -> "Scope":
        """What this user reads: the own memory together with what is shared."""
        changes = [each for each in (self.changes_at, documents.changes_at) if each]
        return replace(
            self,
            changes_at=min(changes, default=None),
            documents_version=documents.version,
            messages=self.messages + documents.messages,
            terms=self.terms + documents.terms,
            has_pinned=self.has_pinned or documents.has_pinned,
            has_items=self.has_items or documents.has_items,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """
    A message as a caller hands it in. `created_at` of None means now.

    `id`, `echo`, `unwanted` and `aside` are known of one that comes from another store of ours.
    """

    role: Role
    content: str | None
    external_id: str | None = None
    name: str | None = None
    created_at: datetime | None = None
    tool_calls: Sequence[Mapping[str, object]] | None = None
    tool_call_id: str | None = None
    importance: int | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)
    id: MessageId | None = None
    echo: Sequence[tuple[int, int]] = ()
    unwanted: frozenset[str] = frozenset()
    aside: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NewConversation:
    """
    A conversation as a caller hands it in; `id` as that of a message.

    `updated_at` is when another store of ours was last written to; None: that is done now.
    """

    user_id: str | None = None
    external_id: str | None = None
    label: str | None = None
    folder: str | None = None
    importance: int = DEFAULT_IMPORTANCE
    tags: Sequence[str] = ()
    metadata: Mapping[str, object] = field(default_factory=dict)
    system_prompt: str | None = None
    created_at: datetime | None = None
    messages: Sequence[NewMessage] = ()
    id: ConversationId | None = None
    archived: bool = False
    updated_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """
    Of a tree of messages, by external ids, those on the way that is current, and all others.

    They have nothing in common; what is in neither is of no tree, or of another one.
    """

    current: frozenset[str]
    left: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """
    A conversation as stored, without its messages.

    `updated_at` comes back with an import; `written_at` is when somebody last wrote to it here.
    `last_message_at` is the latest moment of its messages, in whatever order they came.
    """

    key: ConversationKey
    id: ConversationId
    scope: ScopeKey
    user_id: str | None
    external_id: str | None
    label: str | None
    folder: str | None
    importance: int
    tags: Sequence[str]
    metadata: Mapping[str, object]
    system_prompt: str | None
    archived: bool
    created_at: datetime
    updated_at: datetime
    written_at: datetime
    message_count: int
    token_count: int
    last_message_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """What rules make of a message: its kind, importance from 1 to 9, and topic words."""

    kind: str
    importance: int
    topics: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message as stored. `tokens` were counted at write; `position` counts from 0."""

    key: MessageKey
    id: MessageId
    conversation_id: ConversationId
    position: int
    external_id: str | None
    role: Role
    name: str | None
    content: str | None
    tool_calls: Sequence[Mapping[str, object]] | None
    tool_call_id: str | None
    importance: int | None
    metadata: Mapping[str, object]
    created_at: datetime
    tokens: int
    echo: Sequence[tuple[int, int]] = ()
    """Where `content` repeats a bundle of ours: content[start:stop], in no index."""
    unwanted: frozenset[str] = frozenset()
    """What somebody deleted of all that was derived from it, which is not to be derived again."""
    rating: Rating | None = None
    """None of what neither a user nor an assistant says."""
    aside: bool = False
    """Of a branch that was left: asked or answered anew, and no part of how it goes on."""

    @property
    def is_kept(self) -> bool:
        """Whether it stays in the history, however much was said since."""
        rated = self.rating.importance if self.rating else 0
        important = rated if self.importance is None else self.importance
        return self.role is Role.SYSTEM or important >= KEPT


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationChanges:
    """What a PATCH sets; a field that is not in `given` stays as it is."""

    given: frozenset[str]
    label: str | None = None
    folder: str | None = None
    importance: int = DEFAULT_IMPORTANCE
    tags: Sequence[str] = ()
    metadata: Mapping[str, object] = field(default_factory=dict)
    archived: bool = False

    def alter(self, conversation: Conversation) -> bool:
        """Whether anything would be other than it is. A tag that is given twice is one."""
        wanted = {name: getattr(self, name) for name in self.given}
        if "tags" in wanted:
            wanted["tags"] = list(dict.fromkeys(self.tags))
        return not same_json({name: getattr(conversation, name) for name in wanted}, wanted)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationFilter:
    """Which conversations a list shows. None and empty mean "any"; times are `created_at`."""

    user_id: str | None = None
    folder: str | None = None
    label: str | None = None
    tag: str | None = None
    text: str | None = None
    after: datetime | None = None
    before: datetime | None = None

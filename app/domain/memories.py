"""Memory items of their own: what was told or derived, from when to when it holds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from app.domain.conversation import DEFAULT_IMPORTANCE
from app.domain.ids import ConversationId, ItemId, ItemKey, MessageId, ScopeKey
from app.domain.memory import ItemType
from app.domain.storable import same_json


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMemory:
    """
    An item as it is handed in: told by a caller, or derived from messages by a worker.

    About one `subject` (with the type, of one user) at most one item holds at a time: what is
    stored under it later supersedes what began to hold earlier, and the same content again is the
    same item, with more lineage. Whoever may store an item twice gives it one.

    `valid_from` of None means now. A document is every user's of the tenant; its `source` is its
    subject. `id` and `created_at` are known of one that comes from another store of ours.
    """

    type: ItemType
    content: str
    user_id: str | None = None
    conversation_id: ConversationId | None = None
    subject: str | None = None
    importance: int = DEFAULT_IMPORTANCE
    source: str | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    expires_at: datetime | None = None
    derived_from: Sequence[MessageId] = ()
    supersedes: Sequence[ItemId] = ()
    """Items of the same user that end where this one begins, whatever they are about."""
    derived: bool = False
    """Made of messages by a worker, who may make it anew, or take it away."""
    id: ItemId | None = None
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """
    An item as stored; it holds in [valid_from, valid_to), until it expires.

    `valid_to` is `ends_at`, which is what was told, or when what superseded it began, if that is
    earlier. `parent` is the document that a part is of; `parts` counts those of a document.
    """

    key: ItemKey
    id: ItemId
    scope: ScopeKey
    type: ItemType
    user_id: str | None
    conversation_id: ConversationId | None
    parent: ItemId | None
    parts: int
    subject: str | None
    content: str
    source: str | None
    importance: int
    metadata: Mapping[str, object]
    tokens: int
    content_hash: bytes
    created_at: datetime
    updated_at: datetime
    valid_from: datetime
    ends_at: datetime | None
    valid_to: datetime | None
    expires_at: datetime | None
    superseded_by: ItemId | None
    last_accessed_at: datetime | None
    access_count: int
    derived: bool
    """Made of messages by a worker, and changed by nobody."""

    def is_over(self, at: datetime, *, now: datetime) -> bool:
        """Whether it held no longer `at` a moment, or has expired by `now`."""
        ended = self.valid_to is not None and self.valid_to <= at
        return ended or (self.expires_at is not None and self.expires_at <= now)


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemView:
    """
    An entity or a profile, told as an item: it has no row among them, and is not changed as one.

    The fields are those of an item; `created_at` is since when it is known.
    """

    id: ItemId
    type: ItemType
    user_id: str | None
    content: str
    metadata: Mapping[str, object]
    tokens: int
    created_at: datetime
    updated_at: datetime
    conversation_id: None = None
    parent: None = None
    parts: int = 0
    source: None = None
    importance: int = DEFAULT_IMPORTANCE
    valid_to: None = None
    expires_at: None = None
    superseded_by: None = None
    last_accessed_at: None = None
    access_count: int = 0

    @property
    def valid_from(self) -> datetime:
        return self.created_at


_PROFILE = UUID("70726f66-696c-8000-8000-000000000000").int
"""Version 8: no id of ours begins so; the low 62 bits are the key of the user's scope."""

_SCOPES = 2**62


def profile_id(scope: ScopeKey) -> ItemId:
    """What a user's profile is called among items; the inverse of `scope_of_profile`."""
    return ItemId(UUID(int=_PROFILE | scope))


def scope_of_profile(item_id: ItemId) -> ScopeKey | None:
    """Whose profile is called so; None for what is no such id."""
    scope = item_id.int ^ _PROFILE
    return ScopeKey(scope) if scope < _SCOPES else None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryChanges:
    """What a PATCH sets; a field that is not in `given` stays as it is."""

    given: frozenset[str]
    content: str = ""
    subject: str | None = None
    source: str | None = None
    importance: int = DEFAULT_IMPORTANCE
    metadata: Mapping[str, object] = field(default_factory=dict)
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    expires_at: datetime | None = None
    derived: bool = False

    def alter(self, memory: Memory) -> bool:
        """Whether anything would be other than it is. What was derived is told from now on."""
        wanted = {name: getattr(self, name) for name in self.given}
        if wanted.get("valid_from", memory.valid_from) is None:
            wanted["valid_from"] = memory.created_at
        own_name = {"valid_to": "ends_at"}
        held = {name: getattr(memory, own_name.get(name, name)) for name in wanted}
        return bool(wanted) and (memory.derived or not same_json(held, wanted))


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFilter:
    """
    Which items a list shows: those of a user and the tenant's documents, as they hold at `at`.

    `at` of None shows also what does not hold; what expired before `now` is never shown.
    """

    now: datetime
    at: datetime | None
    user_id: str | None = None
    type: ItemType | None = None
    conversation_id: ConversationId | None = None

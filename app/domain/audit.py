"""The audit log: who did what to what, and when. Never a word of content."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from uuid import UUID

from app.domain.ids import KeyId, TenantId


class Action(StrEnum):
    """What is done to memory, consent, keys and the service; of reads, backups and exports."""

    CONVERSATION_STORED = "conversation.stored"
    CONVERSATION_CHANGED = "conversation.changed"
    CONVERSATION_ERASED = "conversation.erased"
    CONVERSATION_PRUNED = "conversation.pruned"
    MESSAGES_APPENDED = "messages.appended"
    MESSAGE_ERASED = "message.erased"
    MEMORY_STORED = "memory.stored"
    MEMORY_CHANGED = "memory.changed"
    MEMORY_ERASED = "memory.erased"
    MEMORY_EXPIRED = "memory.expired"
    USER_ERASED = "user.erased"
    ERASURE_ENDED = "erasure.ended"
    CONSENT_CHANGED = "consent.changed"
    CONSENT_REVOKED = "consent.revoked"
    PROFILE_CHANGED = "profile.changed"
    PROFILE_ERASED = "profile.erased"
    FLAGS_CHANGED = "flags.changed"
    KEY_CREATED = "key.created"
    KEY_REVOKED = "key.revoked"
    MEMORY_EXPORTED = "memory.exported"
    BACKUP_WRITTEN = "backup.written"
    BACKUP_RESTORED = "backup.restored"
    INDEX_REBUILT = "index.rebuilt"
    STORE_REPAIRED = "store.repaired"
    DEAD_LETTERS_RETRIED = "dead_letters.retried"


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """On whose account: `key` (which one), `anyone here`, `command` or `service`."""

    kind: str
    key: KeyId | None = None


COMMAND = Actor(kind="command")
"""An operator at the command line."""

SERVICE = Actor(kind="service")
"""The service itself, behind the requests."""

ANYONE = Actor(kind="anyone here")
"""Whoever asks from this machine while no key exists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """What was done to what; `facts` are counts and names of fields."""

    action: Action
    subject: str
    facts: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A line of the log."""

    key: int
    at: datetime
    actor: Actor
    deed: Deed


THE_SERVICE = "service"
"""The subject of what is done to no one thing."""


def subject(kind: str, identity: UUID) -> str:
    return f"{kind}:{identity}"


def user_subject(tenant: TenantId, user_id: str | None) -> str:
    """
    A user as the log names one: by a hash.

    Whoever knows the user id finds what was done to it; the log itself does not keep it when the
    user is erased.
    """
    named = sha256(f"{tenant}\0{user_id or ''}".encode()).hexdigest()
    return f"user:{named[:32]}"

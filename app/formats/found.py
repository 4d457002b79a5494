"""What is found in an export."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from app.domain.conversation import NewConversation, NewMessage, Way
from app.domain.ids import MessageId
from app.domain.memories import NewMemory
from app.domain.profile import Consent, Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What an export may hold, in bytes, characters, entries of a list and values of a record."""

    unpacked_bytes: int
    record_bytes: int
    message_chars: int
    list_items: int
    metadata_bytes: int
    json_values: int


@dataclass(frozen=True, slots=True)
class Rejected:
    """A place in an export, and why it could not be read."""

    at: str
    reason: str


BROKEN = "what was said before cannot be found: what it answers is not there"
"""Why a tree of messages is read from a place on and not from its beginning."""


@dataclass(frozen=True, slots=True)
class Grown:
    """
    All of a list of messages that tells no conversation, and what it was when it was shorter.

    `names` are what each of its beginnings was called when that was all there was; `messages` all
    that it says, each with an external id.
    """

    names: frozenset[str]
    messages: Sequence[NewMessage]


@dataclass(frozen=True, slots=True)
class Said:
    """A conversation, or some of its messages; `rejected` are those that could not be read."""

    at: str
    conversation: NewConversation
    rejected: Sequence[Rejected] = ()
    grown: Grown | None = None
    way: Way | None = None
    """Of a tree of messages: which of it is current."""


def way_of(current: Iterable[str | None], left: Iterable[str | None]) -> Way:
    """Of the external ids of a tree; what is on the way is not beside it."""
    on_it = frozenset(each for each in current if each is not None)
    return Way(current=on_it, left=frozenset(each for each in left if each is not None) - on_it)


@dataclass(frozen=True, slots=True)
class Told:
    """
    A memory item; `reworded` are messages that say it in other words.

    `says` tells one that brings no id from others: a digest of all that it says.
    """

    at: str
    memory: NewMemory
    reworded: Sequence[MessageId] = ()
    says: str | None = None


@dataclass(frozen=True, slots=True)
class Agreed:
    """What a user agreed to, and the profile."""

    at: str
    user_id: str
    consent: Consent
    profile: Profile | None


@dataclass(frozen=True, slots=True)
class Ended:
    """That a memory item ended where another one began."""

    at: str
    user_id: str | None
    item: UUID
    by: UUID


Found = Said | Told | Agreed | Ended | Rejected

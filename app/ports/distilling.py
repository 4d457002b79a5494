"""What distilling needs of the store: which conversations wait for it, and how far it is."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol
from uuid import UUID

from app.domain.conversation import Conversation, Message
from app.domain.ids import (
    ConversationId,
    ConversationKey,
    ItemKey,
    MessageId,
    MessageKey,
    TenantId,
)
from app.domain.memories import Memory
from app.domain.memory import ItemType


@dataclass(frozen=True, slots=True, kw_only=True)
class DueConversation:
    """
    A note that something was said, or unsaid, in a conversation since it was distilled.

    Messages up to the key `until` are distilled; `revision` is that of the note when it was read.
    `anew_at`: since then all of it is gone through once more. `leased_until`: so long nobody else
    takes it.
    """

    id: UUID
    tenant: TenantId
    conversation: ConversationKey
    until: MessageKey
    revision: int
    attempts: int
    anew_at: datetime | None = None
    leased_until: datetime | None = field(default=None, compare=False)

    def is_over(self, now: datetime) -> bool:
        """Whether others may have taken it meanwhile."""
        return self.leased_until is not None and self.leased_until <= now


@dataclass(frozen=True, slots=True, kw_only=True)
class Undistilled:
    """
    The next messages of a conversation, in order; whether there are `more` to come.

    What was left out and is to be tried again comes before the others, by itself.
    """

    conversation: Conversation
    messages: Sequence[Message]
    more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DistillingState:
    """
    Conversations that wait, and periods that are over and do; seconds that the oldest of them all
    waits, and how many of both were given up.
    """

    waiting: int
    oldest_age: float
    dead: int
    periods: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenUp:
    """
    A conversation of which something is left out until it is tried again, and why.

    `messages` were left out; without any, it is what is made of all of them.
    """

    id: UUID
    conversation_id: ConversationId
    noted_at: datetime
    attempts: int
    error: str
    messages: Sequence[MessageId] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryTail:
    """
    The rolling summary of a conversation, and what was said since by users and assistants.

    `before` tells up to the message `after`; `quoted` are the messages that it was made of.
    `wanted`: one was erased, and is to be made anew. `anew`: the next one tells all of it from the
    beginning, in the place of `before`.
    """

    before: Memory | None
    after: MessageKey
    quoted: Sequence[Message]
    assistants: int
    messages: int
    tokens: int
    wanted: bool
    anew: bool = False


class DistilObservations(Protocol):
    async def conversation(self, tenant: TenantId, key: ConversationKey) -> Conversation | None: ...

    async def summary_tail(
        self, tenant: TenantId, conversation: Conversation, *, subject: str, anew: bool = False
    ) -> SummaryTail:
        """How far the summary is; `anew`: from the beginning, unless somebody changed it."""
        ...

    async def said_after(
        self,
        tenant: TenantId,
        conversation: Conversation,
        after: MessageKey,
        *,
        limit: int,
        tokens: int,
    ) -> Sequence[Message]:
        """The next messages behind `after`, in order; at most so many, or one of more `tokens`."""
        ...

    async def said_before(
        self, tenant: TenantId, conversation: Conversation, before: MessageKey, *, limit: int
    ) -> Sequence[Message]:
        """The last messages before `before`, in order."""
        ...

    async def vectors_of(
        self, messages: Sequence[MessageKey], *, model: str
    ) -> Mapping[MessageKey, bytes]:
        """The vectors of messages that are stored, of `model`, float16, little endian."""
        ...

    async def notes_due(self, *, now: datetime) -> bool:
        """Whether there is a note, of a conversation or a period, that may be claimed."""
        ...

    async def undistilled(
        self, due: DueConversation, *, messages: int, tokens: int
    ) -> Undistilled | None:
        """
        What is to be distilled next: at most so many messages, or one of more `tokens`.

        None: the conversation is gone, or archived.
        """
        ...

    async def distilled(self, *, after: ConversationKey, limit: int) -> Sequence[DueConversation]:
        """Conversations of which something is, by their keys from behind `after`, due or not."""
        ...

    async def distilling(self, *, now: datetime, tenant: TenantId | None = None) -> DistillingState:
        """How far it is with the conversations of one tenant, or of all."""
        ...


class DistilProjections(Protocol):
    async def claim_conversations(
        self, *, now: datetime, limit: int, lease: float
    ) -> Sequence[DueConversation]:
        """Take due conversations for `lease` seconds; no other worker gets them meanwhile."""
        ...

    async def release_conversations(self) -> None:
        """Let go what is claimed, if this is the only process of the database."""
        ...

    async def leave_conversations(
        self,
        several: Sequence[DueConversation],
        *,
        due_at: datetime,
        error: str | None = None,
        dead: bool = False,
    ) -> None:
        """
        Let others take these from `due_at` on; an `error` counts as an attempt of theirs.

        What was claimed again since, or is done, stays as it is.
        """
        ...

    async def distil_anew(
        self, *, after: ConversationKey, limit: int, now: datetime
    ) -> Sequence[ConversationKey]:
        """Have the next conversations behind `after` distilled from their first message on."""
        ...


class DistilReader(Protocol):
    async def given_up(self) -> Sequence[GivenUp]:
        """The tenant's conversations with what was given up, newest first, at most 100."""
        ...


class DistilWriter(Protocol):
    async def hold(self, due: DueConversation, found: Undistilled) -> None:
        """
        Take the conversation for this transaction, which is to write what was distilled of it.

        Raises:
            Overtaken: It changed since it was read: messages are gone, or others distilled them.
            ConversationNotFound: It was deleted meanwhile.
        """
        ...

    async def take(self, conversation: ConversationKey, messages: Sequence[Message]) -> None:
        """
        The same, of what is distilled already.

        Raises:
            Overtaken: Messages are gone.
            ConversationNotFound: It was deleted meanwhile.
        """
        ...

    async def leave_out(
        self, due: DueConversation, found: Undistilled, without: Mapping[MessageKey, str]
    ) -> None:
        """Note that of these messages all were distilled but some, each with the reason."""
        ...

    async def advance(
        self, due: DueConversation, found: Undistilled, *, now: datetime, error: str | None = None
    ) -> None:
        """
        Note that these messages are done with; what was noted since stays due.

        Given an `error`, or where messages are left out, the conversation is given up at the end.
        """
        ...

    async def rest(self, due: DueConversation) -> None:
        """Note that nothing is to be done until the next note."""
        ...

    async def outdated(
        self, conversation: ConversationKey, kinds: Collection[ItemType], *, since: datetime
    ) -> Sequence[Memory]:
        """What was derived from messages of a conversation, and not found there again since."""
        ...

    async def unsay(
        self,
        conversation: ConversationKey,
        several: Sequence[ItemKey],
        *,
        since: datetime,
        now: datetime,
    ) -> None:
        """
        Take from the lineage of items what was not found again; erase those that nothing says.

        Other conversations that say one of them in other words are distilled once more.
        """
        ...

    async def summarised(self, conversation: ConversationKey) -> None:
        """Note that what was erased of its summary is made anew."""
        ...

    async def revive(self, note: UUID, *, now: datetime) -> GivenUp:
        """
        Give what was given up another try.

        Raises:
            JobNotFound: Nothing was given up under this id in this tenant.
        """
        ...

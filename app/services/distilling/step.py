"""What a step of distilling gets, and what it leaves."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from app.distil.language.utterance import Utterance
from app.domain.conversation import DEFAULT_IMPORTANCE, PINNED, Conversation, Message
from app.domain.errors import (
    EmbedderUnavailable,
    ForewordError,
    StorageFull,
    StoreDamaged,
    StoreUnavailable,
)
from app.domain.flags import Flags
from app.domain.ids import TenantId
from app.ports.store import Transaction
from app.text.echo import blanked

OUTAGES = (StoreUnavailable, StorageFull, StoreDamaged, EmbedderUnavailable)
"""What is the fault of nothing that is distilled."""

_LONGEST = 500

Write = Callable[[Transaction], Awaitable[None]]
"""Writes what a step found."""

Writes = Write | Sequence[Write] | None
"""The same where it may be much, each one briefly, in order: others may write in between."""


def writes_of(several: Sequence[Writes]) -> list[Write]:
    """What steps found, one after the other."""
    writes: list[Write] = []
    for each in several:
        if isinstance(each, Sequence):
            writes += each
        elif each is not None:
            writes.append(each)
    return writes


@dataclass(frozen=True, slots=True, kw_only=True)
class Portion:
    """
    The next messages of a conversation, in order, system messages and all; or some from before that
    were left out, tried again.

    It may be empty: then something of the conversation was erased, or came back to be recalled.
    The same messages may come again: whatever was stored for them is to be the same in the end.
    """

    tenant: TenantId
    conversation: Conversation
    messages: Sequence[Message]
    last: bool
    """Whether no more messages are known behind these."""
    flags: Flags
    now: datetime
    anew_at: datetime | None = None
    """Since when all of the conversation is gone through once more, up to the `last`."""

    def importance_of(self, message: Message, usual: int) -> int:
        """
        The importance of what is drawn from `message`: as its caller says of it, else of its
        conversation, else `usual`.

        Where the message is pinned, what is drawn from it is not.
        """
        inherited = self.conversation.importance
        of_all = usual if inherited == DEFAULT_IMPORTANCE else inherited
        return min(message.importance or of_all, PINNED - 1)


class Step(Protocol):
    """One thing that is distilled from conversations."""

    @property
    def by_message(self) -> bool:
        """Whether it finds things in messages, not in a conversation: one can be left out."""
        ...

    async def distil(self, portion: Portion) -> Writes:
        """
        Find what there is to find, off the event loop, and return what writes it; None: nothing.

        The writer runs while the conversation is held, and all messages of the portion are there.
        It locks scopes after the conversation, and nothing else but by the DAOs of the transaction.
        """
        ...


def reason_told(error: Exception) -> str:
    """Why something failed, for whoever may look; of what is not ours only its kind."""
    if isinstance(error, ForewordError):
        return str(error)[:_LONGEST]
    return f"internal error ({type(error).__name__})"


def utterance_of(message: Message) -> Utterance:
    """What was said; what only echoes a bundle of ours is blank, so that places stay theirs."""
    return Utterance(
        role=message.role,
        content=blanked(message.content or "", message.echo),
        said_at=message.created_at,
        name=message.name,
    )

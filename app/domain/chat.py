"""What passes through the proxy: whose it is, and what of it is kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from app.domain.ids import BundleId, ConversationId

FOLLOWED = "response_id"
"""The metadata of a reply that tells how the upstream names it: the next request may follow it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Party:
    """
    Who chats, and in which conversation: known by its id, or else by the caller's name for it.

    `conversation` of None is one that nobody named.
    """

    user_id: str | None = None
    conversation: str | None = None
    conversation_id: ConversationId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What memory is asked for: `shown` is what the model reads anyway. No budget: the tenant's."""

    query: str
    party: Party
    shown: tuple[str, ...]
    budget_tokens: int | None


class Outcome(StrEnum):
    """What became of the memory of a request that passes through."""

    USED = "used"
    EMPTY = "empty"
    OFF = "off"
    LATE = "late"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recollection:
    """Memory as text, ready to be put in front; without any, why not."""

    outcome: Outcome
    text: str = ""
    tokens: int = 0
    items: int = 0
    bundle_id: BundleId | None = None
    degraded: Sequence[str] = ()


class Keeping(StrEnum):
    """What became of an exchange; of one that is kept in part, the rest was too large."""

    KEPT = "kept"
    PARTLY = "partly"
    LOST = "lost"


class Form(StrEnum):
    """
    What an exchange is in: OpenAI's chat completions or its Responses, or Anthropic's Messages; the
    path of each.
    """

    CHAT = "chat/completions"
    RESPONSES = "responses"
    MESSAGES = "messages"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """
    What was asked of a model and what it answered, as both went by: `streamed` as events.

    `follows` is the response that a request goes on from, whose conversation it belongs to where
    nobody named one.
    """

    party: Party
    chat: Sequence[Mapping[str, Any]]
    answer: bytes
    streamed: bool
    whole: bool
    """Whether the answer came to its end."""
    cut: bool = False
    """Whether more of it came than is held until it is stored."""
    form: Form = Form.CHAT
    follows: str | None = None

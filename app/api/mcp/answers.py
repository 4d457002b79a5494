"""What models are answered: little, and in words."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, Field

from app.api.schemas.conversations import ErasedOut
from app.domain.context import Candidate
from app.domain.conversation import Conversation, Message
from app.domain.memory import ItemType
from app.text.render import quote, titled, words_of

_MOST_CHARACTERS = 4_000
"""Of one text in a list; a resource has all of it."""


class FoundMemory(BaseModel):
    id: str = Field(description="Pass it to forget.")
    type: str
    content: str
    score: float = Field(description="0 to 1, and more for preferred labels.")
    said_at: datetime
    said_by: str | None
    conversation_id: UUID | None = Field(description="Pass it to get_conversation.")
    conversation: str | None = Field(description="Its name.")

    @classmethod
    def of(cls, found: Candidate) -> "FoundMemory":
        item = found.item
        # A part of a message cannot be forgotten by itself.
        part = item.type is ItemType.CHUNK and bool(item.lineage)
        return cls(
            id=item.lineage[0].id if part else str(item.id),
            type=item.type.value,
            content=shortened(item.content),
            score=round(found.score, 3),
            said_at=item.created_at,
            said_by=item.name or (item.role.value if item.role else None),
            conversation_id=item.conversation_id,
            conversation=item.label or item.conversation_external_id,
        )


class FoundMemories(BaseModel):
    memories: list[FoundMemory] = Field(description="Best first.")
    sufficient: bool = Field(description="Whether a likely answer is among them.")


class ListedConversation(BaseModel):
    id: UUID
    name: str | None
    label: str | None
    user_id: str | None
    messages: int
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, conversation: Conversation) -> "ListedConversation":
        return cls(
            id=conversation.id,
            name=conversation.external_id,
            label=conversation.label,
            user_id=conversation.user_id,
            messages=conversation.message_count,
            created_at=conversation.created_at,
            updated_at=conversation.updated_at,
        )


class ListedConversations(BaseModel):
    conversations: list[ListedConversation] = Field(description="Newest first.")
    next_cursor: str | None = Field(description="Pass it as cursor for more; null: that was all.")


class SaidMessage(BaseModel):
    id: UUID = Field(description="Pass it to forget.")
    role: str
    name: str | None
    content: str
    said_at: datetime
    aside: bool = Field(description="Of a branch that was left: asked or answered anew since.")

    @classmethod
    def of(cls, message: Message) -> "SaidMessage":
        return cls(
            id=message.id,
            role=message.role.value,
            name=message.name,
            content=shortened(words_of(message)),
            said_at=message.created_at,
            aside=message.aside,
        )


class ReadConversation(BaseModel):
    conversation: ListedConversation
    messages: list[SaidMessage] = Field(description="In the order in which they were said.")
    next_cursor: str | None = Field(description="Pass it as cursor for more; null: that was all.")


def shortened(text: str) -> str:
    if len(text) <= _MOST_CHARACTERS:
        return text
    return f"{text[:_MOST_CHARACTERS]} [… {len(text) - _MOST_CHARACTERS} characters more]"


def transcript(conversation: Conversation, messages: Sequence[Message], *, more: bool) -> str:
    """A conversation to be read; whatever was said in it is quoted."""
    title = titled(conversation.label or conversation.external_id) or "A conversation"
    said = [
        f"{titled(each.name) or each.role.value}, {each.created_at:%Y-%m-%d %H:%M}:\n"
        f"{quote(words_of(each))}"
        for each in messages
    ]
    left_out = ["[Earlier messages are left out.]"] if more else []
    return "\n\n".join([f"# {title}", *left_out, *said])


def erased_in_words(erased: ErasedOut) -> str:
    """The counts of a receipt that are not 0."""
    told = [f"{count} {name.replace('_', ' ')}" for name, count in erased if count]
    return "Erased: " + (", ".join(told) or "nothing")

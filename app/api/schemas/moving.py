"""What comes of moving memory."""

from typing import Self

from pydantic import Field

from app.api.schemas.fields import Answer
from app.services.moving.imported import Imported


class RejectedOut(Answer):
    at: str = Field(description="The place in the file.")
    reason: str


class ImportedOut(Answer):
    conversations: int = Field(description="That were not there before.")
    messages: int = Field(description="That were not there before.")
    duplicates: int = Field(description="Messages and memory items that were there already.")
    rejected: list[RejectedOut] = Field(description="What could not be imported, and why.")
    memories: int | None = Field(
        default=None, description="Memory items that were not there before; absent: none."
    )
    differing: int | None = Field(
        default=None,
        description="Of the duplicates, messages that are stored with another content, which "
        "stays; absent: none.",
    )
    users: int | None = Field(
        default=None,
        description="Users whose consent and profile it told, known before or not; absent: none.",
    )

    @classmethod
    def of(cls, imported: Imported) -> Self:
        return cls(
            conversations=imported.conversations,
            messages=imported.messages,
            duplicates=imported.duplicates,
            rejected=[RejectedOut(at=each.at, reason=each.reason) for each in imported.places],
            memories=imported.memories or None,
            differing=imported.differing or None,
            users=imported.users or None,
        )

"""What is distilled: one message, with who said it and when."""

import re
from dataclasses import dataclass
from datetime import datetime

from app.domain.conversation import Role

_PROGRAMS = re.compile(
    r"assistant|system|(?:chat)?bot|ai|agent|claude|chatgpt|gpt.*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """A message by a user or an assistant; `name` is of who spoke, where it is known."""

    role: Role
    content: str
    said_at: datetime
    name: str | None = None

    @property
    def speaker(self) -> str:
        """How facts call who spoke: "User" or "Assistant" where no name is known."""
        return self.name or self.role.value.capitalize()

    @property
    def by_program(self) -> bool:
        """Whether an assistant speaks that is no person: its "I" tells nothing durable."""
        named = bool(self.name) and not _PROGRAMS.fullmatch(self.name or "")
        return self.role is Role.ASSISTANT and not named

    @property
    def is_said(self) -> bool:
        """Whether a user or an assistant says it: only that is distilled."""
        return self.role in (Role.USER, Role.ASSISTANT)

"""What an import did, told while it goes on, and once more where the same is asked for again."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from app.formats.found import Rejected

_MOST_REJECTED = 1_000
"""Places that are told one by one; of more, how many."""

_COUNTED = ("conversations", "messages", "memories", "duplicates", "differing", "users", "untold")


@dataclass(slots=True, kw_only=True)
class Imported:
    """
    What an import has done so far; `duplicates` were there before, `differing` of them otherwise.

    `users` are those whose consent and profile the file told, known before or not.
    """

    conversations: int = 0
    messages: int = 0
    memories: int = 0
    duplicates: int = 0
    differing: int = 0
    users: int = 0
    untold: int = 0
    rejected: list[Rejected] = field(default_factory=list)

    def reject(self, several: Iterable[Rejected]) -> None:
        for each in several:
            if len(self.rejected) < _MOST_REJECTED:
                self.rejected.append(each)
            else:
                self.untold += 1

    @property
    def places(self) -> Sequence[Rejected]:
        """What was rejected, and where."""
        more = Rejected("elsewhere", f"{self.untold} more") if self.untold else None
        return [*self.rejected, more] if more else self.rejected

    def to_answer(self) -> Mapping[str, object]:
        """As it is kept under an idempotency key."""
        counts = {name: getattr(self, name) for name in _COUNTED}
        return {**counts, "rejected": [[each.at, each.reason] for each in self.rejected]}

    @classmethod
    def of_answer(cls, answer: Mapping[str, Any]) -> Self:
        counts = {name: answer.get(name, 0) for name in _COUNTED}
        return cls(**counts, rejected=[Rejected(*each) for each in answer["rejected"]])

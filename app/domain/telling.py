"""What is told of a bundle while it is built."""

from collections.abc import Callable
from dataclasses import dataclass, field

from app.domain.context import Candidate, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """That a source answered, how many candidates it found, and in how many seconds; or why not."""

    source: Source
    seconds: float
    found: int = 0
    missing: str | None = None


Listener = Callable[[Answered | Candidate], None]
"""Is told of each source that has answered, and of each candidate that is in the bundle."""


@dataclass(slots=True)
class Once:
    """A listener that is told of each source once, when the last of `several` questions has it."""

    listener: Listener
    several: int
    _answered: dict[Source, list[Answered]] = field(default_factory=dict, init=False)

    def __call__(self, told: Answered | Candidate) -> None:
        if not isinstance(told, Answered):
            self.listener(told)
            return
        answered = self._answered.setdefault(told.source, [])
        answered.append(told)
        if len(answered) == self.several:
            self.listener(
                Answered(
                    source=told.source,
                    seconds=max(each.seconds for each in answered),
                    found=sum(each.found for each in answered),
                    missing=next((each.missing for each in answered if each.missing), None),
                )
            )

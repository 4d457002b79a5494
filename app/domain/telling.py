"""What is told of a bundle while it is built."""

from collections.abc import Callable
from dataclasses import dataclass

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

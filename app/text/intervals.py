"""Stretches of time that a text speaks of."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

EXACT, ROUGH, WIDE, VAGUE = 1.0, 0.8, 0.6, 0.4
"""How much an interval tells: a day or a date, a week or month, a season or year, "recently"."""


@dataclass(frozen=True, slots=True)
class Interval:
    """From `start` up to `stop`, which is not in it; `strength` above 0, up to 1."""

    start: datetime
    stop: datetime
    strength: float

    @property
    def is_named(self) -> bool:
        """
        Whether it is a day, a week or a month; what is said of a season, a year or "recently" is
        much of all there is.
        """
        return self.strength >= ROUGH


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """The times that a text speaks of; `rest` is the text, blank there, in lower case."""

    intervals: Sequence[Interval]
    rest: str


NO_TIMES = Timed(intervals=(), rest="")

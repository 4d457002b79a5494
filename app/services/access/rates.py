"""How often, and how many at once, one caller may ask."""

from collections.abc import Callable, Hashable, MutableMapping
from dataclasses import dataclass, field
from math import ceil

_ROUNDING = 1e-7
"""Seconds by which sums of many intervals may be off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A token bucket: it holds `burst` requests and gets `per_second` new ones; 0: no limit."""

    per_second: float
    burst: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """What is left to a caller. Times are whole seconds, rounded up."""

    limit: int
    remaining: int
    full_after: int
    retry_after: int | None = None
    """None: the request may be made; it is counted already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """
    A bucket per caller, by the generic cell rate algorithm: one number each.

    That number is when the bucket will be full again. Callers who are pushed out of `full_at`
    start with a full one. Each process counts for itself.
    """

    rate: Rate
    full_at: MutableMapping[Hashable, float]
    timer: Callable[[], float]
    """Monotonic, in seconds."""

    def take(self, who: Hashable) -> Allowance | None:
        """Count a request of `who`, unless it is one too many; None where nothing is counted."""
        if self.rate.per_second <= 0:
            return None
        now, interval = self.timer(), 1 / self.rate.per_second
        room = self.rate.burst * interval
        owed = max(0.0, self.full_at.get(who, now) - now)
        late = owed + interval - room
        refused = late > _ROUNDING
        if not refused:
            owed += interval
            self.full_at[who] = now + owed
        left = (room - owed + _ROUNDING) * self.rate.per_second
        return Allowance(
            limit=self.rate.burst,
            remaining=0 if refused else max(0, int(left)),
            full_after=ceil(owed),
            retry_after=max(1, ceil(late)) if refused else None,
        )

    def give_back(self, who: Hashable) -> None:
        """Uncount a request that was counted and was none of those that are to be bounded."""
        if self.rate.per_second > 0:
            self.full_at[who] = self.full_at.get(who, 0.0) - 1 / self.rate.per_second


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """How many requests of one caller may run at once; 0: any number."""

    most: int
    _taken: dict[Hashable, int] = field(default_factory=dict)

    def enter(self, who: Hashable) -> bool:
        """Take a place; False: there is none."""
        taken = self._taken.get(who, 0)
        if self.most and taken >= self.most:
            return False
        self._taken[who] = taken + 1
        return True

    def leave(self, who: Hashable) -> None:
        """Give a place back that was taken."""
        left = self._taken[who] - 1
        if left:
            self._taken[who] = left
        else:
            del self._taken[who]

"""Values that are worked out when they are first looked at."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar, overload

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class OnDemand(Sequence[T], Generic[T]):
    """
    `length` values, each of which `find` works out once, if anybody wants to know it.

    Most of what is found for a question is not looked at any more once a bundle is full.
    """

    length: int
    find: Callable[[int], T]
    _found: dict[int, T] = field(default_factory=dict)

    def __len__(self) -> int:
        return self.length

    @overload
    def __getitem__(self, at: int) -> T: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[T]: ...

    def __getitem__(self, at: int | slice) -> T | Sequence[T]:
        if isinstance(at, slice):
            return [self[each] for each in range(*at.indices(self.length))]
        place = range(self.length)[at]
        if place not in self._found:
            self._found[place] = self.find(place)
        return self._found[place]

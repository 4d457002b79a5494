"""Lines that can be read once more, from behind the first of some that made no row."""

import csv
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

_Line = tuple[int, str]


@dataclass(slots=True)
class Lines:
    """
    Lines one by one, numbered from 1; each is given out twice at most.

    More than `most` characters of them, or one, make no row.
    """

    lines: Iterable[str]
    most: int
    first: int = 1
    """The line that the row begins with."""
    _taken: list[_Line] = field(default_factory=list)
    _left: deque[_Line] = field(default_factory=deque)
    _fresh: Iterator[_Line] = field(init=False)
    _characters: int = 0
    _seen_twice: int = 0
    """Up to which line they have been given back."""

    def __post_init__(self) -> None:
        self._fresh = enumerate(self.lines, start=1)

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        """
        Raises:
            csv.Error: The row is too long.
        """
        taken = self._left.popleft() if self._left else next(self._fresh)
        self.first = self.first if self._taken else taken[0]
        self._taken.append(taken)
        self._characters += len(taken[1])
        if self._characters > self.most:
            raise csv.Error(f"more than {self.most} characters")
        return taken[1]

    def begin(self) -> None:
        """What follows is another row."""
        self._taken.clear()
        self._characters = 0

    def again(self) -> None:
        """Give back what was taken since, but for the first line and what was given back before."""
        back = [each for each in self._taken[1:] if each[0] > self._seen_twice]
        self._left.extendleft(reversed(back))
        self._seen_twice = max([self._seen_twice, *(each[0] for each in back)])

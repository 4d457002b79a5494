"""How far long work is, for whoever watches it."""

from collections.abc import Callable
from dataclasses import dataclass

BYTES = "bytes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """
    How much of something is done, of a `total` that is 0 while nobody knows it.

    `counted` is what there is so much of a second, in a `unit`, where that is not what is `done`:
    an import knows how many bytes are to be read, and how many messages were in them so far.
    """

    name: str
    done: int
    total: int
    unit: str
    counted: int | None = None
    said: str = ""


Watch = Callable[[Step], None]
"""Is told of each step, again and again; from any thread, never of one that went back."""


def unwatched(_: Step) -> None:
    """Nobody looks."""


Count = Callable[[int], None]
"""Is told how many more are done."""


def counting(watch: Watch, name: str, unit: str, total: int) -> Count:
    """Tells of a step whose parts are done one after the other."""
    done = 0

    def count(more: int) -> None:
        nonlocal done
        done += more
        watch(Step(name=name, done=done, total=total, unit=unit))

    count(0)
    return count

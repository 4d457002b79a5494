"""What work costs, told in calls: that is the same on every machine, however busy it is."""

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

PYTHON = frozenset({"call"})
ALL = frozenset({"call", "c_call"})
"""Those of patterns and of whatever else is written in C among them."""


def calls(work: Callable[[], object], *, of: frozenset[str] = ALL) -> int:
    """Calls of functions that `work` makes, and not what others left behind to be collected."""
    count = 0

    def counted(_frame: FrameType, event: str, _arg: object) -> None:
        nonlocal count
        count += event in of

    before = sys.getprofile()
    with _nothing_collected():
        sys.setprofile(counted)
        try:
            work()
        finally:
            sys.setprofile(before)
    return count


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """What is collected may call what it was told to, in the middle of anything."""
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()

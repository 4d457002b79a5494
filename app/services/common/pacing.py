"""When a worker rests, what ends that, who waits for what it does, and whom it lets pass."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

_LONGEST_REST = 1.0
_MOST_DOUBLINGS = 16


def backoff(tried: int, *, first: float, longest: float) -> float:
    """Seconds until what failed is tried again: twice as many each time, up to `longest`."""
    return min(first * 2.0 ** min(tried, _MOST_DOUBLINGS), longest)


@dataclass(frozen=True, slots=True)
class Pace:
    """
    The rests of one worker.

    It clears the call before it looks for work, so that who calls while it looks is heard.
    """

    _called: asyncio.Event = field(default_factory=asyncio.Event)
    _progress: asyncio.Condition = field(default_factory=asyncio.Condition)

    def call(self) -> None:
        """There is work: do not wait for the next look."""
        self._called.set()

    def clear(self) -> None:
        self._called.clear()

    async def rest(self, *, at_most: float) -> None:
        """Rest until called, or `at_most` seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(at_most):
                await self._called.wait()

    async def tell(self) -> None:
        """A batch is done: those who wait may look."""
        async with self._progress:
            self._progress.notify_all()

    async def wait(self, *, at_most: float) -> None:
        """Wait until a batch is done, or `at_most` seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(at_most), self._progress:
                await self._progress.wait()


@dataclass(slots=True, kw_only=True)
class Traffic:
    """
    Whether somebody is waited for, so that work for which nobody waits can give way.

    Python runs one thread at a time: work at a low priority delays an answer all the same. So
    that work rests between its pieces, as long as there is traffic, and has but its share.
    """

    share: float = 0.2
    """Part of the time that such work takes meanwhile."""
    lull: float = 0.5
    """Seconds without any after which there is none."""
    timer: Callable[[], float] = time.monotonic
    _last: float = field(default=-math.inf, init=False)

    def seen(self) -> None:
        """Somebody asks, or was answered just now."""
        self._last = self.timer()

    @asynccontextmanager
    async def giving_way(self) -> AsyncIterator[None]:
        """Rest after the piece of work inside as `let_pass` says."""
        began = self.timer()
        yield
        await self.let_pass(worked=self.timer() - began)

    async def let_pass(self, *, worked: float) -> None:
        """Rest after a piece of work that took `worked` seconds, if there is traffic."""
        if self.timer() - self._last < self.lull:
            await asyncio.sleep(min(worked * (1 / self.share - 1), _LONGEST_REST))

"""Asking sources at once, each within its time; what fails or is late is left out, by name."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from functools import partial
from logging import getLogger
from typing import Any, TypeVar

from app.domain.context import Degraded, Source
from app.domain.errors import ForewordError
from app.domain.telling import Answered, Listener
from app.ports import Telemetry

T = TypeVar("T")

_log = getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class Asking:
    """
    One round of questions; `patience` is how many seconds each may take.

    Collects when each source began and what it took, and which stayed away; tells whoever listens.
    """

    telemetry: Telemetry
    patience: float
    count: Callable[[Any], int]
    """How much a source found, of its answer."""
    listener: Listener | None = None
    began: dict[str, float] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    degraded: list[Degraded] = field(default_factory=list)
    _asked: dict[Source, asyncio.Task[Any]] = field(default_factory=dict)

    def ask(self, source: Source, answer: Coroutine[None, None, T]) -> asyncio.Task[T]:
        """Begin to ask, as soon as the event loop comes to it."""
        self.began[source.value] = time.perf_counter()
        task = self._asked[source] = asyncio.create_task(answer)
        task.add_done_callback(partial(self._ended, source))
        return task

    async def wait(self) -> None:
        """
        Until all have answered, or their time is over.

        What is late is left to end by itself: cancelling it would cost its database connection.
        """
        if not self._asked:
            return
        await asyncio.wait(self._asked.values(), timeout=self.patience)
        for source, task in self._asked.items():
            self._ended(source, task)

    def answer(self, task: asyncio.Task[T] | None) -> T | None:
        """What a task answered in time; None of one that did not, or was not asked."""
        if task is None or not task.done() or task.cancelled() or task.exception():
            return None
        return task.result()

    def miss(self, source: Source, reason: str) -> None:
        """Name a source that stays away."""
        self.degraded.append(Degraded(source=source, reason=reason))
        if self.listener is not None:
            took = self.seconds[source.value]
            self.listener(Answered(source=source, seconds=took, missing=reason))
        self.telemetry.source_missing(source, reason)

    def _ended(self, source: Source, task: asyncio.Task[Any]) -> None:
        """Note once how it went; nobody waits for a late answer any more, nor for its error."""
        error = task.exception() if task.done() and not task.cancelled() else None
        if source.value in self.seconds:
            return
        took = self.seconds[source.value] = time.perf_counter() - self.began[source.value]
        if not task.done():
            self.miss(source, "deadline")
        elif isinstance(error, ForewordError):
            _log.warning("a source stays away", extra={"source": source, "reason": str(error)})
            self.miss(source, error.title.rstrip("."))
        elif error is not None or task.cancelled():
            # A mistake in one source must not cost the others.
            _log.error("a source failed", exc_info=error, extra={"source": source})
            self.miss(source, "internal error")
        elif self.listener is not None:
            found = self.count(task.result())
            self.listener(Answered(source=source, seconds=took, found=found))

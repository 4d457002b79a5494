"""Bringing back, while the service runs, what was missing at start or got lost since."""

from dataclasses import dataclass, field
from logging import getLogger
from typing import Protocol

from app.domain.errors import ForewordError
from app.ports import Mendable
from app.services.indexing.healing import Healer
from app.services.indexing.indexer import Indexer

_log = getLogger(__name__)

_FIRST_PAUSE = 1.0
_LONGEST_PAUSE = 30.0
"""Seconds between two looks: the pause doubles while something stays away."""


class Watch(Protocol):
    """Looks after parts that need each other."""

    async def look(self, *, doubtful: bool) -> None:
        """
        Bring back what can be; `doubtful` after a look that failed.

        Raises:
            ForewordError: Something is still away.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchWatch:
    """Of what semantic search needs, in the order in which it needs it."""

    embedder: Mendable
    vectors: Mendable
    healer: Healer
    indexer: Indexer
    others: Mendable | None = None
    """Indexes that are not searched, only erased from."""

    async def look(self, *, doubtful: bool) -> None:
        if await self.embedder.mend():
            _log.info("the embedder is there")
            self.indexer.wake()
        if await self.vectors.mend():
            _log.info("the vector index is there")
            self.healer.doubt()
            self.indexer.wake()
        elif doubtful:
            self.healer.doubt()  # who was away may have come back without what it held
        await self.healer.look()
        if self.others is not None and await self.others.mend():
            self.indexer.wake()


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankerWatch:
    """Of the reranker, which nothing else needs."""

    reranker: Mendable

    async def look(self, *, doubtful: bool) -> None:  # noqa: ARG002  (it holds nothing)
        if await self.reranker.mend():
            _log.info("the reranker is there")


@dataclass(slots=True, kw_only=True)
class Reviver:
    """Looks again and again, less often while something stays away."""

    watch: Watch
    pause: float = field(default=_FIRST_PAUSE, init=False)
    """Seconds until the next look is worth it."""
    _trouble: str | None = field(default=None, init=False)

    async def tick(self) -> None:
        """One look; what is still away is no error."""
        try:
            await self.watch.look(doubtful=self._trouble is not None)
        except ForewordError as error:
            self._put_off(str(error))
        else:
            self.pause, self._trouble = _FIRST_PAUSE, None

    def _put_off(self, trouble: str) -> None:
        """Wait longer each time; say so only when there is something new to say."""
        if trouble != self._trouble:
            _log.warning("a part stays away", extra={"reason": trouble})
        else:
            self.pause = min(self.pause * 2, _LONGEST_PAUSE)
        self._trouble = trouble

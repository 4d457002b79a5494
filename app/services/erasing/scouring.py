"""Leaving nothing of what was erased in the files of the database."""

import asyncio
from dataclasses import dataclass
from logging import getLogger

from app.domain.errors import ForewordError
from app.ports.store import Store

_log = getLogger(__name__)

_MOST_STEPS = 200
_BETWEEN_STEPS = 0.05
"""Seconds in which others write."""

_AFTER_AN_ERASURE = 2
"""Rounds. A summary that is made anew without what was erased may come after the first."""
_IN_QUIET = 20
"""Rounds after which there is a look at what nobody told of, as what an earlier process erased."""


@dataclass(slots=True, kw_only=True)
class Scourer:
    """Overwrites, a little at a time, what erasures left where no query finds it."""

    store: Store
    _due: int = 0
    _idle: int = 0

    def note(self) -> None:
        """Something was erased."""
        self._due = _AFTER_AN_ERASURE

    async def go_round(self) -> None:
        """After an erasure, or where there was none for long; else nothing."""
        self._idle += 1
        if self._due or self._idle >= _IN_QUIET:
            self._due, self._idle = max(0, self._due - 1), 0
            await self.tick()

    async def tick(self) -> None:
        """All there is; what cannot be done now is done with the next."""
        try:
            for _ in range(_MOST_STEPS):
                if not await self.store.overwrite_some():
                    break
                await asyncio.sleep(_BETWEEN_STEPS)
        except ForewordError as error:
            _log.warning("traces of what was erased stay for now", extra={"reason": str(error)})

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Scourer:
    """Overwrites, a little at a time, what erasures left where no query finds it."""

    store: Store

    async def tick(self) -> None:
        """All there is; what cannot be done now is done with the next."""
        try:
            for _ in range(_MOST_STEPS):
                if not await self.store.overwrite_some():
                    break
                await asyncio.sleep(_BETWEEN_STEPS)
        except ForewordError as error:
            _log.warning("traces of what was erased stay for now", extra={"reason": str(error)})

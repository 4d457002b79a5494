"""Building full text anew, while serving, when the analyser gives other terms than it holds."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from logging import getLogger

from app.domain.errors import ForewordError
from app.domain.ids import ItemKey
from app.ports.projecting import Analysed, Unbuilt
from app.ports.store import Store
from app.ranking.bm25 import pack_terms
from app.text.terms import VERSION, indexed_text, terms_of

_log = getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class Rebuilder:
    """Works through what was said before, a batch at a time; goes on where another one stopped."""

    store: Store
    batch: int = 200
    version: str = VERSION
    complete: bool = field(default=False, init=False)
    """Whether full text holds all that it should, in the terms of this version."""
    left: int = field(default=0, init=False)
    """Messages that full text still lacks, at most."""

    async def begin(self) -> None:
        """
        Empty full text of another version, before anything is asked of it.

        Raises:
            StoreUnavailable: The database does not answer.
        """
        async with self.store.project() as projections:
            self.complete = not await projections.begin_full_text(self.version)
        if not self.complete:
            _log.info("full text is built anew", extra={"version": self.version})

    async def tick(self) -> None:
        """Build one batch. What fails is tried again with the next."""
        try:
            await self._build()
        except ForewordError as error:
            _log.warning("building full text is put off", extra={"reason": str(error)})

    async def _build(self) -> None:
        async with self.store.project() as projections:
            unbuilt = await projections.unbuilt(limit=self.batch)
        self.complete, self.left = unbuilt is None, unbuilt.left if unbuilt else 0
        if unbuilt is None:
            _log.info("full text is complete", extra={"version": self.version})
            return
        analysed = await asyncio.to_thread(_analysed, unbuilt)
        async with self.store.project() as projections:
            await projections.build(unbuilt, analysed)


def _analysed(unbuilt: Unbuilt) -> Mapping[ItemKey, Analysed]:
    terms = {
        key: terms_of(indexed_text(content, name)) for key, (content, name) in unbuilt.texts.items()
    }
    return {key: Analysed(terms=each, bag=pack_terms(each)) for key, each in terms.items()}

"""Building full text anew, while serving: for another analyser, or because it was lost."""

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
    built: int = field(default=0, init=False)
    """Messages, chunks and items that were built so far, by whoever asked for the batch."""
    _ticking: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)
    """Whoever asks for a batch while another is under way waits: both would build the same."""

    async def begin(self) -> None:
        """
        Empty full text of another version, before anything is asked of it.

        Raises:
            StoreUnavailable: The database does not answer.
        """
        await self._begin(sound=await self._sound())

    async def _sound(self) -> bool:
        async with self.store.observe() as observations:
            return await observations.full_text_sound()

    async def _begin(self, *, sound: bool) -> None:
        async with self.store.project() as projections:
            self.complete = not await projections.begin_full_text(self.version, sound=sound)
        if not self.complete:
            _log.info("full text is built anew", extra={"version": self.version})

    async def tick(self) -> None:
        """Build one batch, or look whether there is need to. What fails is tried again."""
        try:
            async with self._ticking:
                await (self._look() if self.complete else self._build())
        except ForewordError as error:
            _log.warning("building full text is put off", extra={"reason": str(error)})

    async def _look(self) -> None:
        if not await self._sound():
            _log.warning("full text was lost")
            await self._begin(sound=False)

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
        self.built += len(analysed)


def _analysed(unbuilt: Unbuilt) -> Mapping[ItemKey, Analysed]:
    terms = {
        key: terms_of(indexed_text(content, name)) for key, (content, name) in unbuilt.texts.items()
    }
    return {key: Analysed(terms=each, bag=pack_terms(each)) for key, each in terms.items()}

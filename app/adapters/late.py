"""Parts that may be missing at start, or get lost, and come back while the service runs."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from logging import getLogger
from typing import Generic, Protocol, TypeVar

from app.adapters.absent import AbsentEmbedder, AbsentReranker, AbsentVectorIndex
from app.domain.errors import (
    EmbedderUnavailable,
    IndexHeldElsewhere,
    RerankerUnavailable,
    VectorIndexUnavailable,
)
from app.domain.ids import ItemKey
from app.ports import RecallFilter, VectorIndex, VectorPlace, VectorPoint
from app.ports.embedding import Embedder, Embedding
from app.ports.language import Reranker
from app.ranking import Floats

_log = getLogger(__name__)

_NOT_YET = "it is not open yet"

P = TypeVar("P")

Opening = Callable[[], AbstractAsyncContextManager[P]]


class _Place(Generic[P]):
    """Where a part is as soon as it can be opened; until then, what says that it is missing."""

    def __init__(
        self,
        opening: Opening[P],
        absent: Callable[[str], P],
        error: type[EmbedderUnavailable | RerankerUnavailable | VectorIndexUnavailable],
    ) -> None:
        self._opening = opening
        self._absent = absent
        self._error = error
        self._closing = AsyncExitStack()
        self.part = absent(_NOT_YET)
        self.missing = True

    async def mend(self) -> bool:
        """Open what is missing; whether that was so. What cannot be opened raises its error."""
        if not self.missing:
            return False
        try:
            self.part = await self._closing.enter_async_context(self._opening())
        except self._error as error:
            self.part = self._absent(str(error))
            raise
        self.missing = False
        return True

    async def give_up(self, reason: str) -> None:
        self.part, self.missing = self._absent(reason), True
        closing, self._closing = self._closing, AsyncExitStack()
        try:
            await closing.aclose()
        except self._error as error:  # nothing is left that could be closed in order
            _log.info("what was lost did not close well", extra={"reason": str(error)})

    async def aclose(self) -> None:
        await self._closing.aclose()


class LateEmbedder:
    """The embedder that `opening` opens, as soon as it does."""

    def __init__(self, opening: Opening[Embedder]) -> None:
        self._place = _Place(opening, AbsentEmbedder, EmbedderUnavailable)

    @property
    def model(self) -> str:
        return self._place.part.model

    @property
    def dimension(self) -> int:
        return self._place.part.dimension

    @property
    def word_dimension(self) -> int:
        return self._place.part.word_dimension

    @property
    def missing(self) -> bool:
        return self._place.missing

    async def embed(self, texts: Sequence[str]) -> Floats:
        return await self._place.part.embed(texts)

    async def read(self, texts: Sequence[str]) -> Sequence[Embedding]:
        return await self._place.part.read(texts)

    async def read_query(self, text: str) -> Embedding:
        return await self._place.part.read_query(text)

    def reads(self, text: str) -> bool:
        return self._place.part.reads(text)

    async def mend(self) -> bool:
        """
        Open what is missing; whether that was so.

        Raises:
            EmbedderUnavailable: It is still missing.
        """
        return await self._place.mend()

    async def aclose(self) -> None:
        await self._place.aclose()


class LateReranker:
    """The reranker that `opening` opens, as soon as it does."""

    def __init__(self, opening: Opening[Reranker]) -> None:
        self._place = _Place(opening, AbsentReranker, RerankerUnavailable)

    @property
    def model(self) -> str:
        return self._place.part.model

    async def score(self, query: str, texts: Sequence[str], *, seconds: float) -> Floats:
        return await self._place.part.score(query, texts, seconds=seconds)

    async def mend(self) -> bool:
        """
        Open what is missing; whether that was so.

        Raises:
            RerankerUnavailable: It is still missing.
        """
        return await self._place.mend()

    async def aclose(self) -> None:
        await self._place.aclose()


class Claim(Protocol):
    """What a process must have to itself that serves from an index of its own."""

    async def take(self) -> int:
        """
        Have it; how many times it was taken so far, which rises after it was lost.

        Raises:
            IndexHeldElsewhere: Another process has it.
            VectorIndexUnavailable: Nobody can tell.
        """
        ...


class LateVectorIndex:
    """
    The index that `opening` opens, as soon as it does, and anew when it was lost.

    Given a `claim`, it is open only while this process has that.
    """

    def __init__(self, opening: Opening[VectorIndex], claim: Claim | None = None) -> None:
        self._place = _Place(opening, AbsentVectorIndex, VectorIndexUnavailable)
        self._claim = claim
        self._claimed = 0

    async def upsert(self, points: Sequence[VectorPoint]) -> None:
        await self._place.part.upsert(points)

    async def remove(self, keys: Sequence[ItemKey]) -> None:
        await self._place.part.remove(keys)

    async def search(
        self, query: Floats, *, within: RecallFilter, limit: int
    ) -> Sequence[tuple[ItemKey, float]]:
        return await self._place.part.search(query, within=within, limit=limit)

    async def known(self, keys: Sequence[ItemKey]) -> frozenset[ItemKey]:
        return await self._place.part.known(keys)

    async def misplaced(self, places: Sequence[VectorPlace]) -> frozenset[ItemKey]:
        return await self._place.part.misplaced(places)

    def keys(self) -> AsyncIterator[Sequence[ItemKey]]:
        return self._place.part.keys()

    async def count(self) -> int:
        return await self._place.part.count()

    async def flush(self) -> None:
        await self._place.part.flush()

    async def intact(self) -> bool:
        return await self._place.part.intact()

    async def mend(self) -> bool:
        """
        Open what is missing or lost; whether that was so, or others may have indexed meanwhile.

        Raises:
            VectorIndexUnavailable: It is still missing, or does not answer.
        """
        anew = await self._claims_anew()
        if not self._place.missing:
            if await self._place.part.intact():
                return anew
            _log.warning("the vector index was lost; it is opened anew")
            await self._place.give_up("it was lost")
        return await self._place.mend()

    async def aclose(self) -> None:
        await self._place.aclose()

    async def _claims_anew(self) -> bool:
        if self._claim is None:
            return False
        try:
            before, self._claimed = self._claimed, await self._claim.take()
        except IndexHeldElsewhere as error:
            if not self._place.missing:
                _log.error("the vector index is given up", extra={"reason": str(error)})
                await self._place.give_up(str(error))
            self._place.part = AbsentVectorIndex(str(error), type(error))
            raise
        return self._claimed != before

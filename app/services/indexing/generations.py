"""
The model that serves, and the one that is to serve.

Vectors of two models cannot be compared, so each model has an index of its own. A request holds on
to one generation from its beginning to its end, whatever happens meanwhile.
"""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Protocol

from app.domain.ids import ItemKey
from app.ports import Mendable, RecallFilter, Removable, VectorIndex, VectorPlace, VectorPoint
from app.ports.embedding import Embedder, Embedding
from app.ranking import Floats

_held: ContextVar["Generation | None"] = ContextVar("generation", default=None)


class LivingEmbedder(Embedder, Mendable, Protocol):
    """An embedder that may come late."""


class LivingIndex(VectorIndex, Mendable, Protocol):
    """An index that may come late, or be lost."""


@dataclass(frozen=True, slots=True)
class Generation:
    """A model, and the index of its vectors."""

    embedder: LivingEmbedder
    vectors: LivingIndex


@dataclass(slots=True)
class Generations:
    """The generation that answers; `coming` is built behind it; `whole` tells of the former."""

    serving: Generation
    coming: Generation | None = None
    whole: bool = True
    """Whether the serving generation holds all that it should: it lacks much while the model
    before it is gone and it is not built yet."""
    elsewhere: Removable | None = None
    """The indexes of every model before, where several processes share them."""
    former: Generation | None = field(default=None, init=False)
    """What served before; kept open, since requests may hold on to it, and erased from."""
    embedder: "ServingEmbedder" = field(init=False)
    vectors: "ServingIndex" = field(init=False)
    everywhere: "Everywhere" = field(init=False)

    def __post_init__(self) -> None:
        self.embedder, self.vectors = ServingEmbedder(self), ServingIndex(self)
        self.everywhere = Everywhere(self)

    @property
    def current(self) -> Generation:
        """The generation that this request holds on to, else the one that serves now."""
        return _held.get() or self.serving

    @property
    def ahead(self) -> Generation | None:
        """
        Another one that is to hold what the current one does, or None.

        It is the coming one; or, once they have changed places under a request that still holds on
        to the one before, the one that serves.
        """
        if self.coming is not None:
            return self.coming
        return None if self.current is self.serving else self.serving

    @contextmanager
    def holding(self) -> Iterator[None]:
        """Stay with the generation that serves now, in all that is awaited inside."""
        token = _held.set(self.serving)
        try:
            yield
        finally:
            _held.reset(token)

    def switch(self) -> Generation:
        """Let the coming generation serve; what served until now."""
        if self.coming is None:
            raise ValueError("there is nothing to switch to")
        before, self.serving, self.coming = self.serving, self.coming, None
        self.whole = True
        self.former = before if self.elsewhere is None else None
        return before


@dataclass(frozen=True, slots=True)
class ServingEmbedder:
    """The embedder of the generation that serves."""

    generations: Generations

    @property
    def model(self) -> str:
        return self.generations.current.embedder.model

    @property
    def dimension(self) -> int:
        return self.generations.current.embedder.dimension

    @property
    def word_dimension(self) -> int:
        return self.generations.current.embedder.word_dimension

    async def embed(self, texts: Sequence[str]) -> Floats:
        return await self.generations.current.embedder.embed(texts)

    async def read(self, texts: Sequence[str]) -> Sequence[Embedding]:
        return await self.generations.current.embedder.read(texts)

    async def read_query(self, text: str) -> Embedding:
        return await self.generations.current.embedder.read_query(text)

    def reads(self, text: str) -> bool:
        return self.generations.current.embedder.reads(text)

    async def mend(self) -> bool:
        return await self.generations.current.embedder.mend()


@dataclass(frozen=True, slots=True)
class ServingIndex:
    """The index of the generation that serves; what is removed goes from all others too."""

    generations: Generations

    async def upsert(self, points: Sequence[VectorPoint]) -> None:
        await self.generations.current.vectors.upsert(points)

    async def remove(self, keys: Sequence[ItemKey]) -> None:
        await self.generations.everywhere.remove(keys)

    async def search(
        self, query: Floats, *, within: RecallFilter, limit: int
    ) -> Sequence[tuple[ItemKey, float]]:
        return await self.generations.current.vectors.search(query, within=within, limit=limit)

    async def known(self, keys: Sequence[ItemKey]) -> frozenset[ItemKey]:
        return await self.generations.current.vectors.known(keys)

    async def misplaced(self, places: Sequence[VectorPlace]) -> frozenset[ItemKey]:
        return await self.generations.current.vectors.misplaced(places)

    async def keys(self) -> AsyncIterator[Sequence[ItemKey]]:
        async for batch in self.generations.current.vectors.keys():
            yield batch

    async def count(self) -> int:
        return await self.generations.current.vectors.count()

    async def flush(self) -> None:
        await self.generations.current.vectors.flush()

    async def intact(self) -> bool:
        return await self.generations.current.vectors.intact()

    async def mend(self) -> bool:
        return await self.generations.current.vectors.mend()


@dataclass(frozen=True, slots=True)
class Everywhere:
    """All indexes that may hold what is erased, whether or not they are searched."""

    generations: Generations

    async def remove(self, keys: Sequence[ItemKey]) -> None:
        if keys:
            for each in self._indexes():
                await each.remove(keys)

    async def known(self, keys: Sequence[ItemKey]) -> frozenset[ItemKey]:
        return frozenset[ItemKey]().union(*[await each.known(keys) for each in self._indexes()])

    async def mend(self) -> bool:
        """Open what served before if it was lost: who builds the coming one looks after that."""
        former = self.generations.former
        return former is not None and await former.vectors.mend()

    def _indexes(self) -> Sequence[Removable]:
        """That of this request last: what fails before it is tried again with it."""
        known = self.generations
        opened = (known.former, known.coming, known.serving, known.current)
        indexes: list[Removable | None] = [known.elsewhere]
        indexes += [each.vectors for each in opened if each is not None]
        return list({id(each): each for each in indexes if each is not None}.values())

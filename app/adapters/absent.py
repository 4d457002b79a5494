"""What stands in for a part that could not be opened: it says so, and the others go on."""
# ruff: noqa: ARG002  (every method only says that there is nothing)

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from app.domain.errors import EmbedderUnavailable, RerankerUnavailable, VectorIndexUnavailable
from app.domain.ids import ItemKey
from app.ports import RecallFilter, VectorPlace, VectorPoint
from app.ports.embedding import Embedding
from app.ranking import Floats


@dataclass(frozen=True, slots=True)
class AbsentEmbedder:
    """The model is missing or its server does not answer: lexical and episodic sources remain."""

    reason: str
    model: str = "absent"
    dimension: int = 1
    word_dimension: int = 0

    async def embed(self, texts: Sequence[str]) -> Floats:
        raise EmbedderUnavailable(self.reason)

    async def read(self, texts: Sequence[str]) -> Sequence[Embedding]:
        raise EmbedderUnavailable(self.reason)

    async def read_query(self, text: str) -> Embedding:
        raise EmbedderUnavailable(self.reason)

    def reads(self, text: str) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class AbsentReranker:
    """The cross-encoder is missing: candidates stay in the order that they have."""

    reason: str
    model: str = "absent"

    async def score(self, query: str, texts: Sequence[str], *, seconds: float) -> Floats:
        raise RerankerUnavailable(self.reason)


@dataclass(frozen=True, slots=True)
class AbsentVectorIndex:
    """The vector index cannot be opened; what should go into it waits in the outbox."""

    reason: str
    error: type[VectorIndexUnavailable] = VectorIndexUnavailable

    async def upsert(self, points: Sequence[VectorPoint]) -> None:
        raise self.error(self.reason)

    async def remove(self, keys: Sequence[ItemKey]) -> None:
        raise self.error(self.reason)

    async def search(
        self, query: Floats, *, within: RecallFilter, limit: int
    ) -> Sequence[tuple[ItemKey, float]]:
        raise self.error(self.reason)

    async def known(self, keys: Sequence[ItemKey]) -> frozenset[ItemKey]:
        raise self.error(self.reason)

    async def misplaced(self, places: Sequence[VectorPlace]) -> frozenset[ItemKey]:
        raise self.error(self.reason)

    async def keys(self) -> AsyncIterator[Sequence[ItemKey]]:
        raise self.error(self.reason)
        yield []  # makes this an async iterator, as the port wants it

    async def count(self) -> int:
        raise self.error(self.reason)

    async def flush(self) -> None:
        return None

    async def intact(self) -> bool:
        return False

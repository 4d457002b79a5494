"""The services over the real store, with a model and an index that can get into trouble."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

from app.adapters.cache import CacheLimits, TtlAnswerCache
from app.adapters.tokenizer import BpeTokenCounter
from app.api.answers import JsonAnswers
from app.domain.conversation import NewConversation, NewMessage, Role
from app.domain.errors import EmbedderUnavailable, VectorIndexUnavailable
from app.domain.ids import ItemKey
from app.ports import RecallFilter, VectorPoint
from app.ports.projecting import OutboxState
from app.ports.store import Store
from app.ranking import Floats
from app.services.cached import CachedForge
from app.services.forge import ContextForge, ForgeLimits
from app.services.forget import Forgetter
from app.services.healing import Healer
from app.services.hydrate import Hydrator
from app.services.indexing import Indexer, IndexerLimits
from app.services.ingest import Ingestor, Stored
from app.services.packing import Packer
from app.services.prepare import Preparer
from app.services.recall import Recaller
from app.services.receipts import Recorder, Replayer
from app.services.situation import Surveyor
from tests.factories import ACME, Counted, HandClock, Ids
from tests.fakes_embedder import FakeEmbedder
from tests.fakes_vectors import FakeVectorIndex


@dataclass
class Gate:
    """Open at first; closed, it holds whoever comes until it is opened."""

    opened: asyncio.Event = field(default_factory=asyncio.Event)
    reached: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.opened.set()

    def close(self) -> None:
        self.opened.clear()
        self.reached.clear()

    async def pass_through(self) -> None:
        self.reached.set()
        await self.opened.wait()


class TroubledEmbedder(FakeEmbedder):
    def __init__(self) -> None:
        super().__init__()
        self.down = False
        self.poison: str | None = None
        self.embedded: list[str] = []
        self.gate = Gate()

    async def embed(self, texts: Sequence[str]) -> Floats:
        await self.gate.pass_through()
        if self.down or (self.poison is not None and self.poison in " ".join(texts)):
            raise EmbedderUnavailable
        self.embedded += texts
        return await super().embed(texts)


class TroubledVectors(FakeVectorIndex):
    def __init__(self, dimension: int) -> None:
        super().__init__(dimension)
        self.down = False
        self.upserts = Gate()

    async def upsert(self, points: Sequence[VectorPoint]) -> None:
        await self.upserts.pass_through()
        self._check()
        await super().upsert(points)

    async def remove(self, keys: Sequence[ItemKey]) -> None:
        self._check()
        await super().remove(keys)

    async def search(
        self, query: Floats, *, within: RecallFilter, limit: int
    ) -> Sequence[tuple[ItemKey, float]]:
        self._check()
        return await super().search(query, within=within, limit=limit)

    async def count(self) -> int:
        self._check()
        return await super().count()

    async def keys(self) -> AsyncIterator[Sequence[ItemKey]]:
        self._check()
        async for each in super().keys():
            yield each

    async def all(self) -> list[ItemKey]:
        return [key async for batch in self.keys() for key in batch]

    def _check(self) -> None:
        if self.down:
            raise VectorIndexUnavailable


class Memory:
    """Every service that a test may want, wired as in the application."""

    def __init__(self, store: Store, *, limits: IndexerLimits | None = None) -> None:
        self.store = store
        self.clock, self.ids, self.telemetry = HandClock(), Ids(), Counted()
        self.embedder = TroubledEmbedder()
        self.vectors = TroubledVectors(self.embedder.dimension)
        self.tokens = BpeTokenCounter()
        self.cache = TtlAnswerCache(CacheLimits())
        self.recorder = Recorder(store=store)
        self.ingestor = Ingestor(
            store=store,
            preparer=Preparer(self.tokens, self.ids),
            clock=self.clock,
            new_id=self.ids,
        )
        self.indexer = Indexer(
            store=store,
            embedder=self.embedder,
            vectors=self.vectors,
            telemetry=self.telemetry,
            clock=self.clock,
            limits=limits or IndexerLimits(),
        )
        self.healer = Healer(
            store=store, vectors=self.vectors, indexer=self.indexer, clock=self.clock
        )
        self.forgetter = Forgetter(
            store=store,
            vectors=self.vectors,
            cache=self.cache,
            recorder=self.recorder,
            indexer=self.indexer,
            clock=self.clock,
            new_id=self.ids,
        )
        self.recaller = Recaller(
            store=store,
            embedder=self.embedder,
            vectors=self.vectors,
            telemetry=self.telemetry,
            deadline=5.0,
        )
        self.surveyor = Surveyor(store)
        self.forge = ContextForge(
            recaller=self.recaller,
            hydrator=Hydrator(store=store, embedder=self.embedder),
            packer=Packer(self.tokens),
            telemetry=self.telemetry,
            clock=self.clock,
            new_id=self.ids,
            limits=ForgeLimits(floor=0.1, sufficient=0.1),
        )
        self.cached = CachedForge(
            surveyor=self.surveyor,
            forge=self.forge,
            cache=self.cache,
            recorder=self.recorder,
            replayer=Replayer(store=store, recorder=self.recorder, model=self.embedder.model),
            renderer=JsonAnswers(),
            telemetry=self.telemetry,
        )

    async def say(self, *texts: str, user_id: str = "alice", external_id: str = "chat") -> Stored:
        messages = [NewMessage(role=Role.USER, content=text) for text in texts]
        return await self.ingestor.ingest(
            ACME, NewConversation(user_id=user_id, external_id=external_id, messages=messages)
        )

    async def index(self) -> None:
        """Work off all that is due."""
        while await self.indexer.work_once():
            pass

    async def outbox(self) -> OutboxState:
        async with self.store.observe() as observations:
            return await observations.state(now=self.clock())

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
from app.services.answering.cached import CachedForge
from app.services.answering.pulse import Pulse
from app.services.answering.recording import Recorder
from app.services.answering.replaying import Replayer
from app.services.common.flagging import FlagBoard
from app.services.context.completing import Completer
from app.services.context.following import Follower
from app.services.context.forge import ContextForge
from app.services.context.gathering import ForgeLimits
from app.services.context.hydrate import Hydrator
from app.services.context.recall import Recaller
from app.services.context.relating import EntityTeller
from app.services.context.situation import Surveyor
from app.services.context.spelling import Speller
from app.services.distilling.cascading import Cascade, PeriodStep
from app.services.distilling.consolidating import Consolidator
from app.services.distilling.facts import FactStep
from app.services.distilling.outdated import OutdatedStep
from app.services.distilling.periods import PeriodSummariser
from app.services.distilling.sentence_vectors import SentenceVectors
from app.services.distilling.summarising import Summariser, SummaryStep
from app.services.distilling.summing_up import SummaryDesk
from app.services.distilling.tools import ToolStep
from app.services.erasing.erasure import ErasureDesk
from app.services.erasing.forget import Forgetter
from app.services.erasing.scouring import Scourer
from app.services.indexing.healing import Healer
from app.services.indexing.indexer import Indexer, IndexerLimits
from app.services.indexing.reviving import Reviver, SearchWatch
from app.services.memories.keep import MemoryKeeper
from app.services.memories.prepare import MemoryPreparer
from app.services.memories.stewarding import Steward
from app.services.packing.history import Historian
from app.services.packing.introducing import Introducer
from app.services.packing.packer import Packer
from app.services.writing.echo_guard import EchoGuard
from app.services.writing.ingest import Ingestor, Stored
from app.services.writing.prepare import Preparer
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

    async def mend(self) -> bool:
        if self.down:
            raise EmbedderUnavailable
        return False


class TroubledVectors(FakeVectorIndex):
    def __init__(self, dimension: int) -> None:
        super().__init__(dimension)
        self.down = False
        self.lost = False
        self.flushes = 0
        self.flushing_fails = False
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

    async def mend(self) -> bool:
        self._check()
        lost, self.lost = self.lost, False
        if lost:
            self._points.clear()
        return lost

    async def flush(self) -> None:
        if self.flushing_fails:
            raise VectorIndexUnavailable
        self.flushes += 1

    async def all(self) -> list[ItemKey]:
        return [key async for batch in self.keys() for key in batch]

    def _check(self) -> None:
        if self.down:
            raise VectorIndexUnavailable


class EveryWord:
    """A list that has them all."""

    def __contains__(self, word: object) -> bool:
        return True


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
        self.flags = FlagBoard(store=store, clock=self.clock)
        self.ingestor = Ingestor(
            store=store,
            preparer=Preparer(self.tokens, self.ids),
            guard=EchoGuard(store=store, recorder=self.recorder),
            flags=self.flags,
            clock=self.clock,
            new_id=self.ids,
        )
        self.keeper = MemoryKeeper(
            store=store, preparer=MemoryPreparer(self.tokens, self.ids), clock=self.clock
        )
        self.indexer = Indexer(
            store=store,
            embedder=self.embedder,
            vectors=self.vectors,
            telemetry=self.telemetry,
            clock=self.clock,
            limits=limits or IndexerLimits(),
        )
        self.sentences = SentenceVectors(store=store, embedder=self.embedder)
        self.summariser = Summariser(
            store=store, sentences=self.sentences, keeper=self.keeper, tokens=self.tokens
        )
        self.summaries = SummaryDesk(store=store, flags=self.flags, summariser=self.summariser)
        self.cascade = Cascade(
            store=store,
            summariser=PeriodSummariser(
                store=store, sentences=self.sentences, keeper=self.keeper, tokens=self.tokens
            ),
            clock=self.clock,
        )
        self.consolidator = Consolidator(
            store=store,
            flags=self.flags,
            telemetry=self.telemetry,
            clock=self.clock,
            steps=[
                FactStep(keeper=self.keeper),
                ToolStep(store=store, keeper=self.keeper),
                SummaryStep(summariser=self.summariser, tokens=200),
                OutdatedStep(),
                PeriodStep(),
            ],
            cascade=self.cascade,
        )
        self.healer = Healer(
            store=store,
            embedder=self.embedder,
            vectors=self.vectors,
            indexer=self.indexer,
            clock=self.clock,
        )
        self.reviver = Reviver(
            watch=SearchWatch(
                embedder=self.embedder,
                vectors=self.vectors,
                healer=self.healer,
                indexer=self.indexer,
            )
        )
        self.scourer = Scourer(store=store)
        erasures = ErasureDesk(
            store=store,
            cache=self.cache,
            recorder=self.recorder,
            scourer=self.scourer,
            new_id=self.ids,
        )
        self.forgetter = Forgetter(
            store=store,
            desk=erasures,
            vectors=self.vectors,
            indexer=self.indexer,
            clock=self.clock,
            resummarise=self.summaries.rebuild,
        )
        self.recaller = Recaller(
            store=store,
            embedder=self.embedder,
            vectors=self.vectors,
            telemetry=self.telemetry,
            deadline=5.0,
        )
        self.surveyor = Surveyor(store, self.flags, self.clock)
        self.forge = ContextForge(
            speller=Speller(store=store, words=EveryWord()),
            follower=Follower(store=store),
            recaller=self.recaller,
            hydrator=Hydrator(store=store, embedder=self.embedder),
            completer=Completer(store=store, embedder=self.embedder),
            historian=Historian(self.tokens),
            packer=Packer(self.tokens),
            teller=EntityTeller(self.tokens),
            telemetry=self.telemetry,
            clock=self.clock,
            new_id=self.ids,
            limits=ForgeLimits(floor=0.1, sufficient=0.1),
        )
        self.replayer = Replayer(
            store=store,
            recorder=self.recorder,
            embedder=self.embedder,
            introducer=Introducer(self.tokens),
            tokens=self.tokens,
            clock=self.clock,
        )
        self.steward = Steward(store=store, desk=erasures, clock=self.clock)
        self.pulse = Pulse(store=store, clock=self.clock)
        self.cached = CachedForge(
            surveyor=self.surveyor,
            flags=self.flags,
            forge=self.forge,
            cache=self.cache,
            recorder=self.recorder,
            pulse=self.pulse,
            replayer=self.replayer,
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

    async def distil(self) -> None:
        """The same of what is to be distilled."""
        while await self.consolidator.work_once():
            pass

    async def outbox(self) -> OutboxState:
        async with self.store.observe() as observations:
            return await observations.state(now=self.clock())

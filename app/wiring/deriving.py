"""Which class plays which part in deriving: vectors, names, facts and summaries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, partial

from uuid_utils.compat import uuid7

from app.adapters.language_model import read_prompts
from app.adapters.sql.store import SqlStore
from app.adapters.telemetry import PrometheusTelemetry
from app.adapters.tokenizer import BpeTokenCounter
from app.ports.language import LanguageModel, Recogniser
from app.services.common.flagging import FlagBoard
from app.services.common.pacing import Traffic
from app.services.distilling.cascading import Cascade, CascadeLimits, PeriodStep
from app.services.distilling.consolidating import Consolidator, ConsolidatorLimits
from app.services.distilling.facts import FactStep
from app.services.distilling.linking import Linker
from app.services.distilling.outdated import OutdatedStep
from app.services.distilling.periods import PeriodSummariser
from app.services.distilling.rewording import FactReader, SummaryWriter
from app.services.distilling.sentence_vectors import SentenceVectors
from app.services.distilling.step import Step
from app.services.distilling.summarising import Summariser, SummaryStep
from app.services.distilling.summing_up import SummaryDesk
from app.services.distilling.tools import ToolStep
from app.services.indexing.generations import Generations, ServingEmbedder, ServingIndex
from app.services.indexing.indexer import Indexer, IndexerLimits
from app.services.indexing.succession import Successor
from app.services.memories.keep import MemoryKeeper
from app.services.memories.prepare import MemoryPreparer
from app.settings import Settings
from app.wiring.succeeding import retire


def now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, kw_only=True)
class DerivingParts:
    """
    What makes projections of what was said, made of what the settings opened; each part is made
    when it is first asked for, and once.
    """

    settings: Settings
    telemetry: PrometheusTelemetry
    store: SqlStore
    tokens: BpeTokenCounter
    generations: Generations
    language: LanguageModel | None = None
    """Makes better summaries and finds more facts, where one is set."""
    recogniser: Recogniser | None = None
    """Finds more names, where one is set."""

    @property
    def embedder(self) -> ServingEmbedder:
        return self.generations.embedder

    @property
    def vectors(self) -> ServingIndex:
        return self.generations.vectors

    @cached_property
    def traffic(self) -> Traffic:
        return Traffic(share=self.settings.distil.share)

    @cached_property
    def successor(self) -> Successor:
        return Successor(
            store=self.store,
            generations=self.generations,
            clock=now,
            retire=partial(retire, self.settings),
        )

    @cached_property
    def indexer(self) -> Indexer:
        chosen = self.settings.indexer
        indexer = Indexer(
            store=self.store,
            embedder=self.embedder,
            vectors=self.vectors,
            hold=self.generations.holding,
            telemetry=self.telemetry,
            clock=now,
            traffic=self.traffic,
            limits=IndexerLimits(
                batch=chosen.batch,
                idle=chosen.idle_s,
                lease=chosen.lease_s,
                attempts=chosen.attempts,
            ),
        )
        indexer.follow = self.successor.follow
        return indexer

    @cached_property
    def board(self) -> FlagBoard:
        """`unavailable` is told by whoever knows what is missing."""
        return FlagBoard(store=self.store, clock=now, unavailable=self.unavailable)

    @property
    def unavailable(self) -> Mapping[str, str]:
        """Flags that change nothing here, and why."""
        return {}

    @cached_property
    def keeper(self) -> MemoryKeeper:
        return MemoryKeeper(
            store=self.store,
            preparer=MemoryPreparer(self.tokens, uuid7),
            clock=now,
            lifetimes=self.settings.lifetimes.by_type(),
            metadata_bytes=self.settings.limits.metadata_bytes,
        )

    @cached_property
    def consolidator(self) -> Consolidator:
        chosen = self.settings.distil
        consolidator = Consolidator(
            store=self.store,
            flags=self.board,
            telemetry=self.telemetry,
            clock=now,
            steps=self.steps,
            cascade=Cascade(
                store=self.store,
                summariser=self._period_summariser,
                clock=now,
                traffic=self.traffic,
                limits=CascadeLimits(
                    batch=chosen.batch if self.language is None else 1,
                    lease=chosen.lease_s,
                    attempts=chosen.attempts,
                ),
            ),
            then=self.indexer.wake,
            traffic=self.traffic,
            limits=ConsolidatorLimits(
                # A model that takes its time must not outlast the lease of what waits behind.
                batch=chosen.batch if self.language is None else 1,
                messages=chosen.messages,
                tokens=chosen.tokens,
                idle=chosen.idle_s,
                lease=chosen.lease_s,
                attempts=chosen.attempts,
            ),
        )
        self.indexer.then = consolidator.wake
        return consolidator

    @property
    def steps(self) -> Sequence[Step]:
        """What is distilled from conversations, in order."""
        return [
            self._linker,
            FactStep(keeper=self.keeper, reader=self._fact_reader),
            ToolStep(store=self.store, keeper=self.keeper),
            SummaryStep(summariser=self.summariser, tokens=self.settings.distil.summary_tokens),
            OutdatedStep(has_model=self.language is not None),
            PeriodStep(),
        ]

    @property
    def _linker(self) -> Linker:
        return Linker(store=self.store, new_id=uuid7, recogniser=self.recogniser)

    @cached_property
    def summariser(self) -> Summariser:
        return Summariser(
            store=self.store,
            sentences=self._sentences,
            keeper=self.keeper,
            tokens=self.tokens,
            writer=self._summary_writer("summary"),
        )

    @cached_property
    def _sentences(self) -> SentenceVectors:
        return SentenceVectors(store=self.store, embedder=self.embedder)

    @property
    def _period_summariser(self) -> PeriodSummariser:
        return PeriodSummariser(
            store=self.store,
            sentences=self._sentences,
            keeper=self.keeper,
            tokens=self.tokens,
            writer=self._summary_writer("period"),
        )

    def _summary_writer(self, prompt: str) -> SummaryWriter | None:
        if self.language is None:
            return None
        wanted = read_prompts()[prompt]
        return SummaryWriter(model=self.language, tokens=self.tokens, prompt=wanted)

    @property
    def _fact_reader(self) -> FactReader | None:
        if self.language is None:
            return None
        prompt = read_prompts()["facts"]
        return FactReader(model=self.language, tokens=self.tokens, prompt=prompt)

    @cached_property
    def summaries(self) -> SummaryDesk:
        return SummaryDesk(store=self.store, flags=self.board, summariser=self.summariser)

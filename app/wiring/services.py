"""Which class plays which part: every service."""

import time
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from uuid_utils.compat import uuid7

from app.adapters.late import LateReranker
from app.adapters.sql.health.checkup import Checkup
from app.adapters.weights import read_weights
from app.api.answers import JsonAnswers
from app.api.deps import Proxy, Services
from app.domain.context import Source
from app.ports.upstream import Upstream
from app.ranking.offering import Division
from app.services.answering.cached import CachedForge
from app.services.answering.replaying import Replayer
from app.services.common.jobs import Jobs
from app.services.context.completing import Completer
from app.services.context.following import Follower
from app.services.context.forge import ContextForge
from app.services.context.gathering import ForgeLimits
from app.services.context.hydrate import Hydrator
from app.services.context.recall import Recaller
from app.services.context.refine import Refiner, RefinerLimits
from app.services.context.relating import EntityTeller
from app.services.context.situation import Surveyor
from app.services.context.spelling import Speller
from app.services.indexing.reviving import RerankerWatch, Watch
from app.services.memories.stewarding import Steward
from app.services.memories.viewing import Viewer
from app.services.moving.exporting import Exporter
from app.services.moving.importing import Importer
from app.services.operating.doctor import Doctor
from app.services.operating.measuring import Meter
from app.services.operating.readiness import Readiness
from app.services.operating.sharing import Shared
from app.services.packing.history import Historian
from app.services.packing.introducing import Introducer
from app.services.packing.packer import Packer
from app.services.proxy.exchanges import ExchangeKeeper
from app.services.proxy.named import Named
from app.services.proxy.prompting import Prompter
from app.services.writing.echo_guard import EchoGuard
from app.services.writing.ingest import Ingestor
from app.services.writing.prepare import Preparer
from app.services.writing.waiting import IndexWaiter
from app.settings import revealed
from app.wiring.backing_up import back_up
from app.wiring.deriving import now
from app.wiring.keys import key_ring
from app.wiring.upkeep import UpkeepParts

_SIZES_KEPT_S = 60.0
"""How long the sizes are told that were found once."""


@dataclass(frozen=True, kw_only=True)
class Parts(UpkeepParts):
    """The same, and what answers requests."""

    reranker: LateReranker | None
    checkup: Checkup | None
    upstream: Upstream | None = None
    words: Container[str] = ()

    @cached_property
    def services(self) -> Services:
        """What requests and commands ask for."""
        store = self.store
        return Services(
            store=store,
            ingestor=self._ingestor,
            importer=Importer(
                store=store,
                ingestor=self._ingestor,
                keeper=self.keeper,
                steward=self._steward,
                clock=now,
            ),
            exporter=Exporter(store=store, clock=now, logbook=self.logbook),
            keeper=self.keeper,
            viewer=Viewer(self.tokens),
            waiter=self._waiter,
            forge=self._cached_forge,
            replayer=self._replayer,
            forgetter=self.forgetter,
            pruner=self.pruner,
            jobs=Jobs(clock=now, new_id=uuid7),
            reindexer=self.reindexer,
            consolidator=self.consolidator,
            traffic=self.traffic,
            summaries=self.summaries,
            doctor=self._doctor,
            at_work=self.workers.running,
            back_up=partial(back_up, self.settings, store, self.logbook),
            readiness=self._readiness,
            sizes=Shared(look=self._readiness.sizes, seconds=_SIZES_KEPT_S, timer=time.monotonic),
            telemetry=self.telemetry,
            doorkeeper=self.doorkeeper,
            keys=key_ring(store, now),
            proxy=self._proxy,
            spool=self.settings.data_dir,
            flags=self.board,
            meter=Meter(store=store, clock=now),
            steward=self._steward,
        )

    @cached_property
    def _steward(self) -> Steward:
        return Steward(store=self.store, desk=self.erasures, clock=now)

    @property
    def watches(self) -> Sequence[Watch]:
        others = super().watches
        return others if self.reranker is None else [*others, RerankerWatch(reranker=self.reranker)]

    @property
    def unavailable(self) -> Mapping[str, str]:
        return {} if self.reranker else {"rerank": "no reranking model is set"}

    @cached_property
    def _ingestor(self) -> Ingestor:
        return Ingestor(
            store=self.store,
            preparer=Preparer(self.tokens, uuid7),
            guard=EchoGuard(store=self.store, recorder=self.recorder),
            flags=self.board,
            clock=now,
            new_id=uuid7,
        )

    @cached_property
    def _doctor(self) -> Doctor:
        return Doctor(
            store=self.store,
            clinic=self.store,
            embedder=self.embedder,
            vectors=self.vectors,
            reindexer=self.reindexer,
            forgetter=self.forgetter,
            clock=now,
        )

    @cached_property
    def _readiness(self) -> Readiness:
        look_s, embedder = self.settings.server.look_s, self.settings.embedder
        return Readiness(
            store=self.store,
            embedder=self.embedder,
            reranker=self.reranker,
            vectors=self.vectors,
            healer=self.healer,
            rebuilder=self.rebuilder,
            successor=self.successor,
            consolidator=self.consolidator,
            telemetry=self.telemetry,
            clock=now,
            damage=lambda: self.checkup.damage if self.checkup else None,
            refusal=self.store.database.refusals.within,
            look_s=look_s,
            semantic_missed_at=partial(self.telemetry.missed_at, Source.SEMANTIC),
            embedder_look_s=look_s if embedder.kind == "compiled" else embedder.look_s,
        )

    @cached_property
    def _replayer(self) -> Replayer:
        return Replayer(
            store=self.store,
            recorder=self.recorder,
            embedder=self.embedder,
            introducer=Introducer(self.tokens),
            tokens=self.tokens,
            clock=now,
        )

    @cached_property
    def _cached_forge(self) -> CachedForge:
        return CachedForge(
            surveyor=Surveyor(self.store, self.board, now),
            flags=self.board,
            forge=self._forge,
            cache=self.cache,
            recorder=self.recorder,
            pulse=self.pulse,
            replayer=self._replayer,
            renderer=JsonAnswers(),
            telemetry=self.telemetry,
            hold=self.generations.holding,
        )

    @cached_property
    def _waiter(self) -> IndexWaiter:
        return IndexWaiter(self.store, self.indexer)

    @cached_property
    def _proxy(self) -> Proxy | None:
        if self.upstream is None:
            return None
        chosen = self.settings.proxy
        exchanges = ExchangeKeeper(
            store=self.store,
            ingestor=self._ingestor,
            waiter=self._waiter,
            telemetry=self.telemetry,
            longest=self.settings.limits.message_chars,
            most_called=self.settings.limits.metadata_bytes,
        )
        self.forgetter.waiting.append(exchanges.drop)
        return Proxy(
            upstream=self.upstream,
            prompter=Prompter(
                store=self.store,
                forge=self._cached_forge,
                telemetry=self.telemetry,
                deadline=chosen.deadline_s,
            ),
            exchanges=exchanges,
            named=Named(),
            api_key=revealed(chosen.api_key),
            budget_tokens=chosen.budget_tokens,
            joined=chosen.placement == "joined",
        )

    @cached_property
    def _forge(self) -> ContextForge:
        chosen = self.settings.retrieval
        return ContextForge(
            speller=Speller(
                store=self.store,
                words=self.words,
                lexical_complete=self._recaller.lexical_complete,
            ),
            follower=Follower(store=self.store),
            recaller=self._recaller,
            hydrator=Hydrator(store=self.store, embedder=self.embedder),
            completer=Completer(store=self.store, embedder=self.embedder),
            historian=Historian(self.tokens, chosen.summary_share),
            packer=Packer(
                self.tokens,
                chosen.profile_share,
                Division(
                    summaries=chosen.summary_share,
                    facts=chosen.fact_share,
                    tools=chosen.tool_items,
                ),
            ),
            teller=EntityTeller(self.tokens),
            telemetry=self.telemetry,
            clock=now,
            new_id=uuid7,
            limits=ForgeLimits(
                per_source=chosen.per_source, floor=chosen.floor, sufficient=chosen.sufficient
            ),
            model=read_weights(chosen.weights),
            refiner=self._refiner,
        )

    @cached_property
    def _recaller(self) -> Recaller:
        return Recaller(
            store=self.store,
            embedder=self.embedder,
            vectors=self.vectors,
            telemetry=self.telemetry,
            deadline=self.settings.retrieval.deadline_s,
            lexical_complete=lambda: self.rebuilder.complete,
            semantic_complete=lambda: self.generations.whole and self.healer.complete,
        )

    @cached_property
    def _refiner(self) -> Refiner | None:
        if self.reranker is None:
            return None
        chosen = self.settings.reranker
        return Refiner(
            reranker=self.reranker,
            telemetry=self.telemetry,
            limits=RefinerLimits(
                deadline=chosen.deadline_s, candidates=chosen.candidates, share=chosen.share
            ),
        )

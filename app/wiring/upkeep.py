"""Which class plays which part behind the answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property

from uuid_utils.compat import uuid7

from app.adapters.cache import CacheLimits, TtlAnswerCache
from app.adapters.sql.copies.replica import replica_of
from app.services.access.admit import Doorkeeper
from app.services.answering.pulse import Pulse
from app.services.answering.recording import Recorder
from app.services.common.logbook import Logbook
from app.services.erasing.erasure import ErasureDesk
from app.services.erasing.forget import Forgetter
from app.services.erasing.pruning import Pruner
from app.services.erasing.scouring import Scourer
from app.services.indexing.healing import Healer
from app.services.indexing.labelling import LabelIndexer
from app.services.indexing.rebuilding import Rebuilder
from app.services.indexing.reviving import Reviver, SearchWatch, Watch
from app.services.operating.reindex import Reindexer
from app.services.operating.relinking import Relinker
from app.services.operating.workers import Janitor, Workers
from app.wiring.deriving import DerivingParts, now
from app.wiring.guarding import a_doorkeeper


@dataclass(frozen=True, kw_only=True)
class UpkeepParts(DerivingParts):
    """The same, and what keeps the store and its projections right."""

    @cached_property
    def workers(self) -> Workers:
        """What goes on behind the answers."""
        return Workers(
            indexer=self.indexer,
            consolidator=self.consolidator,
            revivers=[Reviver(watch=each) for each in self.watches],
            rebuilder=self.rebuilder,
            labels=self.labels,
            recorder=self.recorder,
            pulse=self.pulse,
            forgetter=self.forgetter,
            successor=self.successor,
            janitor=Janitor(store=self.store, recorder=self.recorder, clock=now, new_id=uuid7),
            scourer=self.scourer,
            pruner=self.pruner,
            doorkeeper=self.doorkeeper,
            uses_noted_every=self.settings.keys.noted_s,
        )

    @property
    def watches(self) -> Sequence[Watch]:
        """Over what may be missing at start or get lost, and comes back."""
        return [
            SearchWatch(
                embedder=self.embedder,
                vectors=self.vectors,
                healer=self.healer,
                indexer=self.indexer,
                others=self.generations.everywhere,
            )
        ]

    @cached_property
    def cache(self) -> TtlAnswerCache:
        chosen = self.settings.cache
        return TtlAnswerCache(
            CacheLimits(entries=chosen.entries, megabytes=chosen.megabytes, seconds=chosen.ttl_s)
        )

    @cached_property
    def recorder(self) -> Recorder:
        return Recorder(store=self.store)

    @cached_property
    def erasures(self) -> ErasureDesk:
        return ErasureDesk(
            store=self.store,
            cache=self.cache,
            recorder=self.recorder,
            scourer=self.scourer,
            new_id=uuid7,
            replica=replica_of(self.store.database),
        )

    @cached_property
    def scourer(self) -> Scourer:
        return Scourer(store=self.store)

    @cached_property
    def pulse(self) -> Pulse:
        return Pulse(store=self.store, clock=now)

    @cached_property
    def doorkeeper(self) -> Doorkeeper:
        return a_doorkeeper(self.settings, self.store, now)

    @cached_property
    def rebuilder(self) -> Rebuilder:
        return Rebuilder(store=self.store)

    @cached_property
    def labels(self) -> LabelIndexer:
        return LabelIndexer(store=self.store)

    @cached_property
    def healer(self) -> Healer:
        return Healer(
            store=self.store,
            embedder=self.embedder,
            vectors=self.vectors,
            indexer=self.indexer,
            clock=now,
            may=lambda: self.generations.whole,
        )

    @cached_property
    def reindexer(self) -> Reindexer:
        store = self.store
        return Reindexer(
            store=store,
            clinic=store,
            indexer=self.indexer,
            healer=self.healer,
            rebuilder=self.rebuilder,
            labels=self.labels,
            relinker=Relinker(
                store=store, clinic=store, linker=self._linker, flags=self.board, clock=now
            ),
            consolidator=self.consolidator,
            logbook=self.logbook,
            clock=now,
        )

    @cached_property
    def logbook(self) -> Logbook:
        return Logbook(store=self.store, clock=now, tenant=self.settings.keys.logged_under)

    @cached_property
    def pruner(self) -> Pruner:
        days = self.settings.pruning.after_days
        return Pruner(
            store=self.store,
            forgetter=self.forgetter,
            clock=now,
            after=None if days is None else timedelta(days=days),
        )

    @cached_property
    def forgetter(self) -> Forgetter:
        return Forgetter(
            store=self.store,
            desk=self.erasures,
            vectors=self.generations.everywhere,
            indexer=self.indexer,
            clock=now,
            resummarise=self.summaries.rebuild,
        )

"""Building the context an agent reads before its next turn."""

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from app.domain.context import (
    Candidate,
    ContextBundle,
    ContextRequest,
    Degraded,
    Dropped,
    Intent,
    Source,
)
from app.domain.conversation import Message, Scope
from app.domain.ids import BundleId, ItemKey
from app.domain.memory import Table, item_key
from app.ports import Clock, NewId, Telemetry
from app.ranking.bm25 import idf
from app.ranking.candidates import NOTHING, Ranked, Taste, rank
from app.ranking.model import RelevanceModel
from app.ranking.pool import Pool, QueryView
from app.services.hydrate import Hydrator, Wanted
from app.services.packing import Packed, Packer
from app.services.recall import Found, Recaller, Situation
from app.text.intent import intent_of
from app.text.negation import split_exclusions
from app.text.times import intervals_of
from app.text.wording import wording_of

_GOOD_ONES = 3
"""With fewer good items than this, the running conversation is not enough and all is searched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgeLimits:
    """
    Candidates asked of each source, at least and at most; the least relevance let in, and that of
    a likely answer.
    """

    per_source: int = 60
    per_source_most: int = 500
    floor: float = 0.25
    sufficient: float = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was found for a request, as ranking needs it."""

    history: Sequence[Message]
    found: Found
    sources: Mapping[ItemKey, frozenset[Source]]
    query: QueryView
    pool: Pool
    seconds: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """What was found and ranked for a request, before any budget."""

    history: Sequence[Message] = ()
    ranked: Ranked
    candidates: int = 0
    found: Found | None = None
    seconds: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """Candidates, best first. `timings` in seconds."""

    intent: Intent
    candidates: Sequence[Candidate]
    sufficient: bool
    degraded: Sequence[Degraded]
    timings: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextForge:
    """Recalls, refines and packs memory for one turn."""

    recaller: Recaller
    hydrator: Hydrator
    packer: Packer
    telemetry: Telemetry
    clock: Clock
    new_id: NewId
    limits: ForgeLimits
    model: RelevanceModel | None = None

    async def build(self, request: ContextRequest, situation: Situation | None) -> ContextBundle:
        """
        Build the bundle for `request`; an empty one without a situation: nothing was ever said.

        Raises:
            StoreUnavailable: What was found could not be read.
        """
        started = time.perf_counter()
        gathered = await self.gather(request, situation)
        packing = time.perf_counter()
        packed = self.packer.pack(request, gathered.history, gathered.ranked)
        ended = time.perf_counter()
        seconds = {**gathered.seconds, "pack": ended - packing, "total": ended - started}
        bundle = self._bundle(request, gathered, packed, seconds)
        self._tell(bundle)
        return bundle

    async def search(self, request: ContextRequest, situation: Situation | None) -> SearchResult:
        """
        The best candidates for `request`, without history and budget.

        Raises:
            StoreUnavailable: What was found could not be read.
        """
        started = time.perf_counter()
        gathered = await self.gather(request, situation)
        ranked = gathered.ranked
        ended = time.perf_counter()
        return SearchResult(
            intent=intent_of(request.query),
            candidates=[ranked.candidate(at) for at in ranked.order[: request.max_items]],
            sufficient=ranked.sufficient,
            degraded=gathered.found.degraded if gathered.found else (),
            timings={**gathered.seconds, "total": ended - started},
        )

    async def gather(self, request: ContextRequest, situation: Situation | None) -> Gathered:
        """Candidates in order: the running conversation first, everything where that is little."""
        if situation is None:
            return Gathered(ranked=NOTHING, seconds={})
        request = _understood(request)
        inside = situation.in_conversation()
        if inside is not None:
            gathered = await self._gather(request, inside)
            if gathered.ranked.good >= _GOOD_ONES:
                return gathered
        return await self._gather(request, situation)

    async def ask(self, request: ContextRequest, situation: Situation) -> Asked:
        """What the sources find for `request`, read and not yet ranked."""
        limit = max(self.limits.per_source, min(request.max_items, self.limits.per_source_most))
        found = await self.recaller.recall(request, situation, limit=limit)
        history = self.packer.history(request, found.episode.tail)
        hydrating = time.perf_counter()
        wanted = Wanted(
            query=_view(request, self._now(request), situation.scope, found),
            sources=_sources(found, without=history),
            history=history,
            exclude_terms=request.filters.exclude_terms,
        )
        pool, sources = await self.hydrator.pool(wanted, situation)
        return Asked(
            history=history,
            found=found,
            sources=sources,
            query=wanted.query,
            pool=pool,
            seconds={**found.seconds, "hydrate": time.perf_counter() - hydrating},
        )

    async def _gather(self, request: ContextRequest, situation: Situation) -> Gathered:
        asked = await self.ask(request, situation)
        ranking = time.perf_counter()
        ranked = rank(asked.query, asked.pool, asked.sources, self._taste(request), self.model)
        return Gathered(
            history=asked.history,
            ranked=ranked,
            candidates=len(asked.pool.recalled),
            found=asked.found,
            seconds={**asked.seconds, "rerank": time.perf_counter() - ranking},
        )

    def _taste(self, request: ContextRequest) -> Taste:
        return Taste(
            weights=request.weights,
            preferred_labels=frozenset(request.preferred_labels),
            floor=self.limits.floor,
            sufficient=self.limits.sufficient,
            min_score=request.min_score,
            now=self._now(request).timestamp(),
            explain=request.explain,
        )

    def _now(self, request: ContextRequest) -> datetime:
        return request.as_of or self.clock()

    def _bundle(
        self,
        request: ContextRequest,
        gathered: Gathered,
        packed: Packed,
        seconds: Mapping[str, float],
    ) -> ContextBundle:
        dropped: Sequence[Dropped] = ()
        if request.explain:
            read = gathered.ranked.recalled.read
            left = (*packed.dropped, *gathered.ranked.dropped)
            dropped = [Dropped(id=read(at).id, reason=reason) for at, reason in left]
        return ContextBundle(
            id=BundleId(self.new_id()),
            query=request.query,
            intent=intent_of(request.query),
            recent_history=packed.history,
            retrieved=packed.candidates,
            text=packed.text,
            messages=packed.messages,
            total_tokens=packed.tokens,
            budget_tokens=request.budget_tokens,
            candidates=gathered.candidates,
            deduplicated=gathered.ranked.deduplicated,
            sufficient=gathered.ranked.sufficient,
            degraded=gathered.found.degraded if gathered.found else (),
            dropped=dropped,
            timings=seconds,
            created_at=self.clock(),
        )

    def _tell(self, bundle: ContextBundle) -> None:
        for stage, seconds in bundle.timings.items():
            self.telemetry.stage_done(stage, seconds)
        self.telemetry.bundle_built(
            items=len(bundle.retrieved),
            tokens=bundle.total_tokens,
            budget=bundle.budget_tokens,
            deduplicated=bundle.deduplicated,
            candidates=bundle.candidates,
        )


def _understood(request: ContextRequest) -> ContextRequest:
    """What the query says that it does not want becomes a filter."""
    query, excluded = split_exclusions(request.query)
    if not excluded:
        return request
    unwanted = (*request.filters.exclude_terms, *excluded)
    return replace(request, query=query, filters=replace(request.filters, exclude_terms=unwanted))


def _sources(found: Found, *, without: Sequence[Message]) -> dict[ItemKey, frozenset[Source]]:
    """Which sources found each item; what is in the history already is not found again."""
    by_item: defaultdict[ItemKey, set[Source]] = defaultdict(set)
    for key, _ in found.near.hits:
        by_item[key].add(Source.SEMANTIC)
    for key in found.lexical.keys:
        by_item[key].add(Source.LEXICAL)
    for key in found.episode.pinned:
        by_item[key].add(Source.PINNED)
    shown = {item_key(Table.MESSAGE, message.key) for message in without}
    return {key: frozenset(each) for key, each in sorted(by_item.items()) if key not in shown}


def _view(request: ContextRequest, now: datetime, scope: Scope, found: Found) -> QueryView:
    frequency = found.lexical.document_frequency
    unknown = [term for term in found.terms.terms if term not in frequency]
    weights = idf(scope.messages, [*frequency.values(), *(0 for _ in unknown)])
    return QueryView(
        vector=found.near.vector,
        terms=list(frequency),
        idf=weights[: len(frequency)],
        idf_mass=float(weights.sum()),
        average_length=scope.terms / scope.messages if scope.messages else 0.0,
        intervals=intervals_of(request.query, now),
        wording=wording_of(request.query),
    )

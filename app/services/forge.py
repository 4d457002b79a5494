"""Building the context an agent reads before its next turn."""

import re
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
from app.ports import Clock, Embedder, NewId, Telemetry
from app.ports.store import Store
from app.ranking.bm25 import idf
from app.ranking.candidates import NOTHING, Ranked, Taste, rank
from app.ranking.pieces import best_of_each, chunks_in, wholes, without_pieces
from app.ranking.pool import Pool, QueryView, Recalled
from app.services.packing import Packed, Packer
from app.services.recall import Found, Recaller, Situation
from app.text.excerpt import shown_of
from app.text.intent import intent_of
from app.text.negation import split_exclusions
from app.text.scripts import fold
from app.text.terms import exclusion
from app.text.times import Interval, intervals_of

_GOOD_ONES = 3
"""With fewer good items than this, the running conversation is not enough and all is searched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgeLimits:
    """Candidates asked of each source, at least and at most, and the least relevance let in."""

    per_source: int = 60
    per_source_most: int = 500
    floor: float = 0.25


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

    store: Store
    recaller: Recaller
    embedder: Embedder
    packer: Packer
    telemetry: Telemetry
    clock: Clock
    new_id: NewId
    limits: ForgeLimits

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
            sufficient=ranked.good > 0,
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

    async def _gather(self, request: ContextRequest, situation: Situation) -> Gathered:
        limit = max(self.limits.per_source, min(request.max_items, self.limits.per_source_most))
        found = await self.recaller.recall(request, situation, limit=limit)
        history = self.packer.history(request, found.episode.tail)
        sources = _sources(found, without=history)
        intervals = intervals_of(request.query, self._now(request))
        query = _view(situation.scope, found, intervals)
        hydrating = time.perf_counter()
        recalled = await self._hydrate(request, situation, query, sources)
        recalled = _not_shown(recalled, history)
        ranking = time.perf_counter()
        ranked = self._rank(request, query, recalled, sources)
        ended = time.perf_counter()
        return Gathered(
            history=history,
            ranked=ranked,
            candidates=len(recalled),
            found=found,
            seconds={
                **found.seconds,
                "hydrate": ranking - hydrating,
                "rerank": ended - ranking,
            },
        )

    async def _hydrate(
        self,
        request: ContextRequest,
        situation: Situation,
        query: QueryView,
        sources: dict[ItemKey, frozenset[Source]],
    ) -> Recalled:
        """
        What was found, as the smallest pieces: the best chunk instead of a message that has some.

        The best chunk counts as found by what found its message. What is pinned stays whole, beside
        its chunks, and so do messages where no chunk is wanted.
        """
        unwanted = exclusion(request.filters.exclude_terms)
        model, scopes = self.embedder.model, situation.within.scopes
        async with self.store.read(situation.tenant) as snapshot:
            hydrated = await snapshot.recall.hydrate(list(sources), scopes=scopes, model=model)
            recalled = _without(unwanted, hydrated)
            large = wholes(recalled)
            if not large or not situation.within.has_chunks():
                return recalled
            lacking = without_pieces(recalled, large)
            chunks = Recalled.nothing()
            if lacking:
                chunks = await snapshot.recall.chunks(sorted(lacking), scopes=scopes, model=model)
        pieces = recalled.only(chunks_in(recalled)).and_also(_without(unwanted, chunks))
        best = pieces.only(best_of_each(query, pieces, dimension=self.embedder.dimension))
        by_message = {recalled.messages[at]: sources[recalled.keys[at]] for at in large}
        for key, message in zip(best.keys, best.messages, strict=True):
            found = sources.get(key, frozenset())
            sources[key] = found | by_message.get(message, frozenset())
        missing = [at for at, message in enumerate(best.messages) if message in lacking]
        return _smallest(recalled, sources).and_also(best.only(missing))

    def _rank(
        self,
        request: ContextRequest,
        query: QueryView,
        recalled: Recalled,
        sources: Mapping[ItemKey, frozenset[Source]],
    ) -> Ranked:
        pool = Pool.of(recalled, dimension=self.embedder.dimension)
        taste = Taste(
            weights=request.weights,
            preferred_labels=frozenset(request.preferred_labels),
            floor=self.limits.floor,
            min_score=request.min_score,
            now=self._now(request).timestamp(),
        )
        return rank(query, pool, sources, taste)

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
            sufficient=gathered.ranked.good > 0,
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


def _view(scope: Scope, found: Found, intervals: Sequence[Interval]) -> QueryView:
    frequency = found.lexical.document_frequency
    unknown = [term for term in found.terms.terms if term not in frequency]
    weights = idf(scope.messages, [*frequency.values(), *(0 for _ in unknown)])
    return QueryView(
        vector=found.near.vector,
        terms=list(frequency),
        idf=weights[: len(frequency)],
        idf_mass=float(weights.sum()),
        average_length=scope.terms / scope.messages if scope.messages else 0.0,
        intervals=intervals,
    )


def _without(unwanted: re.Pattern[str] | None, recalled: Recalled) -> Recalled:
    if unwanted is None:
        return recalled
    contents = enumerate(recalled.contents)
    return recalled.only([at for at, said in contents if not unwanted.search(fold(said))])


def _smallest(recalled: Recalled, sources: Mapping[ItemKey, frozenset[Source]]) -> Recalled:
    """All but the messages that have chunks, unless they are pinned."""
    pieces = enumerate(zip(recalled.keys, recalled.pieces, strict=True))
    return recalled.only(
        [at for at, (key, count) in pieces if not count or Source.PINNED in sources[key]]
    )


def _not_shown(recalled: Recalled, history: Sequence[Message]) -> Recalled:
    """Without the chunks of what is in the history; of what was cut there, those behind the cut."""
    shown = {each.key: shown_of(each.content or "") for each in history}
    if not any(message in shown for message in recalled.messages):
        return recalled
    return recalled.only(
        [
            at
            for at, message in enumerate(recalled.messages)
            if message not in shown or (recalled.read(at).lineage[0].start or 0) >= shown[message]
        ]
    )

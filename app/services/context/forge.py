"""Building the context an agent reads before its next turn."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from app.domain.context import ContextBundle, ContextRequest, Degraded, Intent
from app.domain.ids import BundleId
from app.ports import Clock, NewId, Telemetry
from app.ranking.candidates import Taste, rank
from app.ranking.leading import led
from app.ranking.lifting import Ties
from app.ranking.model import RelevanceModel
from app.ranking.proximity import GRAPH_SHARE, nearness
from app.ranking.ranked import Ranked
from app.ranking.relevance import Relevance, relevance, reread
from app.services.context.completing import Completer
from app.services.context.following import Follower
from app.services.context.found import About
from app.services.context.gathering import (
    Asked,
    ForgeLimits,
    Fused,
    Gathered,
    LeftOut,
    SearchResult,
)
from app.services.context.hydrate import Hydrator, Wanted
from app.services.context.recall import Recaller
from app.services.context.refine import Refiner
from app.services.context.relating import EntityTeller
from app.services.context.situation import Situation
from app.services.context.spelling import Speller
from app.services.context.splitting import questions_in
from app.services.context.telling import tell_of
from app.services.context.timing import times_of
from app.services.context.understanding import sources_of, understood, view_of
from app.services.packing.history import Historian
from app.services.packing.packer import MAX_ITEMS, Packed, Packer
from app.text.intent import intent_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextForge:
    """Recalls, refines and packs memory for one turn."""

    speller: Speller
    follower: Follower
    recaller: Recaller
    hydrator: Hydrator
    completer: Completer
    historian: Historian
    packer: Packer
    teller: EntityTeller
    telemetry: Telemetry
    clock: Clock
    new_id: NewId
    limits: ForgeLimits
    model: RelevanceModel | None = None
    refiner: Refiner | None = None

    async def build(self, request: ContextRequest, situation: Situation | None) -> ContextBundle:
        """
        Build the bundle for `request`; an empty one without a situation: nothing was ever said.

        Raises:
            StoreUnavailable: What was found could not be read.
        """
        started = time.perf_counter()
        gathered, about = await self._with_profile(request, situation)
        if situation and gathered.told and situation.flags.hybrid:
            gathered = await self._complete(request, situation, gathered)
        if gathered.told:
            ranked = led(gathered.ranked, gathered.told.summary, self._taste(request))
            gathered = replace(gathered, ranked=ranked)
        packing = time.perf_counter()
        entities = self.teller.counted(gathered.related)
        kept_free = self.teller.kept_free(request, entities)
        room = replace(request, budget_tokens=request.budget_tokens - kept_free)
        packed = self.packer.pack(room, gathered.history, gathered.ranked, about.profile)
        if situation and situation.listener:
            for each in packed.candidates:
                situation.listener(each)
        entities, tokens = self.teller.shown(request, entities, taken=packed.tokens)
        packed = replace(packed, entities=entities, tokens=packed.tokens + tokens)
        ended = time.perf_counter()
        seconds = {**gathered.seconds, **about.seconds, "pack": ended - packing}
        seconds["total"] = ended - started
        began = {**gathered.began, **about.began, "pack": packing}
        gathered = replace(gathered, degraded=[*gathered.degraded, *about.degraded])
        bundle = self._bundle(request, gathered, packed, seconds, _after(started, began))
        tell_of(bundle, self.telemetry)
        return bundle

    async def _with_profile(
        self, request: ContextRequest, situation: Situation | None
    ) -> tuple[Gathered, About]:
        """What was found, and the profile: most users have none, and nothing is asked for it."""
        if situation is None or situation.profile_at is None:
            return await self.gather(request, situation), About()
        return await asyncio.gather(
            self.gather(request, situation), self.recaller.about(request, situation)
        )

    async def search(self, request: ContextRequest, situation: Situation | None) -> SearchResult:
        """
        The best candidates for `request`, without history and budget.

        Raises:
            StoreUnavailable: What was found could not be read.
        """
        started = time.perf_counter()
        gathered = await self.gather(replace(request, looks_up=True), situation)
        ranked = gathered.ranked
        ended = time.perf_counter()
        shown, more = ranked.order[: request.max_items], ranked.order[request.max_items :]
        left = [*((at, MAX_ITEMS) for at in more), *ranked.dropped] if request.explain else []
        return SearchResult(
            intent=intent_of(request.query),
            candidates=[ranked.candidate(at) for at in shown],
            left_out=[LeftOut(ranked.candidate(at), reason) for at, reason in left],
            sufficient=ranked.sufficient,
            degraded=gathered.degraded,
            timings={**gathered.seconds, "total": ended - started},
            starts=_after(started, gathered.began),
            respelled=gathered.respelled,
        )

    async def gather(self, request: ContextRequest, situation: Situation | None) -> Gathered:
        """
        Candidates in order, of what the question leans on as well; of several questions each is
        asked by itself.

        Everything is searched at once, the running conversation besides and first in rank; for
        small talk nothing is.
        """
        if situation is None:
            return Gathered()
        started = time.perf_counter()
        said, request = request.query, understood(request)
        request, respelled = await self.speller.corrected(request, situation)
        request, before = await self.follower.followed(request, situation, self._now(request))
        questions = questions_in(request.query)
        if respelled or before or len(questions) > 1:
            request = replace(request, in_full=said)
        asked = [replace(request, query=each) for each in questions]
        told_once = situation.told_once(len(asked))
        parts = [self._gathered(each, told_once, started) for each in asked]
        dimension = self.hydrator.embedder.dimension
        gathered = Gathered.together(await asyncio.gather(*parts), dimension=dimension)
        return replace(gathered, leans_on=before, respelled=respelled)

    async def _gathered(
        self, request: ContextRequest, situation: Situation, started: float
    ) -> Gathered:
        fused = await self._fuse(request, situation)
        return await self._refine(request, situation, fused, started)

    async def ask(self, request: ContextRequest, situation: Situation) -> Asked:
        """What the sources find for `request`, read, not yet ranked."""
        limit = max(self.limits.per_source, min(request.max_items, self.limits.per_source_most))
        now = self._now(request)
        times = times_of(request, now, situation)
        found = await self.recaller.recall(request, situation, now=now, limit=limit, times=times)
        told = self.historian.tell(request, found.episode.opening)
        hydrating = time.perf_counter()
        wanted = Wanted(
            query=view_of(found, times, situation, follow_up=request.follows_up),
            sources=sources_of(found, without=told),
            history=told.messages,
            shown=request.shown,
            looks_up=request.looks_up,
            in_full=request.in_full,
            exclude_terms=request.filters.exclude_terms,
            widened=bool(request.query)
            and situation.flags.hybrid
            and situation.within.of_whole_messages(),
        )
        read = await self.hydrator.pool(wanted, situation)
        return Asked(
            told=told,
            found=found,
            sources=read.sources,
            query=wanted.query,
            pool=read.pool,
            aside=read.aside,
            began={**found.began, "hydrate": hydrating},
            seconds={**found.seconds, "hydrate": time.perf_counter() - hydrating},
        )

    async def _fuse(self, request: ContextRequest, situation: Situation) -> Fused:
        asked = await self.ask(request, situation)
        ranking = time.perf_counter()
        judged = relevance(asked.query, asked.pool, self.model, explain=request.explain)
        ranked = self._ranked(request, asked, judged)
        return Fused(asked=asked, judged=judged, ranked=ranked, began=ranking)

    async def _refine(
        self, request: ContextRequest, situation: Situation, fused: Fused, started: float
    ) -> Gathered:
        """In the order of the reranker, where there is one and it answers in time."""
        asked, ranked = fused.asked, fused.ranked
        degraded = list(asked.found.degraded)
        worth_it = request.query and situation.flags.rerank and len(asked.pool.recalled)
        if self.refiner and worth_it:
            spent = time.perf_counter() - started
            left = None if request.deadline is None else request.deadline - spent
            recalled, score = asked.pool.recalled, fused.judged.score
            said = await self.refiner.read(request.query, recalled, score, left=left)
            if isinstance(said, Degraded):
                degraded.append(said)
            else:
                judged = reread(asked.pool, fused.judged, said)
                ranked = self._ranked(request, asked, judged)
        began = {**asked.began, "rerank": fused.began}
        seconds = {**asked.seconds, "rerank": time.perf_counter() - fused.began}
        return Gathered(
            told=asked.told,
            related=asked.found.related,
            neighbours=asked.pool.neighbours,
            ranked=ranked,
            aside=[asked.aside],
            degraded=degraded,
            began=began,
            seconds=seconds,
        )

    async def _complete(
        self, request: ContextRequest, situation: Situation, gathered: Gathered
    ) -> Gathered:
        started = time.perf_counter()
        ranked = await self.completer.complete(
            understood(request), situation, gathered.history, gathered.ranked, gathered.neighbours
        )
        began = {**gathered.began, "complete": started}
        seconds = {**gathered.seconds, "complete": time.perf_counter() - started}
        return replace(gathered, ranked=ranked, began=began, seconds=seconds)

    def _ranked(self, request: ContextRequest, asked: Asked, judged: Relevance) -> Ranked:
        near = nearness(asked.pool.recalled, asked.found.related.items)
        wanted = intent_of(request.query) is Intent.RELATION
        ties = Ties(near=near, share=GRAPH_SHARE if wanted else 0.0)
        return rank(asked.query, asked.pool, asked.sources, self._taste(request), judged, ties)

    def _taste(self, request: ContextRequest) -> Taste:
        return Taste(
            weights=request.weights,
            preferred_labels=frozenset(request.preferred_labels),
            floor=self.limits.floor,
            sufficient=self.limits.sufficient,
            min_score=request.min_score,
            now=self._now(request).timestamp(),
        )

    def _now(self, request: ContextRequest) -> datetime:
        return request.as_of or self.clock()

    def _bundle(
        self,
        request: ContextRequest,
        gathered: Gathered,
        packed: Packed,
        seconds: Mapping[str, float],
        starts: Mapping[str, float],
    ) -> ContextBundle:
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
            candidates=len(gathered.ranked.recalled),
            deduplicated=gathered.ranked.deduplicated,
            sufficient=gathered.ranked.sufficient,
            degraded=gathered.degraded,
            dropped=gathered.dropped(packed) if request.explain else (),
            timings=seconds,
            starts=starts,
            created_at=self.clock(),
            profile=packed.profile,
            related=packed.entities,
            rolling=packed.rolling,
            grouped=request.group_by_conversation,
            leans_on=gathered.leans_on,
            respelled=gathered.respelled,
        )


def _after(started: float, began: Mapping[str, float]) -> Mapping[str, float]:
    """Seconds from the start of a request to that of each stage."""
    return {stage: at - started for stage, at in began.items()}

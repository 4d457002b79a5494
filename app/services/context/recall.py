"""Asking every source at once, each within its time."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from logging import getLogger
from typing import TypeVar

from app.domain.context import ContextRequest, Degraded, Source
from app.domain.errors import ForewordError
from app.domain.profile import Profile
from app.domain.telling import Answered, Listener
from app.ports import Embedder, Telemetry, VectorIndex
from app.ports.store import Store
from app.ports.stored import LexicalAnswer, Opening
from app.services.context.entering import Episode, entered
from app.services.context.found import About, Found, Near
from app.services.context.knowing import known_profile
from app.services.context.places import beside, nearest, roomy
from app.services.context.relating import Related, relate
from app.services.context.situation import Situation
from app.services.context.timing import at_times
from app.text.intervals import Interval
from app.text.negation import split_exclusions
from app.text.terms import QueryTerms, excluded_terms, query_terms
from app.text.topic import topic_of, words_sought

T = TypeVar("T")

_log = getLogger(__name__)

_FOR_EXCLUDED = 3
"""As many neighbours are asked for where words are excluded: a vector does not know its words."""

_AT_A_TIME = 20
"""Messages that are found of a time that is asked for, however far they are from the best."""

_UNTIL_BEGUN = 2
"""Rounds of the event loop, after which a model in process has begun with what it is asked."""

_REBUILT = "being rebuilt"


@dataclass(slots=True)
class _Stopwatch:
    """
    Collects when each step began and what it took, and which source stayed away; tells whoever
    listens.
    """

    listener: Listener | None = None
    began: dict[str, float] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    degraded: list[Degraded] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recaller:
    """Fans out to the sources and leaves out, by name, what fails or is late."""

    store: Store
    embedder: Embedder
    vectors: VectorIndex
    telemetry: Telemetry
    deadline: float
    """Seconds that a source may take when the request sets no deadline."""
    lexical_complete: Callable[[], bool] = lambda: True
    """Whether full text holds all that was said; while it is built anew, it does not."""
    semantic_complete: Callable[[], bool] = lambda: True
    """The same of the vector index."""

    async def expect(self, query: str) -> None:
        """Begin to embed a query that will be asked for in a moment; embedders remember it."""
        wanted, _ = split_exclusions(query)
        task = asyncio.create_task(self.embedder.embed_query(topic_of(wanted)))
        task.add_done_callback(_forget_outcome)
        for _ in range(_UNTIL_BEGUN):
            await asyncio.sleep(0)

    async def recall(
        self,
        request: ContextRequest,
        situation: Situation,
        *,
        limit: int,
        opening: Opening | None = None,
        times: Sequence[Interval] = (),
    ) -> Found:
        """
        Ask every source for its best: full text in hybrid search, the graph if there is one.

        An `opening` that is known already is not asked for. Of each of the `times` that the query
        speaks of, the best are found besides.
        """
        watch = _Stopwatch(listener=situation.listener)
        topic, terms = topic_of(request.query), query_terms(words_sought(request.query))
        ask = partial(self._ask, seconds=request.deadline or self.deadline, watch=watch)
        flags = situation.flags
        graph = flags.graph and situation.scope.has_entities
        holding = self._holding(terms, request, situation, limit) if flags.hybrid else None
        related_to = self._related(request, situation) if graph else None
        episode, semantic, lexical, related = await asyncio.gather(
            ask(Source.EPISODIC, self._episode(request, situation, opening)),
            ask(Source.SEMANTIC, self._near(topic, request, situation, limit, times)),
            ask(Source.LEXICAL, holding) if holding else _unasked(),
            ask(Source.RELATIONAL, related_to) if related_to else _unasked(),
        )
        self._note_indexes(semantic, lexical, watch)
        self._count(episode, semantic, lexical, related)
        return Found(
            episode=episode or Episode(),
            near=semantic or Near(),
            terms=terms,
            lexical=lexical or LexicalAnswer(keys=[], document_frequency={}),
            related=related or Related(),
            degraded=watch.degraded,
            began=watch.began,
            seconds=watch.seconds,
        )

    async def about(self, request: ContextRequest, situation: Situation) -> About:
        """The user's profile as of now, if consent to use it holds."""
        watch = _Stopwatch(listener=situation.listener)
        seconds = request.deadline or self.deadline
        reading = self._profile(request, situation)
        profile = await self._ask(Source.PROFILE, reading, seconds, watch)
        if not watch.degraded:
            self.telemetry.source_answered(Source.PROFILE, int(profile is not None))
        return About(
            profile=profile, degraded=watch.degraded, began=watch.began, seconds=watch.seconds
        )

    def _note_indexes(
        self, semantic: Near | None, lexical: LexicalAnswer | None, watch: _Stopwatch
    ) -> None:
        """How long embedding took, and that an index that is being made cannot have found all."""
        if semantic:
            watch.began["embed"] = watch.began[Source.SEMANTIC.value]
            watch.began[Source.SEMANTIC.value] += semantic.embedding
            watch.seconds["embed"] = semantic.embedding
            watch.seconds[Source.SEMANTIC.value] -= semantic.embedding
        if lexical and not self.lexical_complete():
            self._miss(Source.LEXICAL, _REBUILT, watch)
        if semantic and not self.semantic_complete():
            self._miss(Source.SEMANTIC, _REBUILT, watch)

    def _count(
        self,
        episode: Episode | None,
        semantic: Near | None,
        lexical: LexicalAnswer | None,
        related: Related | None,
    ) -> None:
        if episode is not None:
            self.telemetry.source_answered(Source.EPISODIC, len(episode.opening.tail))
            self.telemetry.source_answered(Source.PINNED, len(episode.pinned))
        if semantic is not None:
            self.telemetry.source_answered(Source.SEMANTIC, len(semantic.hits))
        if lexical is not None:
            self.telemetry.source_answered(Source.LEXICAL, len(lexical.keys))
        if related is not None:
            self.telemetry.source_answered(Source.RELATIONAL, len(related.items))

    async def _ask(
        self, source: Source, answer: Coroutine[None, None, T], seconds: float, watch: _Stopwatch
    ) -> T | None:
        """
        The answer, or None with a note of why there is none.

        What is late is left to end by itself: cancelling it would cost its database connection.
        """
        started = watch.began[source.value] = time.perf_counter()
        task = asyncio.create_task(answer)
        task.add_done_callback(_forget_outcome)
        done, _ = await asyncio.wait({task}, timeout=seconds)
        watch.seconds[source.value] = time.perf_counter() - started
        if not done:
            self._miss(source, "deadline", watch)
            return None
        try:
            return self._told(source, task.result(), watch)
        except ForewordError as error:
            self._miss(source, error.title.rstrip("."), watch)
        except Exception:  # noqa: BLE001  (a mistake in one source must not cost the others)
            _log.exception("a source failed", extra={"source": source})
            self._miss(source, "internal error", watch)
        return None

    def _told(self, source: Source, answer: T, watch: _Stopwatch) -> T:
        """The answer, after whoever listens has heard of it."""
        if watch.listener is not None:
            took = watch.seconds[source.value]
            watch.listener(Answered(source=source, seconds=took, found=_found(answer)))
        return answer

    def _miss(self, source: Source, reason: str, watch: _Stopwatch) -> None:
        """Name a source that stays away."""
        watch.degraded.append(Degraded(source=source, reason=reason))
        if watch.listener is not None:
            took = watch.seconds[source.value]
            watch.listener(Answered(source=source, seconds=took, missing=reason))
        self.telemetry.source_missing(source, reason)

    async def _episode(
        self, request: ContextRequest, situation: Situation, known: Opening | None
    ) -> Episode:
        model = self.embedder.model
        return await entered(self.store, request, situation, known=known, model=model)

    async def _profile(self, request: ContextRequest, situation: Situation) -> Profile | None:
        """What was written later than the moment that is asked about is not known at it."""
        if situation.profile_at is None:
            return None
        async with self.store.read(situation.tenant) as snapshot:
            return await known_profile(
                snapshot.personal,
                situation.scope.key,
                now=situation.profile_at,
                as_of=request.as_of,
                derived=situation.derives,
                apart_from=situation.within.without_conversations,
            )

    async def _near(
        self,
        topic: str,
        request: ContextRequest,
        situation: Situation,
        limit: int,
        times: Sequence[Interval],
    ) -> Near:
        started = time.perf_counter()
        vector = await self.embedder.embed_query(topic)
        embedding = time.perf_counter() - started
        limit = limit * _FOR_EXCLUDED if request.filters.exclude_terms else limit
        asked = [(situation, limit), *((each, _AT_A_TIME) for each in at_times(situation, times))]
        hits = await asyncio.gather(
            *(nearest(self.vectors, vector, each, most) for each, most in asked)
        )
        near = dict(chain.from_iterable(hits))
        read = self.embedder.reads(topic)
        return Near(vector=vector, read=read, hits=list(near.items()), embedding=embedding)

    async def _related(self, request: ContextRequest, situation: Situation) -> Related:
        return await relate(
            self.store,
            request,
            tenant=situation.tenant,
            scope=situation.scope,
            within=situation.within,
        )

    async def _holding(
        self, terms: QueryTerms, request: ContextRequest, situation: Situation, limit: int
    ) -> LexicalAnswer:
        async with self.store.read(situation.tenant) as snapshot:
            found = await roomy(
                lambda most: snapshot.recall.find(
                    terms,
                    scope=situation.scope,
                    within=situation.within,
                    limit=most,
                    without=excluded_terms(request.filters.exclude_terms),
                ),
                lambda found: found.keys,
                limit,
                situation,
            )
        told = situation.within.of_messages()
        kept = beside(dict.fromkeys(found.keys), limit, with_messages=told)
        return replace(found, keys=list(kept))


def _found(answer: object) -> int:
    """How much a source found."""
    match answer:
        case Episode():
            return len(answer.opening.tail) + len(answer.pinned)
        case Near():
            return len(answer.hits)
        case LexicalAnswer():
            return len(answer.keys)
        case Related():
            return len(answer.items)
        case _:
            return int(answer is not None)


async def _unasked() -> None:
    """The answer of a source that is switched off."""


def _forget_outcome(task: asyncio.Task[object]) -> None:
    """Nobody waits for a late answer any more, nor for its error."""
    if not task.cancelled():
        task.exception()

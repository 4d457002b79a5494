"""Asking every source at once, each within its time."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain
from typing import NamedTuple, TypeVar

from app.domain.context import ContextRequest, Source
from app.domain.profile import Profile
from app.ports import Part, Telemetry, VectorIndex
from app.ports.embedding import Embedder, Embedding
from app.ports.store import Store
from app.ports.stored import LexicalAnswer
from app.ranking import no_words
from app.ranking.query import midway
from app.services.common.unawaited import Unawaited
from app.services.context.asking import Asking
from app.services.context.entering import Episode, entered
from app.services.context.found import About, Found, Near
from app.services.context.knowing import known_profile
from app.services.context.labels import called_in
from app.services.context.places import beside, nearest, roomy
from app.services.context.reading import NOTHING_READ, Reading, read
from app.services.context.relating import Related, relate
from app.services.context.situation import Situation
from app.services.context.sought import Sought, sought_in
from app.services.context.splitting import questions_in
from app.services.context.timing import at_times
from app.services.context.understanding import wanted
from app.text.excluded import excluded_terms
from app.text.intervals import NO_TIMES, Timed
from app.text.terms import QueryTerms

T = TypeVar("T")

_FOR_EXCLUDED = 3
"""As many neighbours are asked for where words are excluded: a vector does not know its words."""

_BESIDES = 20
"""
Messages that are found of the running conversation, and of a time that is asked for, however far
they are from the best of all.
"""

_UNTIL_BEGUN = 2
"""Rounds of the event loop, after which a model in process has begun with what it is asked."""

_REBUILT = "being rebuilt"


class _Asked(NamedTuple):
    """The sources that were asked."""

    episode: asyncio.Task[Episode]
    semantic: asyncio.Task[Near] | None = None
    lexical: asyncio.Task[LexicalAnswer] | None = None
    related: asyncio.Task[Related] | None = None


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
    _expected: Unawaited = field(default_factory=Unawaited)

    async def expect(self, query: str) -> None:
        """Begin to embed a query that will be asked for in a moment; embedders remember it."""
        query, _ = wanted(query)
        for question in questions_in(query):
            self._expected.hold(asyncio.create_task(self._embedded(sought_in(question))))
        for _ in range(_UNTIL_BEGUN):
            await asyncio.sleep(0)

    async def recall(
        self,
        request: ContextRequest,
        situation: Situation,
        *,
        now: datetime,
        limit: int,
        times: Timed = NO_TIMES,
    ) -> Found:
        """
        Ask every source for its best: full text in hybrid search, the graph if there is one. The
        query is read while they look; for an empty one nothing is looked for.

        Of the running conversation the best are found besides, and so are those of each of the
        `times` that the query speaks of, and of conversations that it calls by their label.
        """
        asking, flags = self._asking(request, situation), situation.flags
        sought, running = sought_in(request.query), situation.searched_besides(request)
        if not request.query:
            asked = _Asked(asking.ask(Source.EPISODIC, self._episode(request, situation)))
            await asking.wait()
            return self._found(asking, asked, sought, NOTHING_READ)
        besides = [*at_times(situation, times.intervals), *([running] if running else [])]
        graph = flags.graph and situation.scope.has_entities
        holding = (
            self._holding(sought.terms, request, situation, limit, running)
            if flags.hybrid
            else None
        )
        related_to = self._related(request, situation) if graph else None
        asked = _Asked(
            asking.ask(Source.EPISODIC, self._episode(request, situation)),
            asking.ask(Source.SEMANTIC, self._near(sought, request, situation, limit, besides)),
            asking.ask(Source.LEXICAL, holding) if holding else None,
            asking.ask(Source.RELATIONAL, related_to) if related_to else None,
        )
        await asyncio.sleep(0)  # all begin
        reading = read(request, sought, now, times, situation)
        await asking.wait()
        return self._found(asking, asked, sought, reading)

    def _found(self, asking: Asking, asked: _Asked, sought: Sought, reading: Reading) -> Found:
        """What came of a round that is over."""
        episode, semantic = asking.answer(asked.episode), asking.answer(asked.semantic)
        lexical, related = asking.answer(asked.lexical), asking.answer(asked.related)
        self._note_indexes(semantic, lexical, asking)
        self._count(episode, semantic, lexical, related)
        return Found(
            episode=episode or Episode(),
            near=semantic or Near(),
            sought=sought,
            lexical=lexical or LexicalAnswer(keys=[], document_frequency={}),
            related=related or Related(),
            degraded=asking.degraded,
            began=asking.began,
            seconds=asking.seconds,
            reading=reading,
        )

    async def about(self, request: ContextRequest, situation: Situation) -> About:
        """The user's profile as of now, if consent to use it holds."""
        asking = self._asking(request, situation)
        reading = asking.ask(Source.PROFILE, self._profile(request, situation))
        await asking.wait()
        profile = asking.answer(reading)
        if not asking.degraded:
            self.telemetry.source_answered(Source.PROFILE, int(profile is not None))
        return About(
            profile=profile, degraded=asking.degraded, began=asking.began, seconds=asking.seconds
        )

    def _asking(self, request: ContextRequest, situation: Situation) -> Asking:
        return Asking(
            telemetry=self.telemetry,
            patience=request.deadline or self.deadline,
            listener=situation.listener,
            count=_how_many,
        )

    def _note_indexes(
        self, semantic: Near | None, lexical: LexicalAnswer | None, asking: Asking
    ) -> None:
        """How long embedding took, and that an index that is being made cannot have found all."""
        if semantic:
            began, seconds = asking.began, asking.seconds
            began["embed"] = began[Source.SEMANTIC.value]
            began[Source.SEMANTIC.value] += semantic.embedding
            seconds["embed"] = semantic.embedding
            seconds[Source.SEMANTIC.value] -= semantic.embedding
        if lexical and not self.lexical_complete():
            asking.miss(Source.LEXICAL, _REBUILT)
        if semantic and not self.semantic_complete():
            asking.miss(Source.SEMANTIC, _REBUILT)

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

    async def _episode(self, request: ContextRequest, situation: Situation) -> Episode:
        return await entered(self.store, request, situation, model=self.embedder.model)

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
        sought: Sought,
        request: ContextRequest,
        situation: Situation,
        limit: int,
        besides: Sequence[Situation],
    ) -> Near:
        started = time.perf_counter()
        read, called = await asyncio.gather(
            self._embedded(sought), called_in(request.query, sought, situation, self.store)
        )
        embedding = time.perf_counter() - started
        limit = limit * _FOR_EXCLUDED if request.filters.exclude_terms else limit
        apart = [*besides, *filter(None, map(situation.inside, called))]
        asked = [(situation, limit), *((each, _BESIDES) for each in apart)]
        found = await asyncio.gather(
            *(nearest(self.vectors, read.vector, each, most) for each, most in asked)
        )
        return Near(
            vector=read.vector,
            words=read.words if situation.flags.hybrid else no_words(),
            read=self.embedder.reads(sought.topic),
            hits=list(dict(chain.from_iterable(found)).items()),
            embedding=embedding,
            called=called.by_number,
        )

    async def _embedded(self, sought: Sought) -> Embedding:
        """Of a question apart the mean with its topic: what is said around may matter, or not."""
        read = self.embedder.read_query
        if sought.question is None:
            return await read(sought.topic)
        topic, question = await asyncio.gather(read(sought.topic), read(sought.question))
        return Embedding(midway(topic.vector, question.vector), question.words)

    async def _related(self, request: ContextRequest, situation: Situation) -> Related:
        return await relate(
            self.store,
            request,
            tenant=situation.tenant,
            scope=situation.scope,
            within=situation.within,
        )

    async def _holding(
        self,
        terms: QueryTerms,
        request: ContextRequest,
        situation: Situation,
        limit: int,
        running: Situation | None,
    ) -> LexicalAnswer:
        besides = Part(within=running.within, limit=_BESIDES) if running else None
        async with self.store.read(situation.tenant) as snapshot:
            found = await roomy(
                lambda most: snapshot.recall.find(
                    terms,
                    scope=situation.scope,
                    within=situation.within,
                    limit=most,
                    without=excluded_terms(request.filters.exclude_terms),
                    besides=besides,
                ),
                lambda found: found.keys,
                limit,
                situation,
            )
        told = situation.within.of_messages()
        kept = beside(dict.fromkeys(found.keys), limit, with_messages=told)
        return replace(found, keys=list(dict.fromkeys([*kept, *found.besides])))


def _how_many(answer: object) -> int:
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

"""Asking every source at once, each within its time."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from logging import getLogger
from typing import TypeVar

from app.domain.context import ContextRequest, Degraded, Source
from app.domain.conversation import Conversation, Message, Scope
from app.domain.errors import ForewordError
from app.domain.ids import ItemKey, TenantId
from app.ports import Embedder, RecallFilter, Telemetry, VectorIndex
from app.ports.store import Store
from app.ports.stored import LexicalAnswer
from app.ranking import Floats
from app.text.negation import split_exclusions
from app.text.terms import QueryTerms, excluded_terms, query_terms

T = TypeVar("T")

_log = getLogger(__name__)

_FOR_EXCLUDED = 3
"""As many neighbours are asked for where words are excluded: a vector does not know its words."""

_PINNED = 50
"""Pinned items that one bundle considers, newest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """Whose memory is asked, and what of it may be found."""

    tenant: TenantId
    scope: Scope
    conversation: Conversation | None
    within: RecallFilter

    def in_conversation(self) -> "Situation | None":
        """The same, narrowed to the running conversation; None where there is none to search."""
        running, allowed = self.conversation, self.within.conversations
        if running is None or running.key in self.within.without_conversations:
            return None
        if allowed is not None and running.key not in allowed:
            return None
        return replace(self, within=replace(self.within, conversations=frozenset([running.key])))


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """The end of the running conversation, and what is pinned."""

    tail: Sequence[Message] = ()
    pinned: Sequence[ItemKey] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """The query's vector, what lies near it with its cosine, and the seconds of embedding."""

    vector: Floats | None = None
    hits: Sequence[tuple[ItemKey, float]] = ()
    embedding: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What the sources answered. `seconds` by source and by the steps inside of it."""

    episode: Episode
    near: Near
    terms: QueryTerms
    lexical: LexicalAnswer
    degraded: Sequence[Degraded]
    seconds: dict[str, float]


@dataclass(slots=True)
class _Stopwatch:
    """Collects what each step took and which source stayed away."""

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

    def expect(self, query: str) -> None:
        """Begin to embed a query that will be asked for in a moment; embedders remember it."""
        wanted, _ = split_exclusions(query)
        task = asyncio.create_task(self.embedder.embed_query(wanted))
        task.add_done_callback(_forget_outcome)

    async def recall(self, request: ContextRequest, situation: Situation, *, limit: int) -> Found:
        """Ask every source for its `limit` best."""
        watch = _Stopwatch()
        terms = query_terms(request.query)
        seconds = request.deadline or self.deadline
        episode, semantic, lexical = await asyncio.gather(
            self._ask(Source.EPISODIC, self._episode(request, situation), seconds, watch),
            self._ask(Source.SEMANTIC, self._near(request, situation, limit), seconds, watch),
            self._ask(
                Source.LEXICAL, self._holding(terms, request, situation, limit), seconds, watch
            ),
        )
        if semantic:
            watch.seconds["embed"] = semantic.embedding
            watch.seconds[Source.SEMANTIC.value] -= semantic.embedding
        if lexical and not self.lexical_complete():
            self._miss(Source.LEXICAL, "being rebuilt", watch)
        self._count(episode, semantic, lexical)
        return Found(
            episode=episode or Episode(),
            near=semantic or Near(),
            terms=terms,
            lexical=lexical or LexicalAnswer(keys=[], document_frequency={}),
            degraded=watch.degraded,
            seconds=watch.seconds,
        )

    def _count(
        self, episode: Episode | None, semantic: Near | None, lexical: LexicalAnswer | None
    ) -> None:
        if episode is not None:
            self.telemetry.source_answered(Source.EPISODIC, len(episode.tail))
            self.telemetry.source_answered(Source.PINNED, len(episode.pinned))
        if semantic is not None:
            self.telemetry.source_answered(Source.SEMANTIC, len(semantic.hits))
        if lexical is not None:
            self.telemetry.source_answered(Source.LEXICAL, len(lexical.keys))

    async def _ask(
        self, source: Source, answer: Coroutine[None, None, T], seconds: float, watch: _Stopwatch
    ) -> T | None:
        """
        The answer, or None with a note of why there is none.

        What is late is left to end by itself: cancelling it would cost its database connection.
        """
        started = time.perf_counter()
        task = asyncio.create_task(answer)
        done, _ = await asyncio.wait({task}, timeout=seconds)
        watch.seconds[source.value] = time.perf_counter() - started
        if not done:
            task.add_done_callback(_forget_outcome)
            self._miss(source, "deadline", watch)
            return None
        try:
            return task.result()
        except ForewordError as error:
            self._miss(source, error.title.rstrip("."), watch)
        except Exception:  # noqa: BLE001  (a mistake in one source must not cost the others)
            _log.exception("a source failed", extra={"source": source})
            self._miss(source, "internal error", watch)
        return None

    def _miss(self, source: Source, reason: str, watch: _Stopwatch) -> None:
        """Name a source that stays away."""
        watch.degraded.append(Degraded(source=source, reason=reason))
        self.telemetry.source_missing(source, reason)

    async def _episode(self, request: ContextRequest, situation: Situation) -> Episode:
        """What needs no search; mostly there is nothing pinned, and nothing to ask for."""
        running, most = situation.conversation, request.history.max_messages
        wants_tail = running is not None and not running.archived and most > 0
        if not (wants_tail or situation.scope.has_pinned):
            return Episode()
        tail: Sequence[Message] = ()
        pinned: Sequence[ItemKey] = ()
        async with self.store.read(situation.tenant) as snapshot:
            if running and wants_tail:
                tail = await snapshot.messages.tail(running.key, limit=most, as_of=request.as_of)
            if situation.scope.has_pinned:
                pinned = await snapshot.recall.pinned(situation.within, limit=_PINNED)
        return Episode(tail=tail, pinned=pinned)

    async def _near(self, request: ContextRequest, situation: Situation, limit: int) -> Near:
        started = time.perf_counter()
        vector = await self.embedder.embed_query(request.query)
        embedding = time.perf_counter() - started
        most = limit * _FOR_EXCLUDED if request.filters.exclude_terms else limit
        hits = await self.vectors.search(vector, within=situation.within, limit=most)
        return Near(vector=vector, hits=hits, embedding=embedding)

    async def _holding(
        self, terms: QueryTerms, request: ContextRequest, situation: Situation, limit: int
    ) -> LexicalAnswer:
        async with self.store.read(situation.tenant) as snapshot:
            return await snapshot.recall.find(
                terms,
                scope=situation.scope,
                within=situation.within,
                limit=limit,
                without=excluded_terms(request.filters.exclude_terms),
            )


def _forget_outcome(task: asyncio.Task[object]) -> None:
    """Nobody waits for a late answer any more, nor for its error."""
    if not task.cancelled():
        task.exception()

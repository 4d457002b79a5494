"""Putting a set into memory and asking its questions, on the way that every request takes."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from app.domain.context import ContextRequest
from app.domain.conversation import NewConversation
from app.domain.errors import IndexingTimedOut
from app.domain.ids import TenantId
from app.domain.watching import Count, Watch, counting, unwatched
from app.evaluation.learning import Lesson
from app.evaluation.metrics import Ordered
from app.evaluation.sets import EvaluationSet, Memory, Question
from app.ranking import Floats
from app.ranking.features import Evidence, evidence
from app.services.context.forge import ContextForge
from app.services.context.situation import Surveyor
from app.services.writing.ingest import Ingestor
from app.services.writing.waiting import IndexWaiter

_LOOK_AFTER, _LOOKS = 15.0, 240
"""Seconds of indexing between looks for what is missing; of looks, how often: an hour in all."""

_AT_ONCE = 500
"""Messages that are stored before their indexing is waited for: a few batches of the indexer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Which question of which memory of a set it was, and which memory it was asked of."""

    set: str
    memory: str
    number: int
    at_home: bool
    """Whether that was its own: asked of another one, it has no answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """
    What was found for a question, of n candidates.

    `messages` are their external ids, `keys` break ties, newest first; `known` is the share of the
    question's idf that the memory knows. `wanted` is empty where there is no answer: elsewhere, or
    at home for a near miss.
    """

    place: Place
    found: Evidence
    known: float
    messages: Sequence[str]
    keys: Sequence[int]
    tokens: Sequence[int]
    wanted: frozenset[str]

    def ordered(self, scores: Floats) -> Ordered:
        """The distinct messages by score."""
        best_first = np.lexsort((-np.asarray(self.keys), -scores)).tolist()
        first: dict[str, int] = {}
        for at in best_first:
            first.setdefault(self.messages[at], at)
        return Ordered(
            evidence=[message in self.wanted for message in first],
            tokens=[self.tokens[at] for at in first.values()],
            wanted=len(self.wanted),
        )

    @property
    def answers(self) -> NDArray[np.intp]:
        """Of each candidate: which answering message it belongs to, -1 for none."""
        number = {each: at for at, each in enumerate(self._answering)}
        return np.array([number.get(each, -1) for each in self.messages], dtype=np.intp)

    @property
    def _answering(self) -> Sequence[str]:
        return sorted(self.wanted.intersection(self.messages))

    @property
    def lesson(self) -> Lesson:
        return Lesson(set=self.place.set, features=self.found.features, answers=self.answers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """
    Stores memories and asks of them, with the services of a running process.

    `look` raises where a part is missing that it cannot do without: figures would be of the others.
    """

    tenant: TenantId
    ingestor: Ingestor
    waiter: IndexWaiter
    surveyor: Surveyor
    forge: ContextForge
    look: Callable[[], Awaitable[None]]
    look_after: float = _LOOK_AFTER

    async def store(self, memory: Memory, *, user_id: str, stored: Count) -> None:
        """
        Store every session; those that are indexed are told.

        Raises:
            IndexingTimedOut: They were not within an hour.
        """
        waiting, last = 0, 0
        for at, session in enumerate(memory.sessions, start=1):
            new = NewConversation(
                external_id=session.id,
                user_id=user_id,
                created_at=session.date,
                messages=session.messages,
            )
            last = (await self.ingestor.ingest(self.tenant, new)).outbox_key
            waiting += len(session.messages)
            if waiting >= _AT_ONCE or at == len(memory.sessions):
                await self._indexed(last)
                stored(waiting)
                waiting = 0

    async def _indexed(self, outbox_key: int) -> None:
        for left in reversed(range(_LOOKS)):
            try:
                await self.waiter.wait(self.tenant, outbox_key, seconds=self.look_after, facts={})
            except IndexingTimedOut:
                await self.look()
                if not left:
                    raise
            else:
                return

    async def ask(self, question: Question, place: Place, *, user_id: str) -> Sample | None:
        """What is found for a question in a user's memory; None for nothing at all."""
        request = ContextRequest(query=question.text, user_id=user_id, as_of=question.as_of)
        situation = await self.surveyor.survey(self.tenant, request)
        if situation is None:
            return None
        asked = await self.forge.ask(request, situation)
        if asked.found.degraded:
            await self.look()
            asked = await self.forge.ask(request, situation)
        recalled = asked.pool.recalled
        if not len(recalled):
            return None
        edges = [recalled.read(at).lineage[0] for at in range(len(recalled))]
        return Sample(
            place=place,
            found=evidence(asked.query, asked.pool),
            known=asked.query.known,
            messages=[each.external_id or each.id for each in edges],
            keys=list(recalled.keys),
            tokens=list(recalled.tokens),
            wanted=question.evidence if place.at_home else frozenset(),
        )

    async def samples(
        self, sets: Sequence[EvaluationSet], watch: Watch = unwatched
    ) -> Sequence[Sample]:
        """
        Store all sets and ask every question twice: of its own memory, and of the next one.

        With one memory in all there is no other one to ask, nor for sets that are shared, nor for
        questions that have no answer at home.
        """
        homes = [(each, memory) for each in sets for memory in each.memories]
        messages = sum(len(session.messages) for _, memory in homes for session in memory.sessions)
        storing = counting(watch, "storing", "messages", messages)
        for each, memory in homes:
            await self.store(memory, user_id=_user(each, memory), stored=storing)
        questions = sum(len(memory.questions) for _, memory in homes)
        asking = counting(watch, "asking", "questions", questions)
        found: list[Sample | None] = []
        for question, place, user_id in _askings(homes):
            found.append(await self.ask(question, place, user_id=user_id))
            if place.at_home:
                asking(1)
        return [each for each in found if each is not None]


def _askings(
    homes: Sequence[tuple[EvaluationSet, Memory]],
) -> Iterator[tuple[Question, Place, str]]:
    """Every question with each place where it is asked, and whose memory that is."""
    for at, (of, memory) in enumerate(homes):
        other = homes[(at + 1) % len(homes)]
        for number, question in enumerate(memory.questions):
            place = Place(set=of.name, memory=memory.id, number=number, at_home=True)
            yield question, place, _user(of, memory)
            if question.evidence and len(homes) > 1 and not of.shared:
                yield question, replace(place, at_home=False), _user(*other)


def _user(of: EvaluationSet, memory: Memory) -> str:
    return f"{of.name}/{memory.id}"

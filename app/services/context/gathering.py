"""What a request gathers on its way to a bundle."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.domain.context import Candidate, Degraded, Intent, Source
from app.domain.conversation import Message
from app.domain.ids import ItemKey, MessageId
from app.ranking.pool import Pool
from app.ranking.query import QueryView
from app.ranking.ranked import NOTHING, Ranked
from app.ranking.relevance import Relevance
from app.services.context.found import Found
from app.services.context.relating import Related
from app.services.packing.history import History


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgeLimits:
    """
    Candidates asked of each source, at least and at most; the least relevance let in, and that of
    a likely answer.
    """

    per_source: int = 50
    per_source_most: int = 500
    floor: float = 0.15
    sufficient: float = 0.72


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was found for a request, as ranking needs it."""

    told: History
    found: Found
    sources: Mapping[ItemKey, frozenset[Source]]
    query: QueryView
    pool: Pool
    seconds: Mapping[str, float]
    began: Mapping[str, float]

    @property
    def history(self) -> Sequence[Message]:
        return self.told.messages


@dataclass(frozen=True, slots=True, kw_only=True)
class Fused:
    """The same, judged and ranked by what the sources say; `began` when that did."""

    asked: Asked
    judged: Relevance
    ranked: Ranked
    began: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """
    What was found and ranked for a request, before any budget; nothing, without `asked`.

    `seconds` by step, and when each `began`, by `time.perf_counter`.
    """

    asked: Asked | None = None
    ranked: Ranked = NOTHING
    degraded: Sequence[Degraded] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    began: Mapping[str, float] = field(default_factory=dict)
    leans_on: MessageId | None = None
    """What was looked for as well, since the question is understood only by it."""

    @property
    def history(self) -> Sequence[Message]:
        return self.asked.history if self.asked else ()

    @property
    def related(self) -> Related:
        return self.asked.found.related if self.asked else Related()


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What was found, but is not among the candidates of an answer, and why."""

    candidate: Candidate
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """
    Candidates, best first; what else was found, if that is to be explained. `timings` in seconds by
    stage, `starts` in seconds after the beginning.
    """

    intent: Intent
    candidates: Sequence[Candidate]
    left_out: Sequence[LeftOut]
    sufficient: bool
    degraded: Sequence[Degraded]
    timings: Mapping[str, float]
    starts: Mapping[str, float]

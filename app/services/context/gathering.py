"""What a request gathers on its way to a bundle."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Self

from app.domain.context import Candidate, Degraded, Dropped, Intent, Source
from app.domain.conversation import Message
from app.domain.ids import ItemKey, MessageId
from app.ranking.neighbours import Neighbours
from app.ranking.pool import Pool
from app.ranking.query import QueryView
from app.ranking.ranked import NOTHING, Ranked
from app.ranking.relevance import Relevance
from app.ranking.several import together
from app.services.context.found import Found
from app.services.context.hydrate import Aside
from app.services.context.relating import NOTHING_RELATED, Related
from app.services.packing.history import History
from app.services.packing.packer import Packed


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgeLimits:
    """
    Candidates asked of each source, at least and at most; the least relevance let in, and that of
    a likely answer.
    """

    per_source: int = 50
    per_source_most: int = 500
    floor: float = 0.15
    sufficient: float = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was found for a request, as ranking needs it."""

    told: History
    found: Found
    sources: Mapping[ItemKey, frozenset[Source]]
    query: QueryView
    pool: Pool
    aside: Aside
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
    What was found and ranked for a request, before any budget; nothing, where `told` is None.

    `told` is the history that goes in as well, `neighbours` stand beside what was found. `seconds`
    by step, and when each `began`, by `time.perf_counter`.
    """

    told: History | None = None
    related: Related = NOTHING_RELATED
    neighbours: Neighbours = field(default_factory=Neighbours.none)
    ranked: Ranked = NOTHING
    aside: Sequence[Aside] = ()
    degraded: Sequence[Degraded] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    began: Mapping[str, float] = field(default_factory=dict)
    leans_on: MessageId | None = None
    """What was looked for as well, since the question is understood only by it."""
    respelled: Mapping[str, str] = field(default_factory=dict)
    """What was looked for instead of words that are misspelt, folded."""

    @property
    def history(self) -> Sequence[Message]:
        return self.told.messages if self.told else ()

    def dropped(self, packed: Packed) -> Sequence[Dropped]:
        """What was found and is not told, with the reason."""
        recalled = self.ranked.recalled
        aside = {
            each.recalled.keys[at]: (each.recalled, at, reason)
            for each in self.aside
            for at, reason in each.reasons.items()
        }
        for key in recalled.keys:
            aside.pop(key, None)
        left = [(recalled, at, reason) for at, reason in (*packed.dropped, *self.ranked.dropped)]
        return [
            Dropped(id=of.read(at).id, type=of.types[at], reason=reason)
            for of, at, reason in (*left, *aside.values())
        ]

    @classmethod
    def together(cls, parts: Sequence[Self], *, dimension: int) -> Self:
        """What was gathered at once for several questions of a request."""
        if len(parts) == 1:
            return parts[0]
        neighbours = reduce(
            lambda one, other: one.and_also(other.without(one.keys)),
            (each.neighbours for each in parts),
        )
        began, ended = _times(parts)
        return cls(
            told=max((each.told for each in parts if each.told), key=_how_much),
            related=Related.together([each.related for each in parts]),
            neighbours=neighbours,
            ranked=together([each.ranked for each in parts], dimension=dimension),
            aside=[aside for each in parts for aside in each.aside],
            degraded=list(dict.fromkeys(told for each in parts for told in each.degraded)),
            began=began,
            seconds={name: ended[name] - at for name, at in began.items()},
        )


def _how_much(told: History) -> int:
    """Of histories that were read at once the longest is the one that was read in time."""
    return len(told.messages)


def _times(parts: Sequence[Gathered]) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """When each stage began first, and when it ended last."""
    began, ended = dict[str, float](), dict[str, float]()
    for each in parts:
        for name, at in each.began.items():
            end = at + each.seconds.get(name, 0.0)
            began[name] = min(at, began.get(name, at))
            ended[name] = max(end, ended.get(name, end))
    return began, ended


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
    respelled: Mapping[str, str]

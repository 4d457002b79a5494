"""What ranking makes of a pool: its items in order, and why others are not among them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from app.domain.context import Candidate, Source
from app.domain.ids import ItemKey
from app.ranking import Floats
from app.ranking.pool import Recalled

BELOW_FLOOR = "below the floor"
"""Why an item is not let in that is not relevant enough."""

REPEATED = "duplicate"
"""And one that says what another says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """
    A pool in order. Items are known by their index in it; few of them become candidates.

    `order` are those that may go into an answer, best first; `sufficient` tells that a likely
    answer is among them; `dropped` those that may not, with the reason. `signals` by name, each of
    shape (n,), as `score` and `relevance`; NaN is no signal.
    """

    recalled: Recalled
    sources: Mapping[ItemKey, frozenset[Source]]
    score: Floats
    relevance: Floats
    signals: Mapping[str, Floats]
    order: Sequence[int]
    dropped: Sequence[tuple[int, str]]
    deduplicated: int
    sufficient: bool
    worth: Mapping[str, float]
    """The terms of the query that the scope knows, each with its idf."""
    leading: frozenset[ItemKey] = frozenset()
    """What goes in before all that is not pinned, however relevant: the gist of what goes on."""
    asked: frozenset[ItemKey] = frozenset()
    """What tells of a time for which the query asks as a whole: summaries have a place for it."""

    def pinned(self, at: int) -> bool:
        return Source.PINNED in self.sources[self.recalled.keys[at]]

    def candidate(self, at: int) -> Candidate:
        return Candidate(
            item=self.recalled.read(at),
            score=float(self.score[at]),
            relevance=float(self.relevance[at]),
            sources=self.sources[self.recalled.keys[at]],
            signals={
                name: value
                for name, values in self.signals.items()
                if not isnan(value := float(values[at]))
            },
        )


def lengthened(*parts: tuple[Mapping[str, Floats], int]) -> Mapping[str, Floats]:
    """
    The signals of several parts of a pool, each told with how many items it has, one part behind
    the other: each signal of shape (n,), with NaN for the items of a part that has none such.
    """
    names = dict.fromkeys(name for signals, _ in parts for name in signals)
    return {
        name: np.concatenate(
            [
                signals[name] if name in signals else np.full(count, np.nan, dtype=np.float32)
                for signals, count in parts
            ]
        )
        for name in names
    }


_NO_SCORES = np.zeros(0, dtype=np.float32)

NOTHING = Ranked(
    recalled=Recalled.nothing(),
    sources={},
    score=_NO_SCORES,
    relevance=_NO_SCORES,
    signals={},
    order=(),
    dropped=(),
    deduplicated=0,
    sufficient=False,
    worth={},
)
"""What is found where nothing was ever said."""

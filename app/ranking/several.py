"""What was ranked for several questions, as one."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from app.domain.context import Source
from app.domain.ids import ItemKey
from app.ranking import Floats
from app.ranking.candidates import said_again
from app.ranking.pool import Pool, Recalled
from app.ranking.ranked import REPEATED, Ranked, lengthened


def together(answers: Sequence[Ranked], *, dimension: int) -> Ranked:
    """
    What several questions found, best first: each item as for the one that it is worth most for,
    and let in if it is for any of them and says what no other says.

    Scores mean about the same for every question, so they tell the order.
    """
    if len(answers) == 1:
        return answers[0]
    parts = [_Part(each, at) for each, at in zip(answers, _divided(answers), strict=True)]
    recalled = reduce(Recalled.and_also, (part.recalled for part in parts))
    score = np.concatenate([part.of(part.answer.score) for part in parts])
    best_first = np.lexsort((-np.array(recalled.keys, dtype=np.int64), -score))
    reasons = dict(enumerate(reason for part in parts for reason in part.reasons))
    both = Ranked(
        recalled=recalled,
        sources=_sources(answers),
        score=score,
        relevance=np.concatenate([part.of(part.answer.relevance) for part in parts]),
        signals=lengthened(*((part.signals, len(part.at)) for part in parts)),
        order=[at for at in best_first.tolist() if reasons[at] is None],
        dropped=[(at, why) for at in best_first.tolist() if (why := reasons[at]) is not None],
        deduplicated=sum(reason == REPEATED for reason in reasons.values()),
        sufficient=any(each.sufficient for each in answers),
        worth={term: worth for each in answers for term, worth in each.worth.items()},
        leading=frozenset().union(*(each.leading for each in answers)),
        asked=frozenset().union(*(each.asked for each in answers)),
    )
    return _said_once(both, Pool.of(recalled, dimension=dimension))


def _said_once(both: Ranked, pool: Pool) -> Ranked:
    keys = both.recalled.keys
    pinned = np.array([both.pinned(at) for at in range(len(keys))], dtype=np.bool_)
    asked = np.array([key in both.asked for key in keys], dtype=np.bool_)
    again = said_again(pool, np.array(both.order, dtype=np.intp), pinned, asked)
    if not again[list(both.order)].any():
        return both
    repeated = [at for at in both.order if again[at]]
    return replace(
        both,
        order=[at for at in both.order if not again[at]],
        dropped=[*both.dropped, *((at, REPEATED) for at in repeated)],
        deduplicated=both.deduplicated + len(repeated),
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """Those items of an answer, by their indexes in it, that are told as it ranks them."""

    answer: Ranked
    at: Sequence[int]

    @property
    def recalled(self) -> Recalled:
        return self.answer.recalled.only(self.at)

    @property
    def reasons(self) -> Sequence[str | None]:
        """Why each is not let in; None if it is."""
        told = dict(self.answer.dropped)
        return [told.get(each) for each in self.at]

    @property
    def signals(self) -> Mapping[str, Floats]:
        return {name: self.of(values) for name, values in self.answer.signals.items()}

    def of(self, values: Floats) -> Floats:
        return values[list(self.at)]


def _divided(answers: Sequence[Ranked]) -> Sequence[Sequence[int]]:
    """Of each answer the items that no other ranks higher, or lets in where it does not."""
    best = dict[ItemKey, tuple[bool, float, int, int]]()
    for which, answer in enumerate(answers):
        order = set(answer.order)
        for at, (key, score) in enumerate(
            zip(answer.recalled.keys, answer.score.tolist(), strict=True)
        ):
            told = (at in order, score, -which, at)
            best[key] = max(told, best.get(key, told))
    divided: defaultdict[int, list[int]] = defaultdict(list)
    for _, _, which, at in best.values():
        divided[-which].append(at)
    return [sorted(divided[which]) for which in range(len(answers))]


def _sources(answers: Sequence[Ranked]) -> Mapping[ItemKey, frozenset[Source]]:
    found: defaultdict[ItemKey, frozenset[Source]] = defaultdict(frozenset)
    for each in answers:
        for key, sources in each.sources.items():
            found[key] |= sources
    return dict(found)

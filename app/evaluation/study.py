"""What a model finds on questions that it has not learned from, beside simpler ways."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np
from numpy.typing import NDArray

from app.domain.watching import Count
from app.evaluation.asking import Sample
from app.evaluation.calibrating import calibrate
from app.evaluation.learning import Schooling, learn_both
from app.evaluation.metrics import interval, measures, recall
from app.ranking import Floats
from app.ranking.features import NAMES
from app.ranking.model import RelevanceModel, facts
from app.ranking.network import Networks
from app.ranking.relevance import DENSE_SHARE

FOLDS = 4

_RRF_K = 60.0

Table = Mapping[str, Mapping[str, tuple[float, float, float]]]
"""By set and figure: the mean over its questions, and the ends of its 95 % interval."""

Way = Callable[[Sample], Floats]
"""Scores for the candidates of a question."""


def _dense(sample: Sample) -> Floats:
    return sample.found.cosine


def _lexical(sample: Sample) -> Floats:
    return sample.found.lexical


def _reciprocal_ranks(sample: Sample) -> Floats:
    """Cormack, Clarke, Buettcher: "Reciprocal Rank Fusion …", SIGIR 2009."""
    return _reciprocal(sample.found.cosine) + _reciprocal(sample.found.lexical)


def _reciprocal(scores: Floats) -> Floats:
    ranks = np.searchsorted(np.sort(-scores), -scores) + 1
    return np.asarray(np.where(scores > 0, 1 / (_RRF_K + ranks), 0), dtype=np.float32)


def _weighted(sample: Sample) -> Floats:
    share = np.float32(DENSE_SHARE)
    return share * sample.found.cosine + (1 - share) * sample.found.lexical


BASELINES: Mapping[str, Way] = {
    "dense": _dense,
    "BM25": _lexical,
    "RRF (k = 60)": _reciprocal_ranks,
    "0.6 dense + 0.4 BM25": _weighted,
}


def answered(samples: Sequence[Sample]) -> Sequence[Sample]:
    return [each for each in samples if each.wanted]


def table(samples: Sequence[Sample], scores: Sequence[Floats]) -> Table:
    """Figures of the questions that have an answer; each with its scores."""
    by_set: dict[str, list[Mapping[str, float]]] = {}
    for sample, score in zip(samples, scores, strict=True):
        if sample.wanted:
            figures = measures(sample.ordered(score))
            by_set.setdefault(sample.place.set, []).append(figures)
    return {name: _summed(rows) for name, rows in by_set.items()}


def _summed(rows: Sequence[Mapping[str, float]]) -> Mapping[str, tuple[float, float, float]]:
    summed = {}
    for name in rows[0]:
        values = [row[name] for row in rows]
        summed[name] = (fsum(values) / len(values), *interval(values))
    return summed


def by(way: Way, samples: Sequence[Sample]) -> Table:
    return table(samples, [way(each) for each in samples])


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """The relevance below which nothing is let in, and that of a likely answer."""

    floor: float
    sufficient: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Declined:
    """
    Of one set: what is declined, and what the floor costs. Shares of questions, 0 to 1.

    Of those without an answer some are asked of another memory, and some, near misses, of their
    own; None where a set has none of them.
    """

    unanswerable_declined: float | None
    near_misses_declined: float | None
    answerable_declined: float
    recall_lost: float


def declined(
    samples: Sequence[Sample], scores: Sequence[Floats], model: RelevanceModel, bars: Bars
) -> Mapping[str, Declined]:
    """Questions without any sufficient candidate, and the recall@10 that falls below the floor."""
    by_set: dict[str, list[_Row]] = {}
    for sample, score in zip(samples, scores, strict=True):
        told = facts(score, sample.found, known=sample.known)
        relevance = model.calibration.relevance(score, told)
        row = _Row(
            sample=sample,
            declined=bool((relevance < bars.sufficient).all()),
            lost=_lost(sample, score, relevance >= bars.floor),
        )
        by_set.setdefault(sample.place.set, []).append(row)
    return {name: _declined(rows) for name, rows in by_set.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    sample: Sample
    declined: bool
    lost: float


def _lost(sample: Sample, score: Floats, kept: NDArray[np.bool_]) -> float:
    """The recall@10 that falls below the floor."""
    if not sample.wanted:
        return 0.0
    without = np.where(kept, score, -np.inf).astype(np.float32)
    best = np.argsort(-without, kind="stable")
    first = [sample.messages[at] for at in best if kept[at]]
    there = sample.wanted.intersection(list(dict.fromkeys(first))[:10])
    return recall(sample.ordered(score), first=10) - len(there) / len(sample.wanted)


def _declined(rows: Sequence[_Row]) -> Declined:
    answerable = [row for row in rows if row.sample.wanted]
    away = [row.declined for row in rows if not row.sample.place.at_home]
    near = [row.declined for row in rows if row.sample.place.at_home and not row.sample.wanted]
    return Declined(
        unanswerable_declined=_mean(away) if away else None,
        near_misses_declined=_mean(near) if near else None,
        answerable_declined=_mean([row.declined for row in answerable]),
        recall_lost=_mean([row.lost for row in answerable]),
    )


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values) if values else 0.0


def folds(samples: Sequence[Sample]) -> Sequence[int]:
    """
    Which of FOLDS parts each sample belongs to: by memory, by question where a set has but one.

    Both askings of a question are in the same part.
    """
    memories: dict[str, list[str]] = {}
    for each in samples:
        own = memories.setdefault(each.place.set, [])
        if each.place.memory not in own:
            own.append(each.place.memory)
    return [
        (
            each.place.number
            if len(memories[each.place.set]) == 1
            else memories[each.place.set].index(each.place.memory)
        )
        % FOLDS
        for each in samples
    ]


def held_out(
    samples: Sequence[Sample], parts: Sequence[object], schooling: Schooling, taught: Count
) -> Sequence[Floats]:
    """Each sample's scores by networks that learned from all parts but its own."""
    scores: list[Floats] = [np.zeros(0, dtype=np.float32)] * len(samples)
    for part in dict.fromkeys(parts):
        networks = _taught(
            [each for each, own in zip(samples, parts, strict=True) if own != part], schooling
        )
        for at, own in enumerate(parts):
            if own == part:
                scores[at] = networks.scores(samples[at].found.features)
        taught(1)
    return scores


def _taught(samples: Sequence[Sample], schooling: Schooling) -> Networks:
    return learn_both([each.lesson for each in answered(samples)], schooling)


def tuned(
    samples: Sequence[Sample],
    scores: Sequence[Floats],
    schooling: Schooling,
    learned: Mapping[str, object],
) -> RelevanceModel:
    """Networks of all samples, calibrated on `scores`, which were held out of learning."""
    return RelevanceModel(
        networks=_taught(samples, schooling),
        calibration=calibrate(samples, scores),
        learned=learned,
    )


def ablation(samples: Sequence[Sample], networks: Networks) -> Mapping[str, Mapping[str, float]]:
    """
    By set, what each feature is worth: recall@10 lost when it is the pool's mean everywhere.

    Nothing is learned anew, so features that say the same share their worth.
    """
    home = answered(samples)
    whole = _recalls(home, [networks.scores(each.found.features) for each in home])
    worth: dict[str, dict[str, float]] = {name: {} for name in whole}
    for column, feature in enumerate(NAMES):
        without = [networks.scores(_levelled(each.found.features, column)) for each in home]
        for name, found in _recalls(home, without).items():
            worth[name][feature] = whole[name] - found
    return worth


def _levelled(features: Floats, column: int) -> Floats:
    level = features.copy()
    level[:, column] = 0 if NAMES[column].startswith("query_") else features[:, column].mean()
    return level


def _recalls(samples: Sequence[Sample], scores: Sequence[Floats]) -> Mapping[str, float]:
    by_set: dict[str, list[float]] = {}
    for sample, score in zip(samples, scores, strict=True):
        found = recall(sample.ordered(score), first=10)
        by_set.setdefault(sample.place.set, []).append(found)
    return {name: _mean(values) for name, values in by_set.items()}

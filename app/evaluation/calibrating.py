"""Fitting what a score means from scores that were held out of learning."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.evaluation.asking import Sample
from app.ranking import Floats
from app.ranking.model import FACTS, Calibration, facts

_Doubles = NDArray[np.float64]

_STEPS = 100
_DEPTH = 20
"""Candidates of each question that are looked at, best first: the rest tells nothing new."""

_RIDGE = 1e-3

_PER_SET = 1_000.0
"""What each set weighs, however many questions it has."""

_GENTLE, _LENIENT = 0.3, 0.97
"""
Of the fitted slope, and added to the fitted bias: a floor is to keep out what is off topic, not a
tenth answer. At the default floor recall@10 loses nothing so on LoCoMo and BEAM; that a pool holds
no answer is told by what is sufficient.
"""


@dataclass(frozen=True, slots=True)
class _Rows:
    """Candidates as the logistic sees them: x (r, 2 + facts), whether they answer, and weights."""

    x: _Doubles
    answers: _Doubles
    weights: _Doubles


def calibrate(samples: Sequence[Sample], scores: Sequence[Floats]) -> Calibration:
    """
    A logistic of the distance to the best score and of the pool's facts.

    Questions that have no answer in the memory they were asked of weigh as much as the others.
    """
    kept = _telling(samples)
    samples, scores = [samples[at] for at in kept], [scores[at] for at in kept]
    rows = _rows(samples, scores, of_set=Counter(each.place.set for each in samples))
    scale = np.maximum(rows.x.std(axis=0), 1e-3)
    scale[-1] = 1.0
    weights = _logistic(rows.x / scale, rows.answers, rows.weights) / scale
    return Calibration(
        slope=max(_GENTLE * float(weights[0]), 0.05),
        weights=weights[1:-1].astype(np.float32),
        bias=float(weights[-1]) + _LENIENT,
    )


def _telling(samples: Sequence[Sample]) -> Sequence[int]:
    """
    Which of them tell what has an answer from what has none.

    A set that has but one kind does not, and is left out, unless all are such. So are near misses:
    nothing that is known of a pool tells these apart.
    """
    kept = [at for at, each in enumerate(samples) if each.wanted or not each.place.at_home]
    kinds = {(samples[at].place.set, bool(samples[at].wanted)) for at in kept}
    both = {name for name, answered in kinds if (name, not answered) in kinds}
    return [at for at in kept if samples[at].place.set in both or not both]


def _rows(
    samples: Sequence[Sample], scores: Sequence[Floats], *, of_set: Mapping[str, int]
) -> _Rows:
    x, answers, weights = [], [], []
    for sample, score in zip(samples, scores, strict=True):
        best = np.argsort(-score, kind="stable")[:_DEPTH]
        told = facts(score, sample.found, known=sample.known)
        right = sample.answers[best] >= 0
        x.append(_line(score[best] - score.max(), told))
        answers.append(right)
        share = _shares(right, has_answer=bool(sample.wanted))
        weights.append(share * (_PER_SET / of_set[sample.place.set]))
    return _Rows(
        np.concatenate(x),
        np.concatenate(answers).astype(np.float64),
        np.concatenate(weights),
    )


def _line(distance: Floats, told: Floats) -> _Doubles:
    level = np.broadcast_to(told, (len(distance), len(FACTS)))
    return np.column_stack([distance, level, np.ones(len(distance))]).astype(np.float64)


def _shares(right: NDArray[np.bool_], *, has_answer: bool) -> _Doubles:
    """One for the answers of a question together, and a half for what is beside them."""
    if not has_answer:
        return np.where(np.arange(len(right)) == 0, 1.0, 0.25 / len(right))
    beside = 0.25 / max(int((~right).sum()), 1)
    return np.where(right, 1 / max(int(right.sum()), 1), beside)


def _logistic(x: _Doubles, answers: _Doubles, weights: _Doubles) -> _Doubles:
    """Weights of a weighted logistic regression with a small ridge, by Newton's method."""
    found = np.zeros(x.shape[1])
    ridge = _RIDGE * weights.sum() * np.eye(x.shape[1])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(x @ found, -30, 30)))
        slope = x.T @ (weights * (chance - answers)) + ridge @ found
        bend = (x * (weights * chance * (1 - chance))[:, None]).T @ x + ridge
        step = np.linalg.solve(bend, slope)
        found -= step
        if np.abs(step).max() < 1e-8:  # as far as it matters
            break
    return found

"""
Learning the networks of `app.ranking.network` from questions with known answers.

The loss is listwise: the cross-entropy of the softmax over each question's pool, with the
answering messages sharing the mass. Every set weighs the same, however many questions it has.

Source: Cao et al.: "Learning to Rank: From Pairwise Approach to Listwise Approach", ICML 2007.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from app.evaluation.condensing import condensed
from app.evaluation.descent import Course, descend, untaught
from app.evaluation.sets import TooLittleAsked
from app.ranking import Floats
from app.ranking.features import NAMES
from app.ranking.network import Network, Networks, share_of_long

_RISING = frozenset(
    """
    cosine piece_cosine bm25 piece_bm25 matched rarest opening_matched bm25_no_names
    matched_no_names window_before window_after window beside_matched before_cosine after_cosine
    before_bm25 after_bm25 others others_best others_cosine others_matched close_by close_by_wide
    phrases telling_phrases like_best cosine_rank bm25_rank window_rank both_ranks speaker_named
    time_told said_by_asker words
    """.split()
)
"""Features whose linear weight is held at 0 or above: what is learned moves better to other sets
(recall@10 on LoCoMo, unseen in learning, 0.675 without, 0.706 with)."""

_TINY = 1e-8


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """
    The pool of one question: features, shape (n, f), and which answering message each belongs to.

    `answers` counts from 0 for the first answering message found, -1 for other candidates.
    """

    set: str
    features: Floats
    answers: NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """Networks that were learned earlier, and the share of what they say that is kept, 0 to 1."""

    networks: Networks
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Schooling:
    """
    How to learn; the rates are AdamW's.

    Each step sees `lessons_per_set` lessons of each set, and of each of them the answers and
    `others` other candidates: half of a pool teaches as much in half of the time.
    """

    hidden: int = 32
    steps: int = 400
    lessons_per_set: int = 40
    others: int = 50
    rate: float = 0.01
    decay: float = 0.3
    dropout: float = 0.3
    seeds: Sequence[int] = (0, 1, 2, 3, 4)
    units: int = 96
    """Hidden ones of what comes out: all that the seeds have are condensed to these."""
    before: Before | None = None
    """What is not forgotten."""


@dataclass(frozen=True, slots=True)
class _Batch:
    """Several lessons in a row: `lesson` (n,) tells whose each candidate is, `start` where."""

    x: Floats
    lesson: NDArray[np.intp]
    start: NDArray[np.intp]
    answer: NDArray[np.intp]
    """Which answering message of the batch, -1 for none."""
    share: Floats
    """Of each answering message: its part of its lesson's mass."""
    weight: Floats
    """Of each lesson; they sum to 1."""

    @classmethod
    def of(cls, lessons: Sequence[Lesson], weights: Sequence[float]) -> "_Batch":
        counts = [int(each.answers.max()) + 1 for each in lessons]
        sizes = [len(each.features) for each in lessons]
        before = np.cumsum([0, *counts[:-1]])
        shifted = [
            np.where(each.answers < 0, -1, each.answers + first)
            for each, first in zip(lessons, before, strict=True)
        ]
        return cls(
            x=np.concatenate([each.features for each in lessons]),
            lesson=np.repeat(np.arange(len(lessons)), sizes),
            start=np.cumsum([0, *sizes[:-1]]),
            answer=np.concatenate(shifted),
            share=np.repeat([1 / count for count in counts], counts).astype(np.float32),
            weight=np.asarray(weights, dtype=np.float32),
        )

    def error(self, scores: Floats) -> Floats:
        """The gradient of the loss by each score, shape (n,)."""
        highest = np.maximum.reduceat(scores, self.start)
        raised = np.exp(scores - highest[self.lesson])
        chance = raised / np.add.reduceat(raised, self.start)[self.lesson]
        right = self.answer >= 0
        which = self.answer[right]
        of_message = np.bincount(which, weights=chance[right], minlength=len(self.share))
        wanted = np.zeros_like(chance)
        wanted[right] = self.share[which] * chance[right] / np.maximum(of_message[which], _TINY)
        return np.asarray((chance - wanted) * self.weight[self.lesson], dtype=np.float32)


_FEW = 50
"""Lessons of one kind below which one network learns from all of them, and judges all."""


def learn_both(lessons: Sequence[Lesson], schooling: Schooling) -> Networks:
    """
    A network for brief messages and one for long ones, each learned from all of which it judges.

    Raises:
        TooLittleAsked: No answer is in any pool.
    """
    useful = _useful(lessons)
    shares = [float(share_of_long(each.features)) for each in useful]
    kinds = [
        [each for each, share in zip(useful, shares, strict=True) if share < 1],
        [each for each, share in zip(useful, shares, strict=True) if share > 0],
    ]
    if min(map(len, kinds)) < _FEW:
        kinds = [[*useful]]
    means = [learn(each, schooling) for each in kinds]
    learned = Networks(brief=means[0], long=means[-1])
    if schooling.before:
        learned = _beside(schooling.before, learned)
    return Networks(
        brief=_condensed(learned.brief, kinds[0], schooling),
        long=_condensed(learned.long, kinds[-1], schooling),
    )


def _beside(before: Before, learned: Networks) -> Networks:
    old, shares = before.networks, (before.share, 1 - before.share)
    return Networks(
        brief=Network.mixed([old.brief, learned.brief], shares),
        long=Network.mixed([old.long, learned.long], shares),
    )


def _condensed(network: Network, lessons: Sequence[Lesson], schooling: Schooling) -> Network:
    return condensed(network, [each.features for each in lessons], units=schooling.units)


def learn(lessons: Sequence[Lesson], schooling: Schooling) -> Network:
    """
    A network learned from `lessons`: the mean of one for each seed.

    Lessons whose pool holds no answering message teach nothing and are left out.

    Raises:
        TooLittleAsked: None is left.
    """
    useful = _useful(lessons)
    if not useful:
        raise TooLittleAsked(
            "too little to learn from: beside the questions that are held out there is none whose "
            "answer was found in memory"
        )
    return Network.averaged([_learn(useful, schooling, seed) for seed in schooling.seeds])


def _useful(lessons: Sequence[Lesson]) -> Sequence[Lesson]:
    return [each for each in lessons if (each.answers >= 0).any()]


def _learn(lessons: Sequence[Lesson], schooling: Schooling, seed: int) -> Network:
    rng = np.random.default_rng(seed)
    size = lessons[0].features.shape[1]
    start = untaught(rng, size, schooling.hidden)
    course = Course(
        steps=schooling.steps,
        rate=schooling.rate,
        decay=schooling.decay,
        dropout=schooling.dropout,
        rising=np.array([name in _RISING for name in NAMES[:size]]),
    )
    return descend(start, _batches(lessons, schooling, rng), course, rng)


def _batches(
    lessons: Sequence[Lesson], schooling: Schooling, rng: np.random.Generator
) -> Iterator[_Batch]:
    """Endless batches with as many lessons, or as much weight, of each set."""
    by_set: dict[str, list[int]] = {}
    for at, each in enumerate(lessons):
        by_set.setdefault(each.set, []).append(at)
    decks = {name: _shuffled(own, rng) for name, own in by_set.items()}
    while True:
        chosen: list[Lesson] = []
        weights: list[float] = []
        for name, own in by_set.items():
            count = min(schooling.lessons_per_set, len(own))
            drawn = [lessons[next(decks[name])] for _ in range(count)]
            chosen += [_some(each, schooling.others, rng) for each in drawn]
            weights += [1 / (count * len(by_set))] * count
        yield _Batch.of(chosen, weights)


def _some(lesson: Lesson, others: int, rng: np.random.Generator) -> Lesson:
    """The answers of a lesson, and so many of its other candidates."""
    beside = np.flatnonzero(lesson.answers < 0)
    if len(beside) <= others:
        return lesson
    answering = np.flatnonzero(lesson.answers >= 0)
    kept = np.concatenate([answering, rng.choice(beside, others, replace=False)])
    return replace(lesson, features=lesson.features[kept], answers=lesson.answers[kept])


def _shuffled(numbers: Sequence[int], rng: np.random.Generator) -> Iterator[int]:
    while True:
        yield from rng.permutation(numbers).tolist()

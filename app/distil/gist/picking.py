"""Which sentences are told: the worthiest that have room, and none that says the same again."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_SAME = 0.9
"""Cosine above which a sentence says what another bullet says already."""

_REPETITION = 0.5
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


@np.errstate(invalid="ignore")
def picked(
    worth: NDArray[np.float64],
    costs: NDArray[np.float64],
    vectors: NDArray[np.float32],
    *,
    said: Sequence[str],
    most: int,
) -> Sequence[int]:
    """
    Indices, the worthiest first; of equal ones the earlier.

    Of what resembles one that is told, the last that says another number is told as well: it may
    correct it.
    """
    numbers = _numbers(said)
    chosen: list[int] = []
    likeness = np.zeros(len(worth))
    room = float(most)
    open_ = costs <= room
    while open_.any():
        told = worth * (1 - _REPETITION * np.clip(likeness, 0, 1))
        best = int(np.argmax(np.where(open_, told, -np.inf)))
        chosen.append(best)
        room -= float(costs[best])
        alike = vectors @ vectors[best]
        likeness = np.maximum(likeness, alike)
        open_ &= (costs <= room) & ~_repeating(alike, numbers, best)
        open_[best] = False
    return chosen


def _repeating(
    alike: NDArray[np.float32], numbers: NDArray[np.int64], best: int
) -> NDArray[np.bool_]:
    """True for what says the same again as `best`, but for the last of another number behind it."""
    again: NDArray[np.bool_] = alike >= _SAME
    behind = np.flatnonzero(again & (numbers != numbers[best]))
    if len(behind) and behind[-1] > best:
        again[behind[-1]] = False
    return again


def _numbers(said: Sequence[str]) -> NDArray[np.int64]:
    """One for each sentence, the same where the same numbers are said."""
    named = [frozenset(_NUMBER.findall(each)) for each in said]
    known = {each: at for at, each in enumerate(named)}
    return np.array([known[each] for each in named], np.int64)

"""How well the times of candidates fit the times that a query speaks of."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from app.ranking import Floats
from app.text.intervals import Interval

_DAY = 86_400.0

TIME_SHARE = np.float32(0.4)
"""
What a full match adds to a relevance. Decision 120 of docs/decisions.md has the figures.
"""

LATER_DAYS = 3.0
"""What happened is often told days later: behind an interval a match fades this slowly."""

EARLIER_DAYS = 1.0


def time_match(created_at: NDArray[np.float64], intervals: Sequence[Interval]) -> Floats:
    """
    The best fit of each time to any of the intervals, shape (n,), in [0, 1]; 0 without intervals.

    Inside an interval it is the interval's strength; outside it fades with the distance, measured
    in a few days or a quarter of the interval, whichever is more.

    Args:
        created_at: Seconds since 1970, shape (n,).
    """
    best = np.zeros(len(created_at), dtype=np.float64)
    for each in intervals:
        best = np.maximum(best, each.strength * _fit(created_at, each))
    return best.astype(np.float32)


def fitting(recency: Floats, created_at: NDArray[np.float64], asked: Sequence[Interval]) -> Floats:
    """
    What recency counts for where a time is asked for: as much as the time of each item fits.

    What is fresh would else stand before what was said "in May". How long ago that day, week or
    month is does not matter; of a season, a year or "recently" it does. Without intervals it stays.

    Args:
        recency: Of each item, shape (n,).
        created_at: Seconds since 1970, shape (n,).
        asked: The intervals, whose strength does not matter here.
    """
    if not asked:
        return recency
    fit = time_match(created_at, [replace(each, strength=1.0) for each in asked])
    return fit if all(each.is_named for each in asked) else recency * fit


NEAR = 0.1
"""The fit from which on something may have been told of a time: a week behind a day."""


def elsewhere(created_at: NDArray[np.float64], asked: Sequence[Interval]) -> NDArray[np.bool_]:
    """True for what lies so far from all of the intervals that it is hardly told of them, (n,)."""
    return fitting(np.ones(len(created_at), dtype=np.float32), created_at, asked) < NEAR


def _fit(created_at: NDArray[np.float64], interval: Interval) -> NDArray[np.float64]:
    start, stop = interval.start.timestamp(), interval.stop.timestamp()
    quarter = (stop - start) / 4
    early = np.maximum(start - created_at, 0.0) / max(EARLIER_DAYS * _DAY, quarter)
    late = np.maximum(created_at - stop, 0.0) / max(LATER_DAYS * _DAY, quarter)
    fit: NDArray[np.float64] = np.exp(-(early + late))
    return fit

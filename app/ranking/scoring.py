"""The final score: relevance, recency and importance, weighed as the caller wants."""

import numpy as np
from numpy.typing import NDArray

from app.domain.context import Weights
from app.ranking import Floats

DECAY_DAYS = 30.0
"""After this many days recency has fallen to 1/e."""

PREFERRED = 1.5
"""What a preferred label multiplies a score with."""

_STEEPNESS = 48.0
"""
With 0.985 of what the best is worth being fresh counts half, with 0.96 a seventh. Decision 115
of docs/decisions.md has the figures.
"""

_DAY, _LEAST = 86_400.0, 1e-6


def recency(created_at: NDArray[np.float64], *, now: float) -> Floats:
    """
    exp(-age_days / 30), shape (n,), in (0, 1]; what is later than `now` counts as new.

    Args:
        created_at: Seconds since 1970, shape (n,).
        now: Seconds since 1970.
    """
    age_days = np.maximum(now - created_at, 0.0) / _DAY
    return np.exp(-age_days / DECAY_DAYS).astype(np.float32)


def merit_of_being_fresh(worth: Floats) -> Floats:
    """
    How far being fresh is a merit of each, shape (n,), in [0, 1]: among what is worth about as much
    as the best. Else what was said today about the same people would stand before what answers.
    """
    best = max(float(worth.max(initial=0.0)), _LEAST)
    merit: Floats = (worth / np.float32(best)) ** np.float32(_STEEPNESS)
    return merit


def leaning(weights: Weights) -> float:
    """How much recency leans on relevance: from 0, where only recency is asked for, to 1."""
    return 1.0 if weights.recency <= weights.relevance else weights.relevance / weights.recency


def final_scores(
    *,
    relevance: Floats,
    recency: Floats,
    importance: Floats,
    preferred: NDArray[np.bool_],
    weights: Weights,
) -> Floats:
    """
    Weigh the three, each of shape (n,); `importance` from 1 to 10, the others in [0, 1].

    Returns:
        Scores in [0, 1.5], shape (n,): above 1 only with a preferred label.
    """
    score = (
        weights.relevance * relevance
        + weights.recency * recency
        + weights.importance * importance / 10.0
    )
    scores: Floats = np.where(preferred, score * PREFERRED, score).astype(np.float32)
    return scores

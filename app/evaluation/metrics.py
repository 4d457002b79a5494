"""How good an order of messages is, for one question. All in 0 to 1, the more the better."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2
from typing import cast

import numpy as np
from numpy.typing import NDArray

from app.ranking.budget import by_worth, pack

_MOST = 200
"""Items of a bundle that is limited by its tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordered:
    """
    The distinct messages that were found for a question, best first.

    `evidence` says of each whether it answers the question, `tokens` what it costs; `wanted`
    counts the messages that answer, found or not (at least 1).
    """

    evidence: Sequence[bool]
    tokens: Sequence[int]
    wanted: int


def recall(found: Ordered, *, first: int) -> float:
    """The share of the evidence among the `first` messages."""
    return sum(found.evidence[:first]) / found.wanted


def reciprocal_rank(found: Ordered, *, first: int) -> float:
    """1 / rank of the first evidence, 0 where it is not among the `first` messages."""
    ranks = (rank for rank, hit in enumerate(found.evidence[:first], 1) if hit)
    return 1 / next(ranks, float("inf"))


def ndcg(found: Ordered, *, first: int) -> float:
    """Discounted gain of the `first` messages over the best that could be had."""
    gained = sum(1 / log2(at + 2) for at, hit in enumerate(found.evidence[:first]) if hit)
    return gained / sum(1 / log2(at + 2) for at in range(min(first, found.wanted)))


def recall_within(found: Ordered, *, budget: int) -> float:
    """The share of the evidence inside `budget` tokens, packed as a bundle is, of whole items."""
    places = np.arange(1, len(found.tokens) + 1, dtype=np.float32)
    order = by_worth(found.tokens, places, most=_MOST)
    taken = pack([found.tokens[at] for at in order], room=budget, most=_MOST)
    return sum(found.evidence[order[place]] for place in taken) / found.wanted


def measures(found: Ordered) -> dict[str, float]:
    """Every figure that is reported, by name."""
    return {
        "recall@5": recall(found, first=5),
        "recall@10": recall(found, first=10),
        "recall@20": recall(found, first=20),
        "mrr@10": reciprocal_rank(found, first=10),
        "ndcg@5": ndcg(found, first=5),
        "recall@500t": recall_within(found, budget=500),
        "recall@1000t": recall_within(found, budget=1_000),
        "recall@2000t": recall_within(found, budget=2_000),
    }


def interval(values: Sequence[float], *, draws: int = 1_000) -> tuple[float, float]:
    """
    The 95 % bootstrap interval of the mean of `values` (at least one), over questions.

    Source: Efron, Tibshirani: "An Introduction to the Bootstrap", 1993, the percentile interval.
    """
    rng = np.random.default_rng(0)
    table: NDArray[np.float64] = np.asarray(values, dtype=np.float64)
    means = table[rng.integers(len(table), size=(draws, len(table)))].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return cast("float", low.item()), cast("float", high.item())

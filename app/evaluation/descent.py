"""Moving the parameters of a network downhill, batch by batch."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from app.ranking import Floats
from app.ranking.network import Network

_BETA_1, _BETA_2, _TINY = 0.9, 0.99, 1e-8

Parameters = dict[str, Floats]
"""By name the parts of a `Network`."""


class Batch(Protocol):
    """Candidates, `x` of shape (n, f), and what is wrong with scores of them."""

    @property
    def x(self) -> Floats: ...

    def error(self, scores: Floats) -> Floats:
        """The gradient of the loss by each score, shape (n,)."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """
    How far to go and how fast: AdamW, at `rate` in the first half, then slower and slower.

    `rising` (f,) marks features whose linear weight is held at 0 or above, where there are such;
    with `bends_only` the linear weights stay as they are.
    """

    steps: int
    rate: float
    decay: float = 0.0
    dropout: float = 0.0
    rising: NDArray[np.bool_] | None = None
    bends_only: bool = False


def untaught(rng: np.random.Generator, size: int, hidden: int) -> Parameters:
    """Where to begin: of `size` features nothing is said, by `hidden` units at random."""
    return {
        "linear": np.zeros(size, dtype=np.float32),
        "hidden": (rng.standard_normal((size, hidden)) / np.sqrt(size)).astype(np.float32),
        "bias": np.zeros(hidden, dtype=np.float32),
        "out": (rng.standard_normal(hidden) / np.sqrt(max(hidden, 1))).astype(np.float32),
    }


def descend(
    start: Parameters, batches: Iterator[Batch], course: Course, rng: np.random.Generator
) -> Network:
    """
    A network that makes fewer errors on such batches than `start`, which is changed.

    Source: Loshchilov, Hutter: "Decoupled Weight Decay Regularization", ICLR 2019.
    """
    moments = {name: (np.zeros_like(each), np.zeros_like(each)) for name, each in start.items()}
    for step in range(1, course.steps + 1):
        found = slopes(start, next(batches), course.dropout, rng)
        rate = course.rate * min(1.0, 2 * (course.steps - step + 1) / course.steps)
        for name, slope in found.items():
            if name == "linear" and course.bends_only:
                continue
            decay = 0.0 if name == "bias" else rate * course.decay
            moved = _adam(moments[name], slope, step) * np.float32(rate)
            start[name] = start[name] * np.float32(1 - decay) - moved
        if course.rising is not None:
            held = start["linear"]
            held[course.rising] = np.maximum(held[course.rising], 0)
    return Network(**start)


def slopes(
    network: Mapping[str, Floats], batch: Batch, dropout: float, rng: np.random.Generator
) -> Parameters:
    """The gradient of the loss by every parameter, with hidden units dropped at random."""
    bent = np.tanh(batch.x @ network["hidden"] + network["bias"])
    kept = (rng.random(bent.shape, dtype=np.float32) >= dropout) / np.float32(1 - dropout)
    kept = kept.astype(np.float32)
    scores = batch.x @ network["linear"] + (bent * kept) @ network["out"]
    error = batch.error(scores)
    behind = np.outer(error, network["out"]) * (1 - bent * bent) * kept
    return {
        "linear": batch.x.T @ error,
        "hidden": batch.x.T @ behind,
        "bias": behind.sum(axis=0),
        "out": (bent * kept).T @ error,
    }


def _adam(moments: tuple[Floats, Floats], slope: Floats, step: int) -> Floats:
    """The direction to move in; updates the moments."""
    first, second = moments
    first += np.float32(1 - _BETA_1) * (slope - first)
    second += np.float32(1 - _BETA_2) * (slope * slope - second)
    root = np.sqrt(second / np.float32(1 - _BETA_2**step)) + np.float32(_TINY)
    return np.asarray(first / np.float32(1 - _BETA_1**step) / root, dtype=np.float32)

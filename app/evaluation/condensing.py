"""
One small network that says what a large one says.

The mean of several networks judges better than each, and has the units of all of them, which every
request would pay for. A few units tell nearly the same of such pools as there are.

Source: Bucila, Caruana, Niculescu-Mizil: "Model Compression", KDD 2006.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.evaluation.descent import Course, Parameters, descend, untaught
from app.ranking import Floats
from app.ranking.network import Network

_POOLS = 24
"""Of which each step sees the scores."""

_COURSE = Course(steps=1500, rate=0.005, bends_only=True)

_FAINT = np.float32(0.1)
"""How loud the new units are at first: the linear part alone is a good beginning."""


@dataclass(frozen=True, slots=True)
class _Copying:
    """
    Pools in a row: `start` (p,) tells where each begins, `told` (n,) what is to be said.

    The loss of a pool is the mean square of what scores are off, once more by how likely each is
    the answer: among the best it matters most. Only differences inside a pool mean anything, so
    what all of them are off is no error.
    """

    x: Floats
    start: NDArray[np.intp]
    told: Floats
    weight: Floats
    """Of each candidate."""

    @classmethod
    def of(cls, pools: Sequence[Floats], told: Sequence[Floats]) -> "_Copying":
        sizes = np.array([len(each) for each in pools])
        shares = [np.exp(each - each.max()) for each in told]
        weights = [share / share.sum() + 1 / len(share) for share in shares]
        return cls(
            x=np.concatenate(pools),
            start=np.cumsum([0, *sizes[:-1]]),
            told=np.concatenate(told),
            weight=np.concatenate(weights).astype(np.float32) / np.float32(len(pools)),
        )

    def error(self, scores: Floats) -> Floats:
        """The gradient of the loss by each score, shape (n,)."""
        off = self._levelled(scores - self.told)
        return self._levelled(2 * self.weight * off)

    def _levelled(self, values: Floats) -> Floats:
        """Less the mean of each pool."""
        sizes = np.diff(np.append(self.start, len(values)))
        means = np.add.reduceat(values, self.start) / sizes
        return np.asarray(values - np.repeat(means, sizes), dtype=np.float32)


def condensed(large: Network, pools: Sequence[Floats], *, units: int) -> Network:
    """
    One of so many hidden units, which says of such pools nearly what `large` does.

    Args:
        large: It is the answer where it has no more units itself.
        pools: Of at least one candidate each, shapes (n, f).
        units: Hidden ones.
    """
    if len(large.bias) <= units:
        return large
    rng = np.random.default_rng(0)
    start: Parameters = untaught(rng, len(large.linear), units)
    start |= {"linear": large.linear.copy(), "out": start["out"] * _FAINT}
    told = [large.scores(each) for each in pools]
    return descend(start, _batches(pools, told, rng), _COURSE, rng)


def _batches(
    pools: Sequence[Floats], told: Sequence[Floats], rng: np.random.Generator
) -> Iterator[_Copying]:
    while True:
        chosen = rng.choice(len(pools), size=min(_POOLS, len(pools)), replace=False).tolist()
        yield _Copying.of([pools[at] for at in chosen], [told[at] for at in chosen])

"""One small network that says what a large one says (app/evaluation/condensing.py)."""

from collections.abc import Sequence
from typing import cast

import numpy as np
import pytest

from app.evaluation.condensing import _Copying, condensed
from app.evaluation.descent import slopes
from app.ranking import Floats
from app.ranking.network import Network

FEATURES = 6


def a_network(units: int, *, seed: int = 0) -> Network:
    rng = np.random.default_rng(seed)
    return Network(
        linear=rng.standard_normal(FEATURES).astype(np.float32),
        hidden=rng.standard_normal((FEATURES, units)).astype(np.float32),
        bias=rng.standard_normal(units).astype(np.float32),
        out=(rng.standard_normal(units) / 4).astype(np.float32),
    )


def pools(count: int, *, seed: int) -> Sequence[Floats]:
    rng = np.random.default_rng(seed)
    return [
        rng.standard_normal((rng.integers(1, 30), FEATURES)).astype(np.float32)
        for _ in range(count)
    ]


def off(one: Network, other: Network, seen: Sequence[Floats]) -> float:
    """How far the scores of two lie apart inside a pool, as a share of how far these vary."""
    apart, there = [], []
    for each in seen:
        first, second = one.scores(each), other.scores(each)
        apart.append(np.var(first - second))
        there.append(np.var(second))
    return float(np.sqrt(np.sum(apart) / np.sum(there)))


def test_a_few_units_say_what_many_say_of_pools_never_seen() -> None:
    large, unseen = a_network(40), pools(60, seed=2)
    small = condensed(large, pools(200, seed=1), units=16)
    assert small.hidden.shape == (FEATURES, 16)
    linear = Network(
        linear=large.linear,
        hidden=large.hidden[:, :0],
        bias=large.bias[:0],
        out=large.out[:0],
    )
    assert off(small, large, unseen) < 0.25
    assert off(linear, large, unseen) > 0.5


def test_what_each_feature_says_by_itself_stays() -> None:
    """Some of it must never speak against a candidate."""
    large = a_network(40)
    small = condensed(large, pools(20, seed=1), units=4)
    np.testing.assert_array_equal(small.linear, large.linear)


def test_a_network_that_is_small_already_is_left_alone() -> None:
    small = a_network(4)
    assert condensed(small, pools(5, seed=1), units=4) is small


def test_condensing_twice_gives_the_same() -> None:
    first, second = (condensed(a_network(9), pools(3, seed=1), units=2) for _ in range(2))
    np.testing.assert_array_equal(first.hidden, second.hidden)
    np.testing.assert_array_equal(first.out, second.out)


def test_what_all_candidates_of_a_pool_are_off_is_no_error() -> None:
    seen = pools(3, seed=1)
    told = [each[:, 0] for each in seen]
    raised = np.concatenate([each + at for at, each in enumerate(told)])
    error = _Copying.of(seen, told).error(raised)
    np.testing.assert_allclose(error, 0, atol=1e-6)


def loss(network: dict[str, Floats], seen: Sequence[Floats], told: Sequence[Floats]) -> float:
    """The mean over pools of what scores are off, squared: once alike, once by likeliness."""
    total = 0.0
    for x, wanted in zip(seen, told, strict=True):
        scores = (
            x @ network["linear"]
            + np.tanh(x @ network["hidden"] + network["bias"]) @ (network["out"])
        )
        apart = (scores - wanted).astype(np.float64)
        apart -= apart.mean()
        chance = np.exp(wanted) / np.exp(wanted).sum()
        total += float((apart**2).mean() + (chance * apart**2).sum()) / len(seen)
    return total


@pytest.mark.parametrize("name", ["hidden", "bias", "out"])
def test_the_gradient_is_that_of_the_loss(name: str) -> None:
    rng = np.random.default_rng(3)
    seen = [cast("Floats", each.astype(np.float64)) for each in pools(3, seed=1)]
    told = [cast("Floats", rng.standard_normal(len(each))) for each in seen]
    of = a_network(2, seed=4)
    network: dict[str, Floats] = {
        each: getattr(of, each).astype(np.float64) for each in ("linear", "hidden", "bias", "out")
    }
    found = slopes(network, _Copying.of(seen, told), 0.0, rng)[name].reshape(-1)
    flat, step = network[name].reshape(-1), 1e-5
    for at in range(flat.size):
        before = flat[at]
        flat[at] = before + step
        above = loss(network, seen, told)
        flat[at] = before - step
        below = loss(network, seen, told)
        flat[at] = before
        assert found[at] == pytest.approx((above - below) / (2 * step), abs=1e-4)

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.context import Weights
from app.ranking.scoring import final_scores, leaning, recency

DAY = 86_400.0
SHARE = st.floats(0, 1, width=32)
MOMENT = st.floats(-62_135_596_800, 253_402_300_799)
"""Years 1 to 9999."""


@given(st.lists(MOMENT, max_size=5), MOMENT)
def test_recency_is_a_share_that_falls_with_age(moments: list[float], now: float) -> None:
    fresh = recency(np.array(sorted(moments)), now=now)
    assert ((fresh >= 0) & (fresh <= 1)).all()
    assert (np.diff(fresh) >= 0).all()


def test_recency_falls_to_an_eth_in_thirty_days() -> None:
    moments = np.array([0, -30 * DAY, -60 * DAY, 5 * DAY, -20_000 * DAY])
    expected = [1, np.exp(-1), np.exp(-2), 1, 0]
    assert recency(moments, now=0.0).tolist() == pytest.approx(expected)


@st.composite
def some_weights(draw: st.DrawFn) -> Weights:
    parts = draw(st.lists(st.integers(0, 100), min_size=3, max_size=3).filter(any))
    relevance, fresh, importance = (part / sum(parts) for part in parts)
    return Weights(relevance=relevance, recency=fresh, importance=importance)


@given(SHARE, SHARE, st.integers(1, 10), some_weights())
def test_a_score_is_a_share_and_a_preferred_one_half_more(
    relevance: float, fresh: float, importance: int, weights: Weights
) -> None:
    plain, preferred = final_scores(
        relevance=np.full(2, relevance, np.float32),
        recency=np.full(2, fresh, np.float32),
        importance=np.full(2, importance, np.float32),
        preferred=np.array([False, True]),
        weights=weights,
    ).tolist()
    assert 0 <= plain <= 1.000001
    assert preferred == pytest.approx(1.5 * plain, rel=1e-5)
    assert plain == pytest.approx(
        weights.relevance * relevance
        + weights.recency * fresh
        + weights.importance * importance / 10,
        abs=1e-5,
    )


@given(st.lists(SHARE, min_size=2, max_size=8), some_weights())
def test_with_all_else_equal_relevance_decides(values: list[float], weights: Weights) -> None:
    scores = final_scores(
        relevance=np.array(sorted(values), np.float32),
        recency=np.full(len(values), 0.5, np.float32),
        importance=np.full(len(values), 5, np.float32),
        preferred=np.zeros(len(values), np.bool_),
        weights=weights,
    )
    assert (np.diff(scores) >= -1e-6).all()


@pytest.mark.parametrize(
    ("weights", "score"),
    [
        (Weights(), 0.5 * 0.8 + 0.3 * 0.4 + 0.2 * 0.6),
        (Weights(relevance=1, recency=0, importance=0), 0.8),
        (Weights(relevance=0, recency=1, importance=0), 0.4),
        (Weights(relevance=0, recency=0, importance=1), 0.6),
    ],
)
def test_weights_are_those_of_the_request(weights: Weights, score: float) -> None:
    (found,) = final_scores(
        relevance=np.array([0.8], np.float32),
        recency=np.array([0.4], np.float32),
        importance=np.array([6], np.float32),
        preferred=np.array([False]),
        weights=weights,
    ).tolist()
    assert found == pytest.approx(score)


@given(some_weights())
def test_recency_leans_on_relevance_unless_more_of_it_is_asked_for(weights: Weights) -> None:
    assert 0 <= leaning(weights) <= 1
    assert (leaning(weights) == 1) == (weights.recency <= weights.relevance)
    assert (leaning(weights) == 0) == (weights.relevance == 0 < weights.recency)

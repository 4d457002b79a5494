import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.evaluation.metrics import (
    Ordered,
    interval,
    measures,
    ndcg,
    recall,
    recall_within,
    reciprocal_rank,
)

FOUND = Ordered(evidence=[False, True, False, True], tokens=[30, 20, 60, 10], wanted=4)


def test_figures_of_a_small_order_are_those_worked_out_by_hand() -> None:
    assert recall(FOUND, first=2) == 1 / 4
    assert recall(FOUND, first=10) == 2 / 4
    assert reciprocal_rank(FOUND, first=10) == 1 / 2
    assert reciprocal_rank(FOUND, first=1) == 0
    gained, best = 0.63093 + 0.43068, 1 + 0.63093 + 0.5 + 0.43068
    assert ndcg(FOUND, first=5) == pytest.approx(gained / best, abs=1e-4)


def test_what_does_not_fit_is_left_out_and_the_rest_goes_on() -> None:
    assert recall_within(FOUND, budget=60) == 2 / 4
    assert recall_within(FOUND, budget=49) == 1 / 4
    assert recall_within(FOUND, budget=9) == 0


ORDERS = st.lists(st.tuples(st.booleans(), st.integers(0, 300)), max_size=30).flatmap(
    lambda rows: st.builds(
        lambda missed: Ordered(
            evidence=[hit for hit, _ in rows],
            tokens=[tokens for _, tokens in rows],
            wanted=max(1, sum(hit for hit, _ in rows) + missed),
        ),
        st.integers(0, 3),
    )
)


@given(ORDERS)
def test_every_figure_is_a_share(found: Ordered) -> None:
    assert all(0 <= value <= 1 + 1e-9 for value in measures(found).values())


@given(ORDERS)
def test_evidence_first_is_the_best_order(found: Ordered) -> None:
    order = sorted(range(len(found.evidence)), key=lambda at: not found.evidence[at])
    best = Ordered(
        evidence=[found.evidence[at] for at in order],
        tokens=[found.tokens[at] for at in order],
        wanted=found.wanted,
    )
    for name in ("recall@5", "recall@10", "mrr@10", "ndcg@5"):
        assert measures(best)[name] >= measures(found)[name] - 1e-9


@given(st.lists(st.floats(0, 1), min_size=1, max_size=50))
def test_the_interval_holds_what_the_values_reach(values: list[float]) -> None:
    low, high = interval(values, draws=50)
    assert min(values) - 1e-9 <= low <= high <= max(values) + 1e-9

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.services.access.rates import Allowance, Places, Rate, Rates


class HandTimer:
    def __init__(self) -> None:
        self.seconds = 1_000_000.0

    def __call__(self) -> float:
        return self.seconds


def a_bucket(per_second: float, burst: int) -> tuple[Rates, HandTimer]:
    timer = HandTimer()
    rates = Rates(rate=Rate(per_second=per_second, burst=burst), full_at={}, timer=timer)
    return rates, timer


def taken(rates: Rates, who: str = "ann") -> Allowance:
    allowance = rates.take(who)
    assert allowance is not None
    return allowance


def test_a_full_bucket_gives_its_burst_and_then_one_at_a_time() -> None:
    rates, timer = a_bucket(per_second=2, burst=3)
    assert [taken(rates).remaining for _ in range(3)] == [2, 1, 0]

    assert taken(rates) == Allowance(limit=3, remaining=0, full_after=2, retry_after=1)
    timer.seconds += 0.5
    assert taken(rates).retry_after is None
    assert taken(rates).retry_after == 1


def test_a_slow_bucket_tells_how_long_to_wait() -> None:
    rates, timer = a_bucket(per_second=0.1, burst=1)
    taken(rates)
    timer.seconds += 3
    assert taken(rates).retry_after == 7
    timer.seconds += 7
    assert taken(rates).retry_after is None


def test_buckets_are_everyones_own() -> None:
    rates, _ = a_bucket(per_second=1, burst=1)
    assert taken(rates, "ann").retry_after is None
    assert taken(rates, "bob").retry_after is None
    assert taken(rates, "ann").retry_after is not None


def test_a_rate_of_zero_counts_nothing() -> None:
    rates, _ = a_bucket(per_second=0, burst=1)
    assert [rates.take("ann") for _ in range(100)] == [None] * 100


@given(
    st.floats(0.01, 10_000),
    st.integers(1, 500),
    st.lists(st.floats(0, 20), min_size=1, max_size=200),
)
def test_it_gives_at_most_the_burst_and_what_flowed_in(
    per_second: float, burst: int, pauses: Sequence[float]
) -> None:
    rates, timer = a_bucket(per_second, burst)
    began, given_out = timer.seconds, 0
    for pause in pauses:
        timer.seconds += pause
        allowance = taken(rates)
        given_out += allowance.retry_after is None
        assert given_out <= burst + (timer.seconds - began) * per_second + 2e-3
        assert 0 <= allowance.remaining < burst
        assert allowance.full_after >= 0


@given(st.floats(0.01, 10_000), st.integers(1, 500))
def test_who_waits_as_told_is_let_in(per_second: float, burst: int) -> None:
    rates, timer = a_bucket(per_second, burst)
    allowance = taken(rates)
    while allowance.retry_after is None:
        allowance = taken(rates)
    timer.seconds += allowance.retry_after
    assert taken(rates).retry_after is None


def test_places_are_taken_and_given_back() -> None:
    places = Places(most=2)
    assert [places.enter("ann") for _ in range(3)] == [True, True, False]
    assert places.enter("bob")
    places.leave("ann")
    assert places.enter("ann")
    assert not places.enter("ann")


def test_places_without_a_limit_are_never_full() -> None:
    places = Places(most=0)
    assert all(places.enter("ann") for _ in range(1_000))


def test_a_place_that_was_not_taken_cannot_be_given_back() -> None:
    places = Places(most=1)
    places.enter("ann")
    places.leave("ann")
    with pytest.raises(KeyError):
        places.leave("ann")


def test_what_is_given_back_was_not_counted() -> None:
    rates, _ = a_bucket(per_second=1, burst=2)
    for _ in range(9):
        assert taken(rates).retry_after is None
        rates.give_back("ann")
    assert [taken(rates).retry_after for _ in range(3)] == [None, None, 1]

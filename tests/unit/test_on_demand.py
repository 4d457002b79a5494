"""Values that are worked out when they are first looked at."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.services.packing.on_demand import OnDemand


@given(st.lists(st.integers()), st.integers(-9, 9), st.integers(-9, 9))
def test_it_is_like_the_list_of_all_its_values(values: list[int], start: int, stop: int) -> None:
    on_demand = OnDemand(len(values), values.__getitem__)
    assert list(on_demand) == values
    assert on_demand[start:stop] == values[start:stop]
    assert on_demand[::-1] == values[::-1]
    with pytest.raises(IndexError):
        on_demand[len(values)]
    if values:
        assert on_demand[-1] == values[-1]


def test_what_nobody_looks_at_is_not_worked_out_and_nothing_twice() -> None:
    asked: list[int] = []

    def find(at: int) -> int:
        asked.append(at)
        return at

    on_demand = OnDemand(100, find)
    assert (on_demand[3], on_demand[3], on_demand[-97]) == (3, 3, 3)
    assert asked == [3]

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.ranking.budget import newest_that_fit, pack

COSTS = st.lists(st.integers(0, 100), max_size=30)
ROOM = st.integers(-10, 500)
MOST = st.integers(0, 40)


@given(COSTS, ROOM, MOST)
def test_what_is_taken_fits(costs: list[int], room: int, most: int) -> None:
    taken = pack(costs, room=room, most=most)
    assert sum(costs[at] for at in taken) <= max(room, 0)
    assert len(taken) <= most
    assert taken == sorted(set(taken))


@given(COSTS, ROOM, MOST)
def test_what_is_left_would_not_have_fitted_in_its_turn(
    costs: list[int], room: int, most: int
) -> None:
    taken = pack(costs, room=room, most=most)
    for at in set(range(len(costs))) - set(taken):
        before = [each for each in taken if each < at]
        assert len(before) == most or costs[at] > room - sum(costs[each] for each in before)


@given(COSTS, st.integers(0, 500), MOST)
def test_more_room_never_costs_the_best_its_place(costs: list[int], room: int, most: int) -> None:
    first = pack(costs, room=room, most=most)[:1]
    assert not first or first[0] >= pack(costs, room=room + 50, most=most)[0]


def test_an_item_that_is_too_large_makes_room_for_smaller_ones() -> None:
    assert pack([50, 200, 40, 20, 10], room=100, most=10) == [0, 2, 4]
    assert pack([50, 200, 40, 20, 10], room=100, most=2) == [0, 2]
    assert pack([0, 1], room=0, most=2) == [0]
    assert pack([0, 1], room=-1, most=2) == []


@given(COSTS, ROOM, MOST, st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 50))))
def test_what_is_shared_is_paid_once_by_the_first_that_is_taken(
    costs: list[int], room: int, most: int, shared: list[tuple[str, int]]
) -> None:
    both = list(zip(costs, shared, strict=False))
    taken = pack(
        [cost for cost, _ in both], room=room, most=most, shared=[each for _, each in both]
    )
    first = {shared[at][0]: shared[at][1] for at in reversed(taken)}
    assert sum(costs[at] for at in taken) + sum(first.values()) <= max(room, 0)


def test_who_finds_the_shared_part_paid_costs_less() -> None:
    shared = [("a", 9), ("a", 9), ("b", 9), ("a", 9)]
    assert pack([50, 1, 1, 2], room=13, most=4, shared=shared) == [1, 3]
    assert pack([1, 1, 1, 1], room=11, most=4, shared=shared) == [0, 1]


@given(COSTS, ROOM, MOST)
@example([5], 100, 0)
@example([0], -1, 1)
def test_the_newest_that_fit_are_the_longest_end_that_does(
    costs: list[int], room: int, most: int
) -> None:
    count = newest_that_fit(costs, room=room, most=most)
    end = costs[len(costs) - count :]
    assert 0 <= count <= min(len(costs), most)
    assert not end or sum(end) <= room
    if count < min(len(costs), most):
        assert sum(costs[len(costs) - count - 1 :]) > room


@pytest.mark.parametrize(
    ("room", "most", "count"), [(6, 9, 3), (5, 9, 2), (2, 9, 0), (99, 2, 2), (99, 0, 0), (0, 9, 0)]
)
def test_history_is_taken_from_its_end(room: int, most: int, count: int) -> None:
    assert newest_that_fit([4, 1, 2, 3], room=room, most=most) == count


def test_a_part_is_taken_only_where_its_whole_is_not() -> None:
    inside = {1: 0, 2: 0}
    assert pack([5, 2, 2, 2], room=9, most=9, inside=inside) == [0, 3]
    assert pack([5, 2, 2, 2], room=4, most=9, inside=inside) == [1, 2]
    assert pack([5, 2, 2, 2], room=9, most=9, inside={1: 3}) == [0, 1, 2]

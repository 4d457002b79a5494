import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from app.ranking.budget import Bounds, Share, by_worth, newest_that_fit, pack

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


@given(COSTS, ROOM, MOST, st.integers(1, 50))
def test_what_is_cut_fits_too(costs: list[int], room: int, most: int, least: int) -> None:
    spent: dict[int, int] = {}

    def cut(index: int, left: int) -> int | None:
        assert left < costs[index]
        spent[index] = min(left, least)
        return spent[index] if left >= least else None

    taken = pack(costs, room=room, most=most, cut=cut)
    assert sum(spent.get(at, costs[at]) for at in taken) <= max(room, 0)
    assert len(taken) <= most
    assert pack(costs, room=room, most=most, cut=lambda *_: None) == pack(
        costs, room=room, most=most
    )


def test_a_cut_is_made_for_the_room_behind_the_heading() -> None:
    asked: list[tuple[int, int]] = []

    def cut(index: int, left: int) -> int | None:
        asked.append((index, left))
        return 5

    shared = [("a", 10), ("a", 10), ("b", 10), ("b", 10)]
    assert pack([20, 50, 90, 7], room=60, most=9, shared=shared, cut=cut) == [0, 1, 2, 3]
    assert asked == [(1, 30), (2, 15)]
    assert pack([9], room=8, most=1, cut=lambda _, left: left + 1) == []


RANKED = st.lists(st.integers(0, 500), max_size=30).map(lambda costs: (costs, in_a_row(costs)))


def in_a_row(costs: list[int]) -> NDArray[np.float32]:
    return np.arange(1, len(costs) + 1, dtype=np.float32)


@given(RANKED, MOST)
def test_every_item_is_offered_room_once_the_best_before_the_rest(
    ranked: tuple[list[int], NDArray[np.float32]], most: int
) -> None:
    costs, places = ranked
    order = by_worth(costs, places, most=most)
    assert sorted(order) == list(range(len(costs)))
    assert sorted(order[:most]) == list(range(min(most, len(costs))))


@given(RANKED, MOST)
def test_of_two_items_that_cost_the_same_the_better_is_offered_room_first(
    ranked: tuple[list[int], NDArray[np.float32]], most: int
) -> None:
    costs, places = ranked
    order = by_worth(costs, places, most=most)
    for cost in set(costs):
        same = [at for at in order if costs[at] == cost]
        assert same == sorted(same)


def test_what_is_short_goes_before_what_is_a_little_better_and_long() -> None:
    costs = [300, 10, 300, 10, 10]
    assert by_worth(costs, in_a_row(costs), most=9) == [1, 0, 3, 4, 2]
    assert by_worth(costs, in_a_row(costs), most=3) == [1, 0, 2, 3, 4]


def test_what_gives_way_is_offered_room_later() -> None:
    places = np.array([1, 2, 9, 4], dtype=np.float32)
    assert by_worth([10] * 4, places, most=9) == [0, 1, 3, 2]
    assert by_worth([10] * 4, places, most=3) == [0, 1, 3, 2]


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
    inside = Bounds(inside={1: 0, 2: 0})
    assert pack([5, 2, 2, 2], room=9, most=9, bounds=inside) == [0, 3]
    assert pack([5, 2, 2, 2], room=4, most=9, bounds=inside) == [1, 2]
    assert pack([5, 2, 2, 2], room=9, most=9, bounds=Bounds(inside={1: 3})) == [0, 1, 2]


KINDS = st.lists(st.sampled_from([None, None, "fact", "summary"]), min_size=30, max_size=30)
OF = st.fixed_dictionaries(
    {kind: st.builds(Share, st.integers(0, 100), st.integers(0, 5)) for kind in ("fact", "summary")}
)


@given(COSTS, ROOM, MOST, KINDS, OF)
def test_a_kind_is_beyond_its_share_only_where_nothing_else_wants_the_room(
    costs: list[int], room: int, most: int, kinds: list[str | None], of: dict[str, Share]
) -> None:
    taken = pack(costs, room=room, most=most, bounds=Bounds(kinds=kinds[: len(costs)], of=of))
    assert sum(costs[at] for at in taken) <= max(room, 0)
    assert len(taken) <= most
    assert taken == sorted(set(taken))
    for kind, share in of.items():
        alike = [at for at in taken if kinds[at] == kind]
        beyond = len(alike) > share.places or sum(costs[at] for at in alike) > share.tokens
        left = room - sum(costs[at] for at in taken)
        plain = [at for at, _ in enumerate(costs) if kinds[at] is None and at not in taken]
        if beyond and len(taken) < most:
            assert all(costs[at] > left for at in plain)


@given(COSTS, ROOM, MOST, KINDS)
def test_shares_of_everything_bind_nothing(
    costs: list[int], room: int, most: int, kinds: list[str | None]
) -> None:
    all_of_it = dict.fromkeys(("fact", "summary"), Share(10_000, 10_000))
    bounds = Bounds(kinds=kinds[: len(costs)], of=all_of_it)
    assert pack(costs, room=room, most=most, bounds=bounds) == pack(costs, room=room, most=most)


def test_what_a_kind_may_not_take_goes_to_others_and_what_they_leave_flows_back() -> None:
    facts = Bounds(kinds=["fact"] * 3 + [None] * 2, of={"fact": Share(20, 9)})
    costs = [20, 20, 20, 30, 30]
    assert pack(costs, room=80, most=9, bounds=facts) == [0, 3, 4]
    assert pack(costs, room=100, most=9, bounds=facts) == [0, 1, 3, 4]
    assert pack(costs, room=200, most=9, bounds=facts) == [0, 1, 2, 3, 4]
    assert pack(costs, room=100, most=2, bounds=facts) == [0, 3]


def test_what_is_exempt_counts_in_its_share() -> None:
    bounds = Bounds(kinds=["fact"] * 3 + [None], of={"fact": Share(20, 1)}, exempt=2)
    assert pack([20, 20, 5, 40], room=80, most=9, bounds=bounds) == [0, 1, 3]
    assert pack([20, 20, 5, 40], room=85, most=9, bounds=bounds) == [0, 1, 2, 3]

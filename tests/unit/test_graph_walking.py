"""How often a walk over the graph asks, without a database."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import cast

import pytest

from app.adapters.sql.graph.walking import MOST_NAMES, PLACES, explored
from app.distil.entities.sameness import SAME_AS
from app.domain.ids import LOCAL_TENANT, EntityKey, ScopeKey
from app.domain.walking import Views, Walk
from app.ports import RecallFilter


@dataclass(frozen=True)
class _Nowhere:
    walk: Walk
    entities: tuple[EntityKey, ...] = ()
    edges: tuple[int, ...] = ()


def test_what_nobody_is_called_by_is_asked_for_once() -> None:
    within = RecallFilter(scopes=[ScopeKey(1)])
    asking = explored({"weather", "rain"}, _Nowhere, tenant=LOCAL_TENANT, within=within)
    _, values = next(asking)
    assert values["names"] == ["rain", "weather"]
    with pytest.raises(StopIteration) as ended:
        asking.send([])
    assert ended.value.value == (Walk(), _Nowhere(Walk()), Views())


def edge(near: int, far: int, relation: str, *, named: int = 0) -> tuple[object, ...]:
    """One whose far end has another name, if it is `named`."""
    return 10 * near + far, near, far, 1, relation, 1.0, 1, named


def walked(answers: Mapping[int, Sequence[tuple[object, ...]]]) -> list[list[int]]:
    """What is asked for the edges of, from entity 1, where these are its edges."""
    within, asked = RecallFilter(scopes=[ScopeKey(1)]), list[list[int]]()
    asking = explored({"kate"}, _Nowhere, tenant=LOCAL_TENANT, within=within)
    next(asking)
    _, values = asking.send([(1, 1)])
    with suppress(StopIteration):
        while "most" in values and values["most"] != PLACES:
            asked.append(near := list(cast("list[int]", values["of"])))
            _, values = asking.send([row for each in near for row in answers.get(each, ())])
    return asked


def test_two_hops_are_asked_for_once_each() -> None:
    assert walked({1: [edge(1, 2, "knows")], 2: [edge(2, 3, "knows")]}) == [[1], [2]]


def test_what_is_the_same_is_asked_for_before_the_hop_goes_on() -> None:
    kate = [edge(1, 2, "knows"), edge(1, 3, SAME_AS)]
    katherine = [edge(3, 1, SAME_AS), edge(3, 4, "knows")]
    tim = [edge(2, 5, SAME_AS), edge(2, 3, "knows")]
    assert walked({1: kate, 2: tim, 3: katherine}) == [[1], [3], [2, 4], [5]]


def test_another_name_of_what_is_two_hops_away_is_asked_for_only_where_there_is_one() -> None:
    near = {1: [edge(1, 2, "knows")], 3: [edge(3, 2, "knows"), edge(3, 4, SAME_AS, named=1)]}
    far = [edge(2, 3, "knows", named=1), edge(2, 5, "knows")]
    last = {4: [edge(4, 3, SAME_AS, named=1), edge(4, 6, "knows", named=1)]}
    assert walked({**near, 2: far, **last}) == [[1], [2], [3], [4]]


def test_another_name_of_what_is_not_walked_from_is_asked_for() -> None:
    near = [edge(1, at, "knows") for at in range(2, 20)]
    named = [edge(1, 20, "knows", named=1)]
    assert [20] in walked({1: [*near, *named]})


def test_a_row_of_names_ends() -> None:
    row = {at: [edge(at, at + 1, SAME_AS)] for at in range(1, 99)}
    first = [[at] for at in range(1, MOST_NAMES + 1)]
    assert walked(row)[:MOST_NAMES] == first
    assert len(walked(row)) == 2 * MOST_NAMES

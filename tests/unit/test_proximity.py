"""How near what the graph leads to is."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.distil.relations import NAMED_TOGETHER, relations_asked
from app.domain.ids import EntityKey, ItemKey, MessageKey
from app.domain.memory import Table, item_key
from app.domain.walking import Seed, Step, Views, Walk
from app.ranking.pool import Recalled
from app.ranking.proximity import LEAST, MOST_ITEMS, nearest, nearness, rarity, worths

ANNA, APOLLO, REDIS = (EntityKey(key) for key in (1, 2, 3))


def step(
    near: int, far: int, relation: str = "works on", weight: float = 1.0, *, edge: int = 0
) -> Step:
    return Step(
        edge=edge or 10 * near + far,
        near=EntityKey(near),
        far=EntityKey(far),
        outwards=True,
        relation=relation,
        weight=weight,
        mentions=1,
    )


def views(*places: tuple[int, int], **more: Any) -> Views:
    """Of which entity is mentioned in which message."""
    seen: dict[EntityKey, dict[MessageKey, int]] = {}
    for entity, message in places:
        seen.setdefault(EntityKey(entity), {})[MessageKey(message)] = 0
    return Views(places=seen, **more)


def message_key(row: int) -> ItemKey:
    return item_key(Table.MESSAGE, row)


WALK = Walk(
    seeds=[Seed(entity=APOLLO, mentions=2)],
    steps=[step(2, 1), step(2, 3, NAMED_TOGETHER, 0.2), step(1, 4), step(4, 5)],
)


def test_what_the_query_names_is_nearest_and_scores_fade() -> None:
    found = {each.entity: each for each in nearest(WALK, asked=(), messages=100)}
    assert (found[APOLLO].score, found[APOLLO].distance) == (1.0, 0)
    assert (found[ANNA].score, found[ANNA].distance) == (0.25, 1)
    assert found[REDIS].score == pytest.approx(0.5 * 0.2 / 1.2)
    assert (found[EntityKey(4)].score, found[EntityKey(4)].distance) == (0.0625, 2)
    assert EntityKey(5) not in found  # three edges away


def test_what_is_asked_for_is_as_sure_as_can_be() -> None:
    found = nearest(WALK, asked=relations_asked("who works on Apollo?"), messages=100)
    assert [each.entity for each in found[:2]] == [APOLLO, ANNA]
    assert found[1].score == 0.5


def test_edges_between_two_add_up_and_the_telling_one_is_told() -> None:
    walk = Walk(
        seeds=WALK.seeds,
        steps=[step(2, 1, NAMED_TOGETHER, 3.0, edge=7), step(2, 1, "works on", 1.0, edge=8)],
    )
    anna = nearest(walk, asked=(), messages=100)[1]
    assert anna.score == pytest.approx(0.5 * 4 / 5)
    assert anna.step is not None
    assert anna.step.edge == 8


def test_who_is_in_every_message_brings_none_in() -> None:
    assert rarity(1, 100) == pytest.approx(1.0)
    assert rarity(100, 100) < 0.01
    assert rarity(300, 100) < 0.01
    assert rarity(1, 0) == pytest.approx(1.0)
    hub = Walk(seeds=[Seed(entity=ANNA, mentions=60)])
    near = nearest(hub, asked=(), messages=100)
    assert worths(near, [], views((1, 1)), asked=()) == {}


def test_a_message_of_more_that_is_near_is_worth_more() -> None:
    near = nearest(WALK, asked=(), messages=100)
    seen = views((2, 5), (2, 6), (1, 6), (3, 7))
    found = worths(near, WALK.steps, seen, asked=())
    assert list(found) == [message_key(6), message_key(5)]
    assert LEAST <= found[message_key(5)] < found[message_key(6)] <= 1


def test_what_states_what_is_asked_for_is_worth_more() -> None:
    asked = relations_asked("who works on Apollo?")
    near = nearest(WALK, asked=asked, messages=100)
    seen = views((2, 5), (2, 6), stating={21: {MessageKey(5): 0}})
    found = worths(near, WALK.steps, seen, asked=asked)
    assert list(found) == [message_key(5), message_key(6)]


def test_facts_are_worth_what_their_best_message_is() -> None:
    near = nearest(WALK, asked=(), messages=100)
    fact = item_key(Table.MEMORY, 9)
    seen = views(
        *((2, 5), (1, 5), (2, 6)),
        facts={MessageKey(5): [fact], MessageKey(6): [fact], MessageKey(7): [fact]},
    )
    found = worths(near, WALK.steps, seen, asked=(), without={MessageKey(5), MessageKey(6)})
    assert list(found) == [fact]
    assert found[fact] == worths(near, WALK.steps, seen, asked=())[message_key(5)]


@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9), st.floats(0.1, 9)), max_size=30),
    st.lists(st.tuples(st.integers(1, 9), st.integers(1, 60)), max_size=90),
)
def test_scores_and_worths_are_bounded_and_ordered(
    edges: list[tuple[int, int, float]], mentions: list[tuple[int, int]]
) -> None:
    steps = [step(a, b, "knows", weight) for a, b, weight in edges]
    walk = Walk(seeds=[Seed(entity=ANNA, mentions=1)], steps=steps)
    near = nearest(walk, asked=(), messages=50)
    scores = [each.score for each in near]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < each <= 1 for each in scores)
    reached = {each.entity for each in near}
    places = [each for each in mentions if EntityKey(each[0]) in reached]
    found = worths(near, steps, views(*places), asked=())
    assert len(found) <= MOST_ITEMS
    assert all(LEAST <= each <= 1 for each in found.values())
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert worths(near, steps, views(*reversed(places)), asked=()) == found


def test_nothing_is_near_in_an_empty_pool() -> None:
    assert nearness(Recalled.nothing(), {message_key(1): 0.5}).shape == (0,)
    assert np.isnan(nearness(Recalled.nothing(), {})).all()


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("Who works on Apollo?", {"works on"}),
        ("who is responsible for billing", {"owns"}),
        ("What does Apollo depend on?", {"depends on"}),
        ("Who reports to Anna?", {"reports to"}),
        ("How is the weather?", set()),
    ],
)
def test_a_query_tells_which_relation_it_asks_for(query: str, asked: set[str]) -> None:
    assert relations_asked(query) == asked

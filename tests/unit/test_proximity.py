"""How near what the graph leads to is."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.distil.entities.relations import NAMED_TOGETHER, relations_asked
from app.distil.entities.sameness import SAME_AS
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


def told(walk: Walk, *, asked: str = "") -> list[tuple[int, float, int, str | None]]:
    """Each entity with its score, its distance, and the relation that leads to it."""
    near = nearest(walk, asked={asked} if asked else (), messages=100)
    return [
        (each.entity, each.score, each.distance, each.step.relation if each.step else None)
        for each in near
    ]


@pytest.mark.parametrize("back", [False, True])
def test_what_is_the_same_is_as_near_and_leads_on_as_far(*, back: bool) -> None:
    apart = step(2, 6, SAME_AS), *([step(6, 2, SAME_AS)] if back else [])
    walk = Walk(seeds=WALK.seeds, steps=[*apart, step(6, 1), step(1, 4), step(4, 5)])
    assert told(walk) == [
        (2, 1.0, 0, None),
        (6, 1.0, 0, SAME_AS),
        (1, 0.25, 1, "works on"),
        (4, 0.0625, 2, "works on"),
    ]


def test_what_is_the_same_is_left_by_the_edges_of_all() -> None:
    name = "works on"
    walk = Walk(
        seeds=WALK.seeds,
        steps=[step(2, 1, weight=3), step(1, 6, SAME_AS), step(6, 2), step(6, 7, weight=4)],
    )
    assert told(walk) == [
        (2, 1.0, 0, None),
        (1, 0.375, 1, name),
        (6, 0.375, 1, SAME_AS),
        (7, 0.375 * 0.4, 2, name),
    ]
    assert [score for _, score, *_ in told(walk, asked=name)] == [1.0, 0.5, 0.5, 0.25]


def test_each_of_what_is_the_same_is_told_as_it_is_reached() -> None:
    together = step(2, 6, NAMED_TOGETHER, 0.5)
    walk = Walk(seeds=WALK.seeds, steps=[step(2, 1), together, step(6, 1, SAME_AS)])
    assert told(walk) == [
        (2, 1.0, 0, None),
        (1, 0.3, 1, "works on"),
        (6, 0.3, 1, NAMED_TOGETHER),
    ]


def test_names_in_a_row_are_one_and_what_the_query_names_is_first() -> None:
    row = [step(2, 6, SAME_AS), step(6, 1, SAME_AS), step(2, 3, SAME_AS), step(3, 1, SAME_AS)]
    walk = Walk(seeds=WALK.seeds, steps=row)
    assert told(walk) == [(2, 1.0, 0, None), *((each, 1.0, 0, SAME_AS) for each in (1, 3, 6))]
    late = Walk(seeds=WALK.seeds, steps=[step(2, 9), step(9, 1, SAME_AS)])
    assert [entity for entity, *_ in told(late)] == [2, 9, 1]
    both = Walk(seeds=[*WALK.seeds, Seed(entity=EntityKey(6), mentions=1)], steps=row)
    assert [entity for entity, *_ in told(both)] == [2, 6, 1, 3]


def test_messages_of_what_is_the_same_are_worth_as_much() -> None:
    walk = Walk(seeds=WALK.seeds, steps=[step(2, 6, SAME_AS)])
    near = nearest(walk, asked=(), messages=100)
    found = worths(near, walk.steps, views((2, 5), (6, 7)), asked=())
    assert set(found) == {message_key(5), message_key(7)}
    stated = worths(
        near, walk.steps, views((6, 7), stating={26: {MessageKey(8): 0}}), asked={SAME_AS}
    )
    assert stated[message_key(8)] == 0.5


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
    st.lists(
        st.tuples(
            st.integers(1, 9),
            st.integers(1, 9),
            st.floats(0.1, 9),
            st.sampled_from(["knows", SAME_AS]),
        ),
        max_size=30,
    ),
    st.lists(st.tuples(st.integers(1, 9), st.integers(1, 60)), max_size=90),
)
def test_scores_and_worths_are_bounded_and_ordered(
    edges: list[tuple[int, int, float, str]], mentions: list[tuple[int, int]]
) -> None:
    steps = [step(a, b, relation, weight) for a, b, weight, relation in edges]
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

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.context import MemoryItem, Source, Weights
from app.domain.memory import ItemType
from app.ranking import Floats
from app.ranking.bm25 import idf
from app.ranking.candidates import Taste, freshness, rank, scored
from app.ranking.dedup import SAME
from app.ranking.lifting import is_code
from app.ranking.pool import Pool, Recalled
from app.ranking.query import QueryView
from app.ranking.ranked import NOTHING, Ranked
from app.ranking.relevance import relevance
from app.text.times import intervals_of
from app.text.wording import Wording
from tests.factories import NOON, an_item, recalled

EAST, NORTH = np.array([1, 0], np.float32), np.array([0, 1], np.float32)
TASTE = Taste(
    weights=Weights(),
    preferred_labels=frozenset(),
    floor=0.2,
    sufficient=0.2,
    min_score=None,
    now=NOON.timestamp(),
)
QUERY = QueryView(vector=EAST, terms=["tea"], idf=idf(10, [1]), idf_mass=2.0, average_length=3.0)
ABOUT_NOTHING = replace(QUERY, terms=[], idf=idf(10, []), idf_mass=0.0)


def ranking(
    items: Sequence[MemoryItem],
    *,
    vectors: Mapping[int, Floats] | None = None,
    pinned: Sequence[int] = (),
    taste: Taste = TASTE,
    query: QueryView = QUERY,
) -> Ranked:
    """`pinned` are places, as in `vectors`."""
    sources = {
        item.key: frozenset([Source.PINNED if at in pinned else Source.LEXICAL])
        for at, item in enumerate(items)
    }
    pool = Pool.of(recalled(*items, vectors=vectors), dimension=2)
    return rank(query, pool, sources, taste, relevance(query, pool))


def reasons(ranked: Ranked) -> dict[int, str]:
    return dict(ranked.dropped)


def test_what_answers_the_query_comes_first() -> None:
    items = [an_item(1, "milk"), an_item(2, "tea"), an_item(3, "tea with much sugar and milk")]
    found = ranking(items)
    assert found.order == [1, 2]
    assert reasons(found) == {0: "below the floor"}
    assert found.deduplicated == 0


def test_a_candidate_tells_how_its_score_came_about() -> None:
    item = an_item(1, "tea", importance=8, at=NOON - timedelta(days=30), label="Drinks")
    taste = replace(TASTE, preferred_labels=frozenset(["Drinks"]))

    found = ranking([item], vectors={0: EAST}, taste=taste)
    candidate = found.candidate(0)

    assert candidate.item is item
    assert candidate.sources == {Source.LEXICAL}
    assert candidate.signals == pytest.approx(
        {
            "semantic": 1,
            "lexical": 1,
            "relevance": 1,
            "on_topic": 1,
            "time": 0,
            "recency": np.exp(-1),
            "importance": 0.8,
        }
    )
    assert candidate.relevance == pytest.approx(1)
    assert candidate.score == pytest.approx(1.5 * (0.5 + 0.3 * np.exp(-1) + 0.2 * 0.8))


def test_what_was_said_at_the_time_asked_for_is_preferred_but_not_over_the_floor() -> None:
    last_week = NOON - timedelta(days=7)
    items = [
        an_item(1, "tea", at=NOON - timedelta(days=30)),
        an_item(2, "tea, that is", at=last_week),
        an_item(3, "milk", at=last_week),
    ]
    asked = replace(QUERY, intervals=intervals_of("last week", NOON))

    found = ranking(items, query=asked)

    assert found.order == [1, 0]
    assert found.signals["time"][1] == found.signals["time"][2] == pytest.approx(0.8)
    assert reasons(found) == {2: "below the floor"}


def test_what_is_fresh_stands_behind_what_was_said_at_the_time_asked_for() -> None:
    items = [
        an_item(1, "tea", at=NOON - timedelta(days=200)),
        an_item(2, "tea, that is", at=NOON - timedelta(days=1)),
    ]
    in_that_month = f"in {items[0].created_at:%B}"
    found = ranking(items, query=replace(QUERY, intervals=intervals_of(in_that_month, NOON)))
    assert ranking(items).order == [1, 0]
    assert found.order == [0, 1]
    assert found.signals["recency"][1] < 0.01


def test_of_equal_scores_the_newest_key_comes_first() -> None:
    items = [an_item(row, text) for row, text in ((5, "tea x"), (9, "tea y"), (7, "tea z"))]
    assert ranking(items).order == [1, 2, 0]


def test_what_scores_too_low_for_the_caller_is_dropped() -> None:
    items = [an_item(1, "tea"), an_item(2, "tea with milk", at=NOON - timedelta(days=900))]
    found = ranking(items, taste=replace(TASTE, min_score=0.6))
    assert found.order == [0]
    assert reasons(found) == {1: "below min_score"}


def test_fresh_filler_does_not_pass_on_recency() -> None:
    old = an_item(1, "tea", at=NOON - timedelta(days=900))
    found = ranking([old, an_item(2, "milk")])
    assert found.signals["recency"][1] < 0.01
    assert found.order == [0]


STANDING = np.array([1.0, 0.4], np.float32)


def scores_beside(weights: Weights, standing: Floats) -> tuple[list[float], Floats]:
    """Of what answers, three months ago, and of what is fresh and half as relevant."""
    items = recalled(an_item(1, "tea", at=NOON - timedelta(days=90)), an_item(2, "milk"))
    relevance, taste = np.array([0.9, 0.45], np.float32), replace(TASTE, weights=weights)
    score, signals = scored(items, relevance, taste, merit=standing)
    return score.tolist(), signals["recency"]


def test_being_fresh_counts_as_much_as_an_item_does_beside_the_best() -> None:
    (old, fresh), recency = scores_beside(Weights(), STANDING)
    assert old > fresh
    np.testing.assert_allclose(recency, [np.exp(-3), 0.4], atol=1e-6)
    (old, fresh), recency = scores_beside(Weights(), np.ones(2, np.float32))
    assert old < fresh
    np.testing.assert_allclose(recency, [np.exp(-3), 1.0], atol=1e-6)


def test_who_asks_for_recency_alone_gets_what_is_fresh() -> None:
    (old, fresh), _ = scores_beside(Weights(relevance=0.0, recency=1.0, importance=0.0), STANDING)
    assert (old, fresh) == pytest.approx((np.exp(-3), 1.0))
    mostly = Weights(relevance=0.2, recency=0.8, importance=0.0)
    (old, fresh), _ = scores_beside(mostly, STANDING)
    assert old < fresh


def test_the_pinned_pass_floor_and_min_score() -> None:
    items = [an_item(1, "milk"), an_item(2, "tea")]
    found = ranking(items, pinned=[0], taste=replace(TASTE, min_score=0.99))
    assert found.order == [0]
    assert reasons(found) == {1: "below min_score"}
    assert found.pinned(0)
    assert not found.pinned(1)


def test_what_is_said_twice_is_said_once() -> None:
    items = [an_item(1, "tea"), an_item(2, "tea"), an_item(3, "tea, again")]
    found = ranking(items, vectors={0: EAST, 1: NORTH, 2: EAST})
    assert found.order == [0]
    assert reasons(found) == {1: "duplicate", 2: "duplicate"}
    assert found.deduplicated == 2


def test_a_newer_repetition_does_not_push_the_pinned_one_out() -> None:
    """The repetition scores higher, but falls below the floor: both would be gone."""
    pinned = an_item(1, "milk", at=NOON - timedelta(days=300), importance=10)
    found = ranking([pinned, an_item(2, "milk"), an_item(3, "tea")], pinned=[0])
    assert found.order == [2, 0]
    assert reasons(found) == {1: "below the floor"}


def test_of_two_that_say_the_same_the_pinned_one_stays() -> None:
    pinned = an_item(1, "tea", at=NOON - timedelta(days=300))
    found = ranking([pinned, an_item(2, "tea")], pinned=[0])
    assert found.score[1] > found.score[0]
    assert found.order == [0]
    assert reasons(found) == {1: "duplicate"}


def test_what_falls_out_pushes_nothing_out() -> None:
    """The second is fresher and nearly the same, but just below the floor."""
    above, below = (np.array([x, np.sqrt(1 - x * x)], np.float32) for x in (0.265, 0.2635))
    old = an_item(1, "a cup", at=NOON - timedelta(days=300))

    found = ranking([old, an_item(2, "cups")], vectors={0: above, 1: below}, query=ABOUT_NOTHING)

    assert found.score[1] > found.score[0]
    assert found.order == [0]
    assert reasons(found) == {1: "below the floor"}


def test_nothing_ranks_as_nothing() -> None:
    found = ranking([])
    assert (list(found.order), list(found.dropped)) == ([], [])
    assert (list(NOTHING.order), list(NOTHING.dropped)) == ([], [])


ANGLES = st.integers(0, 51).map(lambda k: np.radians(k * 7.0))
"""No two of them have a cosine at the border of a duplicate."""


@st.composite
def pools(draw: st.DrawFn) -> tuple[list[MemoryItem], dict[int, Floats], list[int]]:
    word = st.sampled_from(["tea", "milk", "cup"])
    rows = draw(st.lists(st.integers(1, 1_000), unique=True, max_size=10))
    items = [
        an_item(
            row,
            " ".join(draw(st.lists(word, max_size=4))),
            at=NOON - timedelta(days=draw(st.integers(0, 90))),
            importance=draw(st.integers(1, 10)),
            label=draw(st.sampled_from([None, "Drinks"])),
        )
        for row in rows
    ]
    angles = {at: draw(st.none() | ANGLES) for at in range(len(items))}
    vectors = {
        at: np.array([np.cos(angle), np.sin(angle)], np.float32)
        for at, angle in angles.items()
        if angle is not None
    }
    return items, vectors, draw(st.lists(st.integers(0, 9), unique=True, max_size=3))


TASTES = st.builds(
    lambda floor, min_score, preferred: replace(
        TASTE,
        floor=floor,
        sufficient=floor,
        min_score=min_score,
        preferred_labels=frozenset(preferred),
    ),
    st.sampled_from([0.0, 0.15, 0.5]),
    st.sampled_from([None, 0.0, 0.33]),
    st.sampled_from([[], ["Drinks"]]),
)


@given(pools(), TASTES)
def test_every_item_is_kept_or_dropped_for_a_reason_that_holds(
    pool: tuple[list[MemoryItem], dict[int, Floats], list[int]], taste: Taste
) -> None:
    items, vectors, pinned = pool
    found = ranking(items, vectors=vectors, pinned=pinned, taste=taste)

    assert sorted([*found.order, *reasons(found)]) == list(range(len(items)))
    scores = [found.score[at] for at in found.order]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1.500001 for score in found.score)
    told = [found.signals[name] == 1 for name in ("changed", "since") if name in found.signals]
    passing = [
        at
        for at in range(len(items))
        if at in pinned
        or (
            (found.relevance[at] >= taste.floor or any(each[at] for each in told))
            and (taste.min_score is None or found.score[at] >= taste.min_score)
        )
    ]
    duplicate = {at for at, reason in reasons(found).items() if reason == "duplicate"}
    assert set(found.order) | duplicate == set(passing)
    assert found.deduplicated == len(duplicate)
    contents = [items[at].content for at in found.order]
    assert len(set(contents)) == len(contents)


@given(pools(), TASTES)
def test_everything_pinned_is_said(
    pool: tuple[list[MemoryItem], dict[int, Floats], list[int]], taste: Taste
) -> None:
    items, vectors, pinned = pool
    found = ranking(items, vectors=vectors, pinned=pinned, taste=taste)

    def says_the_same(one: int, other: int) -> bool:
        near = one in vectors and other in vectors and vectors[one] @ vectors[other] > SAME
        return items[one].content_hash == items[other].content_hash or bool(near)

    for at in {each for each in pinned if each < len(items)} - set(found.order):
        assert reasons(found)[at] == "duplicate"
        assert any(says_the_same(at, other) for other in found.order if other in pinned)


@given(pools(), TASTES, st.randoms(use_true_random=False))
def test_the_order_in_which_items_were_found_does_not_matter(
    pool: tuple[list[MemoryItem], dict[int, Floats], list[int]], taste: Taste, random: Random
) -> None:
    items, vectors, pinned = pool
    places = list(range(len(items)))
    random.shuffle(places)
    straight = ranking(items, vectors=vectors, pinned=pinned, taste=taste)
    mixed = ranking(
        [items[at] for at in places],
        vectors={to: vectors[at] for to, at in enumerate(places) if at in vectors},
        pinned=[to for to, at in enumerate(places) if at in pinned],
        taste=taste,
    )
    assert [places[at] for at in mixed.order] == straight.order
    assert [(places[at], why) for at, why in mixed.dropped] == list(straight.dropped)


def shown(found: Recalled, *moments: datetime | None) -> Recalled:
    return replace(found, shown_at=[None if each is None else each.timestamp() for each in moments])


def test_what_was_shown_is_as_fresh_as_then() -> None:
    month = timedelta(days=30)
    items = [an_item(row, at=NOON - 3 * month) for row in range(4)]
    found = shown(recalled(*items), None, NOON - month, NOON + month, NOON - 9 * month)
    ages = -np.log(freshness(found, now=NOON.timestamp()))
    assert ages == pytest.approx([3, 1, 3, 3], rel=1e-5)


def test_to_be_shown_makes_only_what_answers_fresh() -> None:
    month = timedelta(days=30)
    items = [an_item(row, at=NOON - 3 * month) for row in range(2)]
    found = shown(recalled(*items), NOON - month, NOON - month)
    fresh = freshness(found, now=NOON.timestamp(), answering=np.array([True, False]))
    assert -np.log(fresh) == pytest.approx([1, 3], rel=1e-5)


def test_what_says_the_same_as_a_message_gives_way_to_it_however_good_it_is() -> None:
    fact = replace(an_item(1, "tea", importance=9), type=ItemType.FACT)
    again = replace(an_item(2, "tea", importance=7), type=ItemType.FACT)
    said, repeated = an_item(3, "tea"), an_item(4, "tea", importance=4)
    found = ranking([fact, again, said, repeated])
    assert [found.recalled.keys[at] for at in found.order] == [said.key]
    assert reasons(found) == {0: "duplicate", 1: "duplicate", 3: "duplicate"}
    assert ranking([fact, again]).order == [0]


def test_a_fact_gives_way_to_a_message_that_holds_its_words() -> None:
    vectors = {0: np.array([1, 0], np.float32), 1: np.array([0.8, 0.6], np.float32)}
    message = an_item(1, "We picked tea, because of its taste.")
    for words, left in [("Alice: We picked tea.", [0]), ("Alice picked tea.", [0, 1])]:
        fact = replace(an_item(2, words), type=ItemType.FACT)
        assert sorted(ranking([message, fact], vectors=vectors).order) == left


def test_a_pinned_fact_stays_and_hides_no_message() -> None:
    fact = replace(an_item(1, "tea", importance=10), type=ItemType.FACT)
    assert len(ranking([fact, an_item(3, "tea")], pinned=[0]).order) == 2


def test_code_is_preferred_where_code_is_asked_for_but_not_over_the_floor() -> None:
    fenced = "```python\n{}\n```"
    items = [
        an_item(1, "tea, that is"),
        an_item(2, fenced.format("tea = 1")),
        an_item(3, fenced.format("milk = 1")),
    ]
    plain = ranking(items)
    asked = ranking(items, query=replace(QUERY, wording=Wording(asks_code=True)))
    assert plain.order == [0, 1]
    assert asked.order == [1, 0]
    assert "code" not in plain.signals
    assert asked.signals["code"].tolist() == [0, 1, 1]
    assert asked.relevance.tolist() == plain.relevance.tolist()
    assert reasons(asked) == {2: "below the floor"}


def test_of_a_message_that_was_split_only_the_block_is_code() -> None:
    whole = an_item(1, "Look: ```tea = 1``` is it.")
    split = replace(recalled(whole, whole, whole), pieces=[2, 0, 0], kinds=[None, "prose", "code"])
    assert is_code(split).tolist() == [0, 0, 1]

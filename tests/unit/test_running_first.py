"""What goes on comes first; what was said elsewhere, if that is not enough or is better."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.domain.context import MemoryItem, Source, Weights
from app.domain.ids import ConversationKey
from app.ranking import Floats
from app.ranking.candidates import Taste, rank
from app.ranking.pool import Pool
from app.ranking.query import QueryView
from app.ranking.ranked import Ranked
from app.ranking.relevance import relevance
from app.ranking.running import ENOUGH, outdone, said_in
from tests.factories import NOON, an_item, recalled

HERE, ELSEWHERE = ConversationKey(1), ConversationKey(2)
TASTE = Taste(
    weights=Weights(relevance=1.0, importance=0.0, recency=0.0),
    preferred_labels=frozenset(),
    floor=0.1,
    sufficient=0.6,
    min_score=None,
    now=NOON.timestamp(),
)
BETTER = "better in the running conversation"


def towards(cosine: float) -> Floats:
    return np.array([cosine, np.sqrt(1 - cosine**2)], np.float32)


def ranking(
    cosines: Mapping[int, float],
    *,
    here: set[int],
    pinned: frozenset[int] = frozenset(),
    running: ConversationKey | None = HERE,
    sufficient: float = TASTE.sufficient,
) -> Ranked:
    """The items of these rows, by how near they are to what is asked; those `here` go on."""
    items: list[MemoryItem] = [an_item(row, f"what {row} says") for row in sorted(cosines)]
    pool = recalled(*items, vectors={at: towards(cosines[row]) for at, row in enumerate(cosines)})
    places = [HERE if row in here else ELSEWHERE for row in sorted(cosines)]
    query = QueryView(
        vector=np.array([1, 0], np.float32),
        terms=[],
        idf=np.zeros(0, np.float32),
        idf_mass=0.0,
        average_length=3.0,
        running=running,
    )
    found = Pool.of(replace(pool, conversations=places), dimension=2)
    sources = {
        item.key: frozenset([Source.PINNED if row in pinned else Source.SEMANTIC])
        for row, item in zip(sorted(cosines), items, strict=True)
    }
    taste = replace(TASTE, sufficient=sufficient)
    return rank(query, found, sources, taste, relevance(query, found))


def rows(found: Ranked) -> list[int]:
    return [found.recalled.keys[at] >> 2 for at in found.order]


def left_out(found: Ranked) -> dict[int, str]:
    return {found.recalled.keys[at] >> 2: reason for at, reason in found.dropped}


def test_of_two_that_answer_alike_what_goes_on_comes_first() -> None:
    found = ranking({1: 0.6, 2: 0.6}, here={1})
    apart = ranking({1: 0.6, 2: 0.6}, here={1}, running=None)

    assert rows(found) == [1, 2]
    assert rows(apart) == [2, 1], "of equals the newest first"
    assert [found.candidate(at).signals["running"] for at in found.order] == [1, 0]
    assert "running" not in apart.candidate(0).signals


def test_what_answers_better_elsewhere_comes_first_all_the_same() -> None:
    assert rows(ranking({1: 0.4, 2: 0.9}, here={1})) == [2, 1]


def test_three_good_ones_leave_out_what_is_worth_less_elsewhere() -> None:
    found = ranking({1: 0.8, 2: 0.82, 3: 0.84, 4: 0.79, 5: 0.99}, here={1, 2, 3})

    assert set(rows(found)) == {1, 2, 3, 5}
    assert left_out(found) == {4: BETTER}


def test_two_good_ones_leave_out_nothing() -> None:
    found = ranking({1: 0.3, 2: 0.82, 3: 0.84, 4: 0.79}, here={1, 2, 3})
    assert set(rows(found)) == {1, 2, 3, 4}


def test_three_that_are_about_it_but_no_answer_leave_out_nothing() -> None:
    cosines = {1: 0.45, 2: 0.46, 3: 0.47, 4: 0.44}
    assert set(rows(ranking(cosines, here={1, 2, 3}, sufficient=1.0))) == {1, 2, 3, 4}
    assert set(rows(ranking(cosines, here={1, 2, 3}, sufficient=0.2))) == {1, 2, 3}


def test_what_is_pinned_stays_wherever_it_was_said() -> None:
    found = ranking({1: 0.8, 2: 0.82, 3: 0.84, 4: 0.5}, here={1, 2, 3}, pinned=frozenset({4}))
    assert set(rows(found)) == {1, 2, 3, 4}


def test_without_a_running_conversation_nothing_is_left_out_for_one() -> None:
    found = ranking({1: 0.8, 2: 0.82, 3: 0.84, 4: 0.79}, here={1, 2, 3}, running=None)
    assert set(rows(found)) == {1, 2, 3, 4}
    assert not said_in(None, found.recalled).any()


def pools() -> st.SearchStrategy[list[tuple[float, bool, bool]]]:
    relevance_of = st.floats(0, 1, width=32)
    return st.lists(st.tuples(relevance_of, st.booleans(), st.booleans()), max_size=12)


@given(pools())
def test_only_what_is_elsewhere_and_below_enough_good_ones_is_outdone(
    pool: list[tuple[float, bool, bool]],
) -> None:
    worth = np.array([each[0] for each in pool], np.float32)
    good, here = (np.array([each[at] for each in pool], np.bool_) for at in (1, 2))

    worse = outdone(worth, good, here)

    above = [int((good & here & (worth > each)).sum()) for each in worth]
    assert worse.tolist() == [
        not there and count >= ENOUGH for there, count in zip(here.tolist(), above, strict=True)
    ]

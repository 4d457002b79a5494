"""Which neighbours of what was found become candidates themselves."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.ids import MessageKey
from app.ranking.bm25 import pack_terms
from app.ranking.neighbours import Neighbours
from app.ranking.pool import Surrounded
from app.ranking.query import QueryView
from app.ranking.widening import BEST, beside_best
from tests.factories import an_item, recalled

ASKED = QueryView(
    vector=np.array([1, 0], np.float32),
    terms=["tea"],
    idf=np.ones(1, np.float32),
    idf_mass=1.0,
    average_length=2.0,
)


def neighbours(rows: Sequence[int]) -> Neighbours:
    """Messages of the conversation that the items of the factories are in."""
    (conversation,) = recalled(an_item(1, "tea")).conversations
    return Neighbours(
        keys=[MessageKey(row) for row in rows],
        conversations=[conversation] * len(rows),
        positions=rows,
        vectors=[None] * len(rows),
        bags=[pack_terms([])] * len(rows),
    )


def test_what_stands_on_either_side_of_what_was_found() -> None:
    found = Surrounded(recalled=recalled(an_item(5, "tea")), neighbours=neighbours([4, 6]))
    assert beside_best(ASKED, found) == [4, 6]
    assert beside_best(ASKED, found, without={MessageKey(4)}) == [6]


def test_beside_what_is_brief_what_stands_two_messages_away_as_well() -> None:
    long, brief = (an_item(5, "tea", tokens=tokens) for tokens in (21, 20))
    around = neighbours([2, 3, 4, 6, 7, 8])
    assert beside_best(ASKED, Surrounded(recalled=recalled(long), neighbours=around)) == [4, 6]
    found = beside_best(ASKED, Surrounded(recalled=recalled(brief), neighbours=around))
    assert found == [3, 4, 6, 7]


@pytest.mark.parametrize("reach", [1, 2])
def test_only_beside_the_best_of_many_by_words_and_by_meaning(reach: int) -> None:
    best, tokens = BEST[reach], {1: 50, 2: 5}[reach]
    rows = range(10, 10 * (2 * best + 3), 10)
    plain = [an_item(row, "milk and honey", tokens=tokens) for row in rows]
    near = {at: np.array([1, 0], np.float32) for at in range(best - 1)}
    far = {at: np.array([0, 1], np.float32) for at in range(best - 1, len(plain))}
    by_words = an_item(5_000, "tea", tokens=tokens)
    found = Surrounded(
        recalled=recalled(*plain, by_words, vectors=near | far | {len(plain): far[best]}),
        neighbours=neighbours([row + reach for row in [*rows, 5_000]]),
    )

    chosen = beside_best(ASKED, found)

    assert chosen == [*(row + reach for row in rows[: best - 1]), 5_000 + reach]


def test_without_a_vector_words_alone_tell() -> None:
    wordless = QueryView(
        vector=None,
        terms=ASKED.terms,
        idf=ASKED.idf,
        idf_mass=1.0,
        average_length=2.0,
    )
    packed = {0: np.array([0, 1], np.float32)}
    found = Surrounded(
        recalled=recalled(an_item(5, "tea"), vectors=packed), neighbours=neighbours([6])
    )
    assert beside_best(wordless, found) == [6]


def test_vectors_of_another_length_are_none() -> None:
    found = Surrounded(
        recalled=recalled(an_item(5, "tea"), vectors={0: np.ones(3, np.float32)}),
        neighbours=neighbours([6]),
    )
    assert beside_best(ASKED, found) == [6]


def test_nothing_stands_beside_nothing() -> None:
    assert beside_best(ASKED, Surrounded.nothing()) == []


@given(
    st.sets(st.integers(1, 200)), st.sets(st.integers(1, 200), max_size=60), st.sampled_from([1, 2])
)
def test_it_is_always_close_to_what_was_found_and_never_more_than_both_sides_of_the_best(
    said: set[int], near: set[int], reach: int
) -> None:
    items = [an_item(row, "tea", tokens={1: 50, 2: 5}[reach]) for row in sorted(said)]
    around = sorted(near - said)
    found = Surrounded(recalled=recalled(*items), neighbours=neighbours(around))

    chosen = beside_best(ASKED, found)

    assert chosen == sorted(set(chosen))
    assert len(chosen) <= 2 * reach * BEST[reach]
    assert set(chosen) <= set(around)
    offsets = [offset for offset in range(-reach, reach + 1) if offset]
    assert all({key + offset for offset in offsets} & said for key in chosen)

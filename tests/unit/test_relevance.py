from collections.abc import Sequence
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ranking import Floats
from app.ranking.bm25 import bm25, idf
from app.ranking.pool import Pool, QueryView, pack_vector
from app.ranking.relevance import DENSE_SHARE, FULL_MATCH, FURTHER, OWN, relevance
from tests.factories import a_chunk, an_item, recalled

EAST, NORTH, WEST = (np.array(each, np.float32) for each in ([1, 0], [0, 1], [-1, 0]))


def a_query(*terms: str, vector: Floats | None = EAST, unknown: float = 0.0) -> QueryView:
    """`unknown` is what the terms of the query are worth that no document holds."""
    weights = idf(10, [1] * len(terms))
    mass = float(weights.sum()) + unknown
    return QueryView(vector=vector, terms=terms, idf=weights, idf_mass=mass, average_length=3.0)


def a_pool(*contents: str, vectors: dict[int, Floats] | None = None) -> Pool:
    items = [an_item(row, text) for row, text in enumerate(contents, 1)]
    return Pool.of(recalled(*items, vectors=vectors), dimension=2)


def test_meaning_and_words_are_fused() -> None:
    pool = a_pool("tea", "milk", "tea with much sugar", vectors={0: NORTH, 1: EAST, 2: WEST})
    found = relevance(a_query("tea"), pool)

    assert found.semantic.tolist() == [0, 1, 0]
    assert found.lexical[0] == 1
    assert found.lexical[1] == 0
    assert 0 < found.lexical[2] < 1
    expected = DENSE_SHARE * found.semantic + (1 - DENSE_SHARE) * found.lexical
    np.testing.assert_allclose(found.score, expected)


@pytest.mark.parametrize("terms", [(), ("coffee",)])
def test_where_no_word_is_found_meaning_stands_alone(terms: Sequence[str]) -> None:
    pool = a_pool("tea", "milk", vectors={0: EAST, 1: NORTH})
    assert relevance(a_query(*terms), pool).score.tolist() == [1, 0]


def test_without_a_vector_words_stand_alone() -> None:
    pool = a_pool("tea", "milk", vectors={0: NORTH, 1: EAST})
    found = relevance(a_query("tea", vector=None), pool)
    assert found.score.tolist() == [1, 0]
    assert found.semantic.tolist() == [0, 0]


def test_a_lucky_match_of_one_word_is_no_full_match() -> None:
    pool = a_pool("tea", "milk")
    worth = float(idf(10, [1])[0])
    query = a_query("tea", vector=None, unknown=9 * worth)
    alone = relevance(a_query("tea", vector=None), pool).score
    lucky = relevance(query, pool).score
    (bm25_of_tea,) = bm25(
        np.ones((1, 1), np.float32), np.ones(1, np.float32), np.array([worth], np.float32), 3.0
    )
    assert alone.tolist() == [1, 0]
    assert lucky.tolist() == pytest.approx([bm25_of_tea / (FULL_MATCH * 10 * worth), 0])
    assert lucky[0] < 0.4


def test_an_item_that_is_not_embedded_yet_is_given_half_of_what_its_words_earn() -> None:
    pool = a_pool("tea", "milk", vectors={1: EAST})
    found = relevance(a_query("tea"), pool)
    assert found.score.tolist() == pytest.approx([1 - DENSE_SHARE / 2, DENSE_SHARE])


def test_nothing_is_relevant_in_an_empty_pool() -> None:
    found = relevance(a_query("tea"), a_pool())
    assert [found.score.shape, found.semantic.shape, found.lexical.shape] == [(0,)] * 3


CONTENTS = st.lists(
    st.lists(st.sampled_from(["tea", "milk", "cup"]), max_size=6).map(" ".join), max_size=8
)
ANGLES = st.none() | st.floats(0, 6.5, width=32)


def towards(angle: float | None) -> Floats | None:
    return None if angle is None else np.array([np.cos(angle), np.sin(angle)], np.float32)


@st.composite
def asked_pools(draw: st.DrawFn) -> tuple[QueryView, list[str], dict[int, Floats]]:
    contents = draw(CONTENTS)
    vectors = {at: towards(draw(ANGLES)) for at in range(len(contents))}
    terms = draw(st.lists(st.sampled_from(["tea", "milk", "absent"]), unique=True))
    query = a_query(*terms, vector=towards(draw(ANGLES)), unknown=draw(st.sampled_from([0, 1, 9])))
    return query, contents, {at: each for at, each in vectors.items() if each is not None}


@given(asked_pools())
def test_relevance_and_its_parts_are_shares(
    asked: tuple[QueryView, list[str], dict[int, Floats]],
) -> None:
    query, contents, vectors = asked
    found = relevance(query, a_pool(*contents, vectors=vectors))
    for part in (found.score, found.semantic, found.lexical):
        assert part.shape == (len(contents),)
        assert ((part >= 0) & (part <= 1.000001)).all()


@given(asked_pools(), st.randoms(use_true_random=False))
def test_the_order_of_the_pool_does_not_matter(
    asked: tuple[QueryView, list[str], dict[int, Floats]], random: Random
) -> None:
    query, contents, vectors = asked
    places = list(range(len(contents)))
    random.shuffle(places)
    shuffled = {to: vectors[at] for to, at in enumerate(places) if at in vectors}

    straight = relevance(query, a_pool(*contents, vectors=vectors)).score
    mixed = relevance(query, a_pool(*[contents[at] for at in places], vectors=shuffled)).score

    np.testing.assert_allclose(mixed, straight[places], atol=1e-6)


LONG = an_item(7, "green tea and black coffee")


def of_chunks(own: Sequence[Floats], whole: Floats) -> Pool:
    """Chunks of one message, and a short message of its own behind them."""
    chunks = [a_chunk(row, LONG, row, 9 + row) for row in range(len(own))]
    found = recalled(*chunks, an_item(8, "milk"), vectors=dict(enumerate([*own, NORTH])))
    wholes = [*[pack_vector(whole)] * len(own), found.vectors[-1]]
    return Pool.of(replace(found, whole_vectors=wholes), dimension=2)


def test_a_chunk_is_as_near_as_its_whole_message_or_nearly_as_itself() -> None:
    by_whole = relevance(a_query(), of_chunks([NORTH], whole=EAST))
    assert by_whole.semantic.tolist() == [1, 0]
    by_itself = relevance(a_query(), of_chunks([EAST], whole=NORTH))
    assert by_itself.semantic.tolist() == pytest.approx([OWN, 0])


def test_one_chunk_stands_for_its_message_and_the_others_count_less() -> None:
    found = relevance(a_query(), of_chunks([NORTH, EAST, NORTH], whole=EAST))
    assert found.semantic.tolist() == [1, 1, 1, 0]
    assert found.score.tolist() == pytest.approx([1, FURTHER, FURTHER, 0])

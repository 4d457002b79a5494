"""The smallest pieces, and saying nothing twice."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.domain.ids import MessageKey
from app.ranking import Floats
from app.ranking.bm25 import idf
from app.ranking.pieces import best_of_each, chunks_in, said_once, wholes, without_pieces
from app.ranking.query import QueryView
from tests.factories import a_chunk, an_item, recalled

LONG = an_item(7, "green tea and black coffee and white wine")
TEA, COFFEE, WINE = a_chunk(1, LONG, 0, 9), a_chunk(2, LONG, 14, 26), a_chunk(3, LONG, 31, 41)
OTHER = a_chunk(4, an_item(8, "rye bread"), 0, 9)


def axis(number: int) -> Floats:
    return np.array(np.eye(4)[number], dtype=np.float32)


def asking(*terms: str, vector: bool = True) -> QueryView:
    return QueryView(
        vector=axis(0) if vector else None,
        terms=terms,
        idf=idf(10, [1] * len(terms)),
        idf_mass=1.0,
        average_length=3.0,
    )


def test_the_best_chunk_of_each_message_is_the_nearest() -> None:
    chunks = recalled(TEA, COFFEE, OTHER, vectors={0: axis(1), 1: axis(0), 2: axis(3)})
    assert best_of_each(asking("tea"), chunks, dimension=4) == [1, 2]


def test_words_decide_where_meaning_does_not() -> None:
    assert best_of_each(asking("wine"), recalled(TEA, COFFEE, WINE), dimension=4) == [2]
    assert best_of_each(asking("wine", vector=False), recalled(TEA, WINE), dimension=4) == [1]
    assert best_of_each(asking("beer"), recalled(TEA, COFFEE, WINE), dimension=4) == [0]
    assert best_of_each(asking("beer"), recalled(), dimension=4) == []


def test_a_message_lacks_pieces_where_none_of_its_chunks_was_found() -> None:
    short, lone = an_item(1), an_item(9)
    found = recalled(short, LONG, lone, TEA, pieces={1: 3, 2: 2})
    assert wholes(found) == [1, 2]
    assert chunks_in(found) == [3]
    assert without_pieces(found, [1, 2]) == {MessageKey(9)}


STRETCHES = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(0, 9)).map(
        lambda place: (place[0], place[1] * 10, place[1] * 10 + (14 if place[1] % 3 else 10))
    ),
    unique=True,
    max_size=12,
)


@given(STRETCHES)
def test_nothing_is_said_twice_and_nothing_is_lost(
    stretches: list[tuple[str, int, int]],
) -> None:
    left = said_once(stretches)
    for name in "ab":
        wanted = {
            at for message, start, stop in stretches if message == name for at in range(start, stop)
        }
        told = [
            at
            for (message, *_), span in zip(stretches, left, strict=True)
            if message == name and span
            for at in range(*span)
        ]
        assert len(told) == len(set(told))
        assert set(told) == wanted


@given(STRETCHES)
def test_the_first_is_said_whole(stretches: list[tuple[str, int, int]]) -> None:
    if stretches:
        assert said_once(stretches)[0] == stretches[0][1:]


def test_what_two_say_together_is_not_said_again() -> None:
    stretches = [("a", 0, 30), ("a", 30, 60), ("a", 25, 35)]
    start, stop = said_once(stretches)[2] or (0, 1)
    assert start == stop


def test_what_is_no_part_of_anything_is_left_alone() -> None:
    assert said_once([None, ("a", 0, 5), None, ("a", 0, 5)]) == [None, (0, 5), None, (5, 5)]

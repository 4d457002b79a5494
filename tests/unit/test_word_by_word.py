import numpy as np
import pytest

from app.ranking import Words, no_words
from app.ranking.pool import EVERYTHING
from app.ranking.word_by_word import pack_words, word_by_word


def words(*rows: tuple[int, ...]) -> Words:
    return np.array(rows, dtype=np.int8)


EAST, NORTH, WEST = (127, 0), (0, 127), (-127, 0)


def packed(*rows: tuple[int, ...]) -> bytes | None:
    return pack_words(words(*rows))


def test_each_word_of_the_query_counts_by_the_nearest_one() -> None:
    asked = words(EAST, NORTH)
    several = [packed(EAST, NORTH), packed(NORTH, WEST, NORTH), packed(WEST)]
    assert word_by_word(asked, several, EVERYTHING) == pytest.approx([1, 0.5, -0.5])


def test_the_order_of_words_does_not_matter_nor_what_else_is_said() -> None:
    asked = words(EAST)
    several = [packed(EAST), packed(WEST, NORTH, EAST), packed(EAST, WEST)]
    assert word_by_word(asked, several, EVERYTHING) == pytest.approx([1, 1, 1])


@pytest.mark.parametrize("nothing", [None, b"", b"\x7f", b"\x7f\x00\x00"])
def test_what_has_no_words_of_the_dimension_counts_as_the_mean(nothing: bytes | None) -> None:
    several = [packed(EAST), nothing, packed(NORTH)]
    assert word_by_word(words(EAST), several, EVERYTHING) == pytest.approx([1, 0.5, 0])


def test_the_mean_is_of_those_that_are_compared() -> None:
    several = [packed(EAST), packed(NORTH), None]
    assert word_by_word(words(EAST), several, np.array([0, 2])) == pytest.approx([1, 0, 1])


def test_of_none_that_are_compared_there_is_no_mean() -> None:
    several = [packed(EAST), None, None]
    assert word_by_word(words(EAST), several, np.array([1, 2])) == pytest.approx([1, 0, 0])


@pytest.mark.parametrize("asked", [no_words(), np.zeros((0, 2), dtype=np.int8)])
def test_without_words_of_the_query_all_are_alike(asked: Words) -> None:
    assert word_by_word(asked, [packed(EAST), packed(WEST)], EVERYTHING).tolist() == [0, 0]


def test_without_words_of_anything_all_are_alike() -> None:
    assert word_by_word(words(EAST), [None, b""], EVERYTHING).tolist() == [0, 0]


def test_a_text_without_words_is_told_from_a_model_that_gives_none() -> None:
    assert pack_words(np.zeros((0, 2), dtype=np.int8)) == b""
    assert pack_words(no_words()) is None

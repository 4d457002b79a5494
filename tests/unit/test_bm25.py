from collections import Counter
from zlib import crc32

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.ranking.bm25 import K1, B, Bags, bm25, idf, pack_terms

TERMS = st.lists(st.sampled_from(["tea", "milk", "sugar", "cup", "été"]), max_size=30)


@given(st.lists(TERMS, max_size=8))
@example([])
@example([[]])
def test_bags_come_out_as_they_went_in(documents: list[list[str]]) -> None:
    bags = Bags.unpack([pack_terms(each) for each in documents])
    asked = ["tea", "été", "absent", "tea"]
    expected = [[Counter(each)[term] for term in asked] for each in documents]

    assert bags.length.tolist() == [len(each) for each in documents]
    assert bags.frequencies(asked).tolist() == expected
    assert bags.frequencies([]).shape == (len(documents), 0)


@given(TERMS)
def test_a_bag_does_not_know_the_order(terms: list[str]) -> None:
    assert pack_terms(terms) == pack_terms(sorted(terms))
    assert len(pack_terms(terms)) == 5 * len(set(terms))


def test_a_count_ends_at_255() -> None:
    bags = Bags.unpack([pack_terms(["tea"] * 1_000 + ["milk"] * 255 + ["cup"] * 254)])
    assert bags.frequencies(["tea", "milk", "cup"]).tolist() == [[255, 255, 254]]
    assert bags.length.tolist() == [255 + 255 + 254]


def test_words_of_the_same_number_count_as_one() -> None:
    assert crc32(b"plumless") == crc32(b"buckeroo")
    bags = Bags.unpack([pack_terms(["plumless", "buckeroo", "buckeroo"])])
    assert bags.frequencies(["plumless", "buckeroo"]).tolist() == [[3, 3]]


@given(st.integers(0, 10**9), st.lists(st.integers(0, 10**9), max_size=5))
def test_every_term_tells_something_and_rare_ones_more(
    documents: int, frequencies: list[int]
) -> None:
    weights = idf(documents, sorted(frequencies))
    assert (weights > 0).all()
    assert (np.diff(weights) <= 0).all()


def test_a_term_that_few_hold_tells_more() -> None:
    weights = idf(1_000, range(1_000))
    assert (np.diff(weights) < 0).all()


def test_idf_is_the_formula_of_the_book() -> None:
    assert idf(10, [1, 5]).tolist() == pytest.approx([np.log(1 + 9.5 / 1.5), np.log(2)])
    assert idf(3, [5]).tolist() == pytest.approx([np.log(1 + 0.5 / 5.5)])
    assert idf(10, []).shape == (0,)


COUNTS = st.lists(st.integers(0, 255), min_size=3, max_size=3)
WEIGHTS = st.lists(st.floats(0.125, 16, width=32), min_size=3, max_size=3)


@given(COUNTS, WEIGHTS, st.integers(0, 10_000), st.floats(0, 10_000))
def test_a_score_lies_between_nothing_and_what_all_terms_are_worth(
    counts: list[int], weights: list[float], more: int, average: float
) -> None:
    frequencies, worth = np.array([counts], dtype=np.float32), np.array(weights, dtype=np.float32)
    length = np.array([sum(counts) + more], dtype=np.float32)

    (score,) = bm25(frequencies, length, worth, average)

    assert 0 <= score <= (K1 + 1) * worth.sum() * 1.0001
    assert (score > 0) == any(counts)


@given(COUNTS, WEIGHTS, st.integers(0, 2), st.integers(1, 1_000))
def test_more_of_a_term_never_scores_less(
    counts: list[int], weights: list[float], term: int, length: int
) -> None:
    more = list(counts)
    more[term] += 1
    frequencies = np.array([counts, more], dtype=np.float32)
    lengths = np.array([length, length], dtype=np.float32)
    worth = np.array(weights, dtype=np.float32)

    less_often, more_often = bm25(frequencies, lengths, worth, 50.0).tolist()

    assert more_often >= less_often * 0.99999
    assert counts[term] > 20 or more_often > less_often


@given(st.integers(1, 20), st.lists(st.integers(1, 5_000), min_size=2, max_size=6, unique=True))
def test_of_equal_matches_the_shorter_document_is_better(often: int, lengths: list[int]) -> None:
    frequencies = np.full((len(lengths), 1), often, dtype=np.float32)
    scores = bm25(
        frequencies,
        np.array(lengths, dtype=np.float32),
        np.array([2.0], dtype=np.float32),
        100.0,
    )
    by_length = [score for _, score in sorted(zip(lengths, scores.tolist(), strict=True))]
    assert by_length == sorted(by_length, reverse=True)
    assert by_length[0] > by_length[-1]


def test_a_score_is_the_formula_of_the_book() -> None:
    (score,) = bm25(
        np.array([[2.0, 0.0]], dtype=np.float32),
        np.array([30.0], dtype=np.float32),
        np.array([1.5, 7.0], dtype=np.float32),
        20.0,
    )
    assert score == pytest.approx(1.5 * 2 * (K1 + 1) / (2 + K1 * (1 - B + B * 30 / 20)))


def test_without_documents_or_terms_there_are_no_scores() -> None:
    none = np.zeros(0, dtype=np.float32)
    assert bm25(np.zeros((0, 2), np.float32), none, np.ones(2, np.float32), 1.0).shape == (0,)
    assert bm25(np.zeros((2, 0), np.float32), np.ones(2, np.float32), none, 0.0).tolist() == [0, 0]

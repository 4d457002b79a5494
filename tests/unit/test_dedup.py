from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from app.domain.memory import ItemType
from app.ranking import Floats
from app.ranking.dedup import SAME, duplicates, near_each_other, repeated, repeating, saying
from app.ranking.pool import Pool
from tests.factories import an_item, recalled


def circle(*degrees: float) -> Floats:
    """Unit vectors at these angles."""
    angles = np.radians(np.array(degrees))
    return np.column_stack([np.cos(angles), np.sin(angles)]).astype(np.float32)


def different(n: int) -> list[bytes]:
    return [bytes([each]) for each in range(n)]


def in_order(n: int) -> NDArray[np.intp]:
    return np.arange(n, dtype=np.intp)


def test_the_same_hash_is_said_twice() -> None:
    marked = duplicates(
        in_order(4), [b"a", b"b", b"a", b"a"], near_each_other(circle(0, 90, 180, 270))
    )
    assert marked.tolist() == [False, False, True, True]


def test_nearly_the_same_vector_is_said_twice() -> None:
    near, far = 18.0, 18.5
    assert np.cos(np.radians(near)) > SAME > np.cos(np.radians(far))
    assert duplicates(in_order(2), different(2), near_each_other(circle(0, near))).tolist() == [
        False,
        True,
    ]
    assert duplicates(in_order(2), different(2), near_each_other(circle(0, far))).tolist() == [
        False,
        False,
    ]


def test_the_best_of_several_equals_stays() -> None:
    order = np.array([2, 0, 1], dtype=np.intp)
    assert duplicates(order, [b"a"] * 3, near_each_other(circle(0, 0, 0))).tolist() == [
        True,
        True,
        False,
    ]


def test_what_is_like_a_duplicate_only_stays() -> None:
    """In a chain of neighbours the ends are different: the middle one goes, the end stays."""
    assert duplicates(in_order(3), different(3), near_each_other(circle(0, 15, 30))).tolist() == [
        False,
        True,
        False,
    ]


def test_items_without_a_vector_are_like_nothing() -> None:
    nothing = np.zeros((3, 2), dtype=np.float32)
    assert duplicates(in_order(3), [b"a", b"b", b"a"], near_each_other(nothing)).tolist() == [
        False,
        False,
        True,
    ]
    assert duplicates(in_order(0), [], near_each_other(nothing[:0])).tolist() == []


def says_no_more(one: str, other: str) -> bool:
    """Of two texts with the same vector."""
    items = [an_item(1, one), an_item(2, other)]
    pool = Pool.of(recalled(*items, vectors=dict(enumerate(circle(0, 0)))), dimension=2)
    return bool(repeating(pool)[0, 1])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("We picked Postgres as our database.", "We chose Postgres as the database."),
        ("My flight to Oslo is in May.", "My flight to Oslo is on 3 May."),
        ("Deploy 4.18.0 went out.", "Deploy 4.18.0 went out!"),
    ],
)
def test_what_is_near_and_adds_nothing_is_said_again(one: str, other: str) -> None:
    assert says_no_more(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("My flight to Oslo is on 9 May.", "My flight to Oslo is on 3 May."),
        ("My flight to Oslo is on 3 May.", "My flight to Oslo is in May."),
        ("Deploy 4.18.1 went out.", "Deploy 4.18.0 went out."),
        ("ลูกสาวแพ้ถั่วลิสง หมอชื่อวิภา", "แมวของเราชื่อส้ม อายุสามปี"),
        ("หมาของเราชื่อดำ อายุสองปี", "แมวของเราชื่อส้ม อายุสามปี"),
        ("ስብሰባው ነገ ነው", "ድመቷ ሶፋ ላይ"),
        ("🎉🎉", "😭"),
    ],
)
def test_one_vector_for_other_numbers_or_words_is_no_repetition(one: str, other: str) -> None:
    assert not says_no_more(one, other)


@st.composite
def some_items(draw: st.DrawFn) -> tuple[NDArray[np.intp], list[bytes], Floats]:
    """Angles are whole multiples of 7 degrees, so that no cosine lies at the border."""
    n = draw(st.integers(0, 12))
    order = np.array(draw(st.permutations(range(n))), dtype=np.intp)
    hashes = draw(st.lists(st.sampled_from([b"a", b"b", b"c", b"d"]), min_size=n, max_size=n))
    angles = draw(st.lists(st.integers(0, 51).map(lambda k: k * 7.0), min_size=n, max_size=n))
    return order, hashes, circle(*angles)


@given(some_items())
def test_leaving_duplicates_out_twice_is_leaving_them_out_once(
    items: tuple[NDArray[np.intp], list[bytes], Floats],
) -> None:
    order, hashes, vectors = items
    marked = duplicates(order, hashes, near_each_other(vectors))
    kept = [at for at in order if not marked[at]]

    again = duplicates(
        in_order(len(kept)), [hashes[at] for at in kept], near_each_other(vectors[kept])
    )

    assert not again.any()


@given(some_items())
def test_every_duplicate_is_like_something_better_that_stays(
    items: tuple[NDArray[np.intp], list[bytes], Floats],
) -> None:
    order, hashes, vectors = items
    marked = duplicates(order, hashes, near_each_other(vectors))
    assert not len(order) or not marked[order[0]]
    for place, at in enumerate(order):
        better = [each for each in order[:place] if not marked[each]]
        said = any(
            hashes[each] == hashes[at] or vectors[each] @ vectors[at] > SAME for each in better
        )
        assert bool(marked[at]) == said


@pytest.mark.parametrize(
    ("told", "said", "is_said"),
    [
        ("Ann: nuts", "I had doughnuts today", False),
        ("Port: 80", "The port was 1800 before", False),
        ("Port: 80", "Use 8080.", False),
        ("Name: Ann", "Anne and Joanna, then Ann.", True),
        ("Port: 80", "It is 80.", True),
        ("Drinks: green tea.", "Mostly (green tea) now", True),
        ("Language: C++", "I write C++ and Rust", True),
        ("\u0928\u093e\u092e: \u0928\u092e", "\u092f\u0939 \u0928\u092e\u0940 \u0939\u0948", False),
        ("\u98df\u7269: \u82b1\u751f", "\u6211\u5bf9\u82b1\u751f\u8fc7\u654f", True),
        ("\u540d\u524d: \u592a\u90ce", "\u79c1\u306f\u592a\u90ce\u3067\u3059", True),
        (
            "\u0e2d\u0e32\u0e2b\u0e32\u0e23: \u0e16\u0e31\u0e48\u0e27",
            "\u0e41\u0e1e\u0e49\u0e16\u0e31\u0e48\u0e27\u0e25\u0e34\u0e2a\u0e07",
            True,
        ),
        ("Nothing: .", "Whatever", False),
    ],
)
def test_a_fact_is_said_by_a_message_that_has_its_words_whole(
    told: str, said: str, *, is_said: bool
) -> None:
    fact = replace(an_item(1, told), type=ItemType.FACT)
    pool = Pool.of(recalled(fact, an_item(2, said)), dimension=2)
    every = np.ones(2, dtype=np.bool_)
    assert repeated(pool, in_order(2), quotable=every).tolist() == [is_said, False]
    assert saying(pool, np.array([True, False])).tolist() == [False, is_said]

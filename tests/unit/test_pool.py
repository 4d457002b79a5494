import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from app.ranking import Floats
from app.ranking.pool import Pool, Recalled, pack_vector, unpack_vectors
from tests.factories import an_item, recalled

VECTORS = arrays.arrays(
    np.float32,
    st.tuples(st.integers(0, 5), st.integers(1, 8)),
    elements=st.floats(-1, 1, width=32),
)


@given(VECTORS)
def test_vectors_come_back_within_the_error_of_float16(vectors: Floats) -> None:
    packed = [pack_vector(each) for each in vectors]
    back = unpack_vectors(packed, vectors.shape[1])
    assert back.dtype == np.float32
    np.testing.assert_allclose(back, vectors, rtol=2**-11, atol=2**-24)
    assert [pack_vector(each) for each in back] == packed


@pytest.mark.parametrize("missing", [None, b"", b"\1\2\3", pack_vector(np.ones(3, np.float32))])
def test_what_is_no_vector_of_this_dimension_is_zeros(missing: bytes | None) -> None:
    there = pack_vector(np.array([0.5, -0.25], np.float32))
    assert unpack_vectors([there, missing, there], 2).tolist() == [
        [0.5, -0.25],
        [0, 0],
        [0.5, -0.25],
    ]


def test_a_pool_holds_the_vectors_and_words_of_its_items() -> None:
    items = recalled(
        an_item(1, "green tea"),
        an_item(2, "tea tea"),
        vectors={1: np.array([0.0, 1.0], np.float32)},
    )
    pool = Pool.of(items, dimension=2)
    assert pool.vectors.tolist() == [[0, 0], [0, 1]]
    assert pool.bags.frequencies(["tea", "green"]).tolist() == [[1, 1], [2, 0]]


def test_an_empty_pool_has_no_rows() -> None:
    pool = Pool.of(Recalled.nothing(), dimension=3)
    assert (len(pool.recalled), pool.vectors.shape, pool.bags.length.shape) == (0, (0, 3), (0,))


@given(st.lists(st.integers(0, 4), max_size=8), st.lists(st.integers(0, 2), max_size=3))
def test_a_choice_of_items_keeps_what_belongs_together(chosen: list[int], again: list[int]) -> None:
    items = [an_item(row, f"tea {row}", tokens=row, label=str(row)) for row in range(5)]
    some = recalled(*items).only(chosen)

    assert len(some) == len(chosen)
    assert [some.read(at) for at in range(len(some))] == [items[at] for at in chosen]
    assert list(some.tokens) == chosen
    assert [some.contents[at] for at in range(len(some))] == [f"tea {row}" for row in chosen]
    fitting = [at for at in again if at < len(chosen)]
    assert [some.only(fitting).read(at).tokens for at in range(len(fitting))] == [
        chosen[at] for at in fitting
    ]

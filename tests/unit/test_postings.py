from collections import defaultdict
from math import fsum

from hypothesis import given
from hypothesis import strategies as st

from app.adapters.sql.full_text.postings import most_telling

keys = st.lists(st.integers(1, 60), unique=True, max_size=30)
# Powers of two: what they add up to is exact, in whatever order.
postings = st.lists(st.tuples(st.sampled_from([0.25, 0.5, 1.0, 2.0, 4.0]), keys), max_size=6)


@given(told=postings)
def test_keys_are_in_the_order_of_what_tells_of_them_and_of_equals_the_newest_is_first(
    told: list[tuple[float, list[int]]],
) -> None:
    worth = defaultdict[int, list[float]](list)
    for weight, held in told:
        for key in held:
            worth[key].append(weight)
    rows = [(weight, ",".join(map(str, held)) or None) for weight, held in told]
    assert list(most_telling(rows)) == sorted(worth, key=lambda key: (-fsum(worth[key]), -key))


def test_nothing_is_told_where_no_term_is_held() -> None:
    assert list(most_telling([])) == []
    assert list(most_telling([(1.5, None), (0.5, "")])) == []

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ranking import Floats, diversity
from app.ranking.diversity import ALIKE


def circle(*degrees: float) -> Floats:
    """Unit vectors at these angles."""
    angles = np.radians(np.array(degrees))
    return np.column_stack([np.cos(angles), np.sin(angles)]).astype(np.float32)


def places(vectors: Floats) -> Floats:
    return diversity.places(vectors, len(vectors))


def test_what_is_like_nothing_before_it_has_the_place_that_it_has() -> None:
    assert places(circle(0, 90, 180, 270)).tolist() == [1, 2, 3, 4]
    assert places(np.zeros((3, 2), dtype=np.float32)).tolist() == [1, 2, 3]
    assert places(np.zeros((2, 0), dtype=np.float32)).tolist() == [1, 2]
    assert places(circle()).tolist() == []


def test_what_repeats_others_gives_way_the_more_the_more_there_are() -> None:
    once, twice = places(circle(0, 90, 0)), places(circle(0, 0, 0))
    assert once.tolist() == pytest.approx([1, 2, 3 * (1 + 1 - ALIKE)])
    assert twice.tolist() == pytest.approx([1, 2 * (2 - ALIKE), 3 * (3 - 2 * ALIKE)])


def test_what_is_not_looked_at_keeps_its_place() -> None:
    assert diversity.places(circle(0, 0), 4).tolist() == pytest.approx([1, 2 * (2 - ALIKE), 3, 4])


@given(st.lists(st.floats(0, 360), max_size=20))
def test_no_place_is_better_than_it_was_and_the_first_stays(degrees: list[float]) -> None:
    found = places(circle(*degrees))
    assert (found >= np.arange(1, len(degrees) + 1)).all()
    assert found[:1].tolist() == [1.0] * min(1, len(degrees))

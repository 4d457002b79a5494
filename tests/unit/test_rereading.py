import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ranking import Floats
from app.ranking.rereading import Opinion, best_for_reading, dealt


def floats(*values: float) -> Floats:
    return np.array(values, dtype=np.float32)


def opinion(at: list[int], *scores: float, share: float = 1.0) -> Opinion:
    return Opinion(at=at, scores=floats(*scores), share=share)


@st.composite
def readings(draw: st.DrawFn) -> tuple[Floats, Opinion]:
    count = draw(st.integers(0, 40))
    relevance = draw(st.lists(st.floats(0, 1, width=32), min_size=count, max_size=count))
    at = draw(st.permutations(range(count)))[: draw(st.integers(0, 32))]
    scores = [draw(st.integers(-12, 12)) for _ in at]
    return floats(*relevance), opinion(at, *scores, share=draw(st.floats(0, 1)))


def test_the_highest_goes_to_what_is_liked_best() -> None:
    told = dealt(floats(0.9, 0.5, 0.1), opinion([0, 1, 2], -3, 8, 2))

    assert told == pytest.approx([0.1, 0.9, 0.5])


def test_the_rest_comes_from_what_it_had() -> None:
    told = dealt(floats(0.9, 0.3), opinion([0, 1], 0.1, 0.2, share=0.7))

    assert told == pytest.approx([0.3 * 0.9 + 0.7 * 0.3, 0.3 * 0.3 + 0.7 * 0.9])
    assert told[1] > told[0]


def test_what_was_not_read_keeps_its_relevance() -> None:
    assert dealt(floats(0.9, 0.8, 0.4), opinion([0, 1], 1, 2)) == pytest.approx([0.8, 0.9, 0.4])
    assert dealt(floats(0.9, 0.8), opinion([])) == pytest.approx([0.9, 0.8])


def test_equals_share_what_falls_to_them() -> None:
    told = dealt(floats(0.9, 0.5, 0.1), opinion([0, 1, 2], 4, 4, 7))

    assert told == pytest.approx([0.3, 0.3, 0.9])


def test_without_a_share_nothing_changes() -> None:
    relevance = floats(0.2, 0.6, 0.4)
    assert dealt(relevance, opinion([0, 1, 2], 3, 1, 2, share=0.0)) == pytest.approx(relevance)


@given(readings())
def test_no_relevance_is_made_that_was_not_there(reading: tuple[Floats, Opinion]) -> None:
    relevance, said = reading
    told, read = dealt(relevance, said), relevance[list(said.at)]

    assert told.dtype == np.float32
    if len(said.at):
        assert told[list(said.at)].max() <= read.max() + 1e-6
        assert told[list(said.at)].min() >= read.min() - 1e-6
        assert told[list(said.at)].sum() == pytest.approx(float(read.sum()), abs=1e-4)
    others = [at for at in range(len(relevance)) if at not in said.at]
    assert (told[others] == relevance[others]).all()


@given(readings(), st.floats(0.1, 9), st.integers(-5, 5))
def test_the_scale_of_the_scores_does_not_matter(
    reading: tuple[Floats, Opinion], stretched: float, moved: int
) -> None:
    relevance, said = reading
    other = Opinion(at=said.at, scores=said.scores * stretched + moved, share=said.share)

    assert dealt(relevance, other) == pytest.approx(dealt(relevance, said), abs=1e-6)


@given(readings(), st.randoms(use_true_random=False))
def test_the_order_of_reading_does_not_matter(
    reading: tuple[Floats, Opinion], random: np.random.Generator
) -> None:
    relevance, said = reading
    places = list(range(len(said.at)))
    random.shuffle(places)
    mixed = Opinion(
        at=[said.at[place] for place in places], scores=said.scores[places], share=said.share
    )

    assert dealt(relevance, mixed) == pytest.approx(dealt(relevance, said), abs=1e-6)


@given(st.lists(st.floats(0, 1, width=32), max_size=50), st.integers(1, 32))
def test_the_most_relevant_are_read(relevance: list[float], most: int) -> None:
    at = best_for_reading(floats(*relevance), most=most)

    assert len(at) == len(set(at)) == min(most, len(relevance))
    assert [relevance[each] for each in at] == sorted(relevance, reverse=True)[:most]

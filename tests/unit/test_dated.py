"""What else was said at a named time comes in where nothing of that time is a likely answer."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from app.ranking.dated import MOST, dated
from app.ranking.query import QueryView
from app.text.intervals import EXACT, ROUGH, WIDE, Interval
from tests.factories import NOON, an_item, recalled

MAY = datetime(2019, 5, 1, tzinfo=UTC), datetime(2019, 6, 1, tzinfo=UTC)


def a_query(strength: float, *, overview: bool = False) -> QueryView:
    return QueryView(
        vector=None,
        terms=[],
        idf=np.zeros(0, np.float32),
        idf_mass=0.0,
        average_length=3.0,
        intervals=[Interval(*MAY, strength)],
        overview=overview,
    )


def let_in(query: QueryView, likely: Sequence[int] = (), *, now: datetime = NOON) -> list[int]:
    """Eight were said in May, each more relevant than the one before, and one in June."""
    times = [*(MAY[0] + timedelta(days=at) for at in range(8)), MAY[1]]
    items = [an_item(at + 1, f"said {at}", at=time) for at, time in enumerate(times)]
    relevant = np.arange(9, dtype=np.float32) / np.float32(100)
    answers = np.isin(np.arange(9), likely)
    told = dated(query, recalled(*items), relevant, answers, now=now.timestamp())
    return np.flatnonzero(told).tolist()


@pytest.mark.parametrize("strength", [EXACT, ROUGH])
def test_the_most_relevant_of_that_time_come_in(strength: float) -> None:
    assert let_in(a_query(strength)) == [*range(8 - MOST, 8)]


def test_beside_a_likely_answer_of_that_time_nothing_does() -> None:
    assert not let_in(a_query(ROUGH), likely=[2])
    assert let_in(a_query(ROUGH), likely=[8]), "said at another time"


def test_nothing_does_for_a_season_or_where_all_is_asked_for() -> None:
    assert not let_in(a_query(WIDE))
    assert not let_in(a_query(ROUGH, overview=True))


def test_a_time_of_which_nothing_is_found_brings_nothing() -> None:
    item = an_item(1, "said at noon", at=NOON)
    nothing = np.zeros(1, np.bool_)
    one = np.ones(1, np.float32)
    assert not dated(a_query(EXACT), recalled(item), one, nothing, now=NOON.timestamp()).any()


def test_nothing_does_while_that_time_goes_on() -> None:
    assert not let_in(a_query(EXACT), now=MAY[1] - timedelta(seconds=1))
    assert let_in(a_query(EXACT), now=MAY[1])

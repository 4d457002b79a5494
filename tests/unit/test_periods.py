"""Days lie in weeks, weeks in months, months in years; every moment in one of each."""

from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.domain.periods import MOST, Period, Span, making_up, span_about, span_of, spans_of

moments = st.datetimes(timezones=st.just(UTC))
FIRST, LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


def day(*at: int) -> datetime:
    return datetime(*at, tzinfo=UTC)  # type: ignore[arg-type,misc]


@given(moments)
@example(FIRST)
@example(LAST)
def test_a_moment_lies_in_one_of_each_and_each_in_the_next(moment: datetime) -> None:
    spans = spans_of(moment)
    assert [each.period for each in spans] == list(Period)
    for each in spans:
        assert each.begins <= moment <= each.until
        assert span_of(each.period, each.begins) == each
    for smaller, larger in pairwise(spans):
        assert larger.covers(smaller)
        assert smaller.above == larger
    assert spans[-1].above is None


@given(moments, st.sampled_from(Period))
def test_a_subject_names_its_span(moment: datetime, period: Period) -> None:
    span = span_of(period, moment)
    assert span_about(span.subject) == span


@pytest.mark.parametrize(
    "subject",
    [
        None,
        "",
        "summary|day",
        "summary|era|2026-01-01",
        "summary|day|yesterday",
        "fact|day|2026-01-01",
    ],
)
def test_other_subjects_name_none(subject: str | None) -> None:
    assert span_about(subject) is None


@pytest.mark.parametrize(
    ("moment", "week"),
    [
        (day(2026, 3, 4, 10), (day(2026, 3, 2), day(2026, 3, 9))),
        (day(2026, 3, 1, 23, 59), (day(2026, 3, 1), day(2026, 3, 2))),
        (day(2026, 3, 31), (day(2026, 3, 30), day(2026, 4, 1))),
    ],
)
def test_a_week_ends_with_sunday_or_with_its_month(
    moment: datetime, week: tuple[datetime, datetime]
) -> None:
    begins, until = week
    assert span_of(Period.WEEK, moment) == Span(period=Period.WEEK, begins=begins, until=until)


def test_a_day_is_one_of_utc() -> None:
    early = datetime(2026, 1, 1, 0, 30, tzinfo=timezone(timedelta(hours=1)))
    assert span_of(Period.YEAR, early).begins == day(2025, 1, 1)


def told(start: datetime, stop: datetime) -> dict[str, list[str]]:
    """By period, on which days those begin that make up this time."""
    found: dict[str, list[str]] = {}
    for each in making_up(start, stop):
        found.setdefault(each.period.told, []).append(each.begins.date().isoformat())
    return found


def counted(start: datetime, stop: datetime) -> dict[str, int]:
    return {period: len(several) for period, several in told(start, stop).items()}


def test_a_week_is_made_up_of_itself_and_its_days() -> None:
    found = told(day(2026, 3, 9), day(2026, 3, 16))
    assert found == {"week": ["2026-03-09"], "day": [f"2026-03-{at:02}" for at in range(9, 16)]}


def test_of_a_week_across_two_months_there_are_two() -> None:
    assert told(day(2026, 2, 23), day(2026, 3, 2))["week"] == ["2026-02-23", "2026-03-01"]


def test_what_is_long_is_told_by_what_is_coarse_and_the_rest_by_what_is_finer() -> None:
    assert counted(day(2026, 1, 1), day(2026, 2, 1)) == {"month": 1, "week": 5, "day": 31}
    assert counted(day(2025, 1, 1), day(2026, 1, 1)) == {"year": 1, "month": 12}
    until_now = counted(day(2026, 1, 1), day(2026, 11, 24, 9))
    assert until_now == {"month": 10, "week": 4, "day": 1}
    ten_years = counted(day(2016, 11, 24, 9), day(2026, 11, 24, 9))
    assert ten_years == {"year": 9, "month": 11, "week": 5, "day": 5}


@pytest.mark.parametrize(
    ("hours", "days"),
    [
        (-8, ["2026-03-03"]),
        (5.5, ["2026-03-03"]),
        (12, ["2026-03-02", "2026-03-03"]),
        (14, ["2026-03-02"]),
    ],
)
def test_a_day_elsewhere_is_the_one_that_it_is_most_of(hours: float, days: list[str]) -> None:
    there = datetime(2026, 3, 3, tzinfo=timezone(timedelta(hours=hours)))
    assert told(there, there + timedelta(days=1)) == {"day": days}


def test_hours_are_no_period() -> None:
    assert making_up(day(2026, 3, 3, 9), day(2026, 3, 3, 11)) == ()


@given(moments, st.timedeltas(timedelta(0), timedelta(days=365_000)), st.integers(-14, 14))
@example(FIRST, timedelta(days=400), 14)
@example(LAST - timedelta(days=400), timedelta(days=400), -14)
def test_periods_that_make_up_a_time_lie_in_it_and_are_few(
    moment: datetime, length: timedelta, hours: int
) -> None:
    start = moment.replace(tzinfo=timezone(timedelta(hours=hours)))
    try:
        stop = start + length
    except OverflowError:
        return
    found, slack = making_up(start, stop), timedelta(hours=12)
    assert len(found) == len(set(found)) <= MOST
    assert [each.period for each in found] == sorted((each.period for each in found), reverse=True)
    for each in found:
        assert start - each.begins <= slack
        assert each.until - stop <= slack


@given(moments, st.integers(1, 60))
def test_no_day_of_two_months_is_left_out(moment: datetime, days: int) -> None:
    start = span_of(Period.DAY, moment).begins
    try:
        several = [start + timedelta(days=each) for each in range(days + 1)]
    except OverflowError:
        return
    found = making_up(start, several[-1])
    for each in several[:-1]:
        assert any(span.covers(span_of(Period.DAY, each)) for span in found)


@given(moments, st.sampled_from(Period))
def test_the_next_smaller_ones_fill_a_span(moment: datetime, period: Period) -> None:
    span = span_of(period, moment)
    below = span.below()
    if period is Period.DAY:
        assert below == ()
        return
    assert (below[0].begins, below[-1].until) == (span.begins, span.until)
    assert all(one.until == other.begins for one, other in pairwise(below))
    assert {each.above for each in below} == {span}

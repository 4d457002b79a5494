"""Days lie in weeks, weeks in months, months in years; every moment in one of each."""

from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.domain.periods import Period, Span, span_about, span_of, spans_of

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

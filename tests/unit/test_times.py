from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from app.ranking.timing import fitting, time_match
from app.text.intervals import EXACT, ROUGH, VAGUE, WIDE, Interval
from app.text.time_rules import HINT, RULES
from app.text.times import intervals_of

NOW = datetime(2026, 3, 4, 15, 30, tzinfo=UTC)  # a Wednesday
THIS_MORNING = datetime(2026, 3, 4, 7, tzinfo=UTC)


@pytest.mark.parametrize(
    ("query", "start", "stop", "strength"),
    [
        ("what did I say yesterday?", "2026-03-03", "2026-03-04", EXACT),
        ("the day before yesterday", "2026-03-02", "2026-03-03", EXACT),
        ("this morning", "2026-03-04", "2026-03-05", EXACT),
        ("Last  Night", "2026-03-03", THIS_MORNING, EXACT),
        ("three days ago", "2026-03-01", "2026-03-02", EXACT),
        ("a couple of days ago", "2026-03-02", "2026-03-03", EXACT),
        ("on 2023-05-08", "2023-05-08", "2023-05-09", EXACT),
        ("on 5 March 2023", "2023-03-05", "2023-03-06", EXACT),
        ("the 3rd of May, 2024", "2024-05-03", "2024-05-04", EXACT),
        ("March 5th", "2025-03-05", "2025-03-06", EXACT),
        ("Mar. 3", "2026-03-03", "2026-03-04", EXACT),
        ("Dec 24, 2025", "2025-12-24", "2025-12-25", EXACT),
        ("on Friday", "2026-02-27", "2026-02-28", EXACT),
        ("on Wednesday", "2026-03-04", "2026-03-05", EXACT),
        ("last Wednesday", "2026-02-25", "2026-02-26", EXACT),
        ("last week", "2026-02-23", "2026-03-02", ROUGH),
        ("two weeks ago", "2026-02-16", "2026-02-23", ROUGH),
        ("last weekend", "2026-02-28", "2026-03-02", EXACT),
        ("this month", "2026-03-01", "2026-04-01", ROUGH),
        ("last month", "2026-02-01", "2026-03-01", ROUGH),
        ("two months ago", "2025-12-17", "2026-02-01", ROUGH),
        ("a year ago", "2025-03-01", "2025-04-01", ROUGH),
        ("half a year ago", "2025-08-17", "2025-10-01", ROUGH),
        ("three months back", "2025-11-16", "2026-01-01", ROUGH),
        ("two nights ago", "2026-03-02", "2026-03-03", EXACT),
        ("a fortnight ago", "2026-02-16", "2026-02-23", ROUGH),
        ("on 14.04.2025", "2025-04-14", "2025-04-15", EXACT),
        ("on Tuesday the 10th", "2026-02-10", "2026-02-11", EXACT),
        ("Saturday, the 31st", "2026-01-31", "2026-02-01", EXACT),
        ("in May", "2025-05-01", "2025-06-01", ROUGH),
        ("in March", "2026-03-01", "2026-04-01", ROUGH),
        ("last March", "2025-03-01", "2025-04-01", ROUGH),
        ("July 2023", "2023-07-01", "2023-08-01", ROUGH),
        ("in Q3 2023", "2023-07-01", "2023-10-01", ROUGH),
        ("q2", "2025-04-01", "2025-07-01", ROUGH),
        ("last summer", "2025-06-01", "2025-09-01", WIDE),
        ("last winter", "2025-12-01", "2026-03-01", WIDE),
        ("summer of 2022", "2022-06-01", "2022-09-01", WIDE),
        ("last year", "2025-01-01", "2026-01-01", WIDE),
        ("in 2022", "2022-01-01", "2023-01-01", WIDE),
        ("before June 2025", "2024-06-01", "2025-06-01", WIDE),
        ("before 2025", "2024-01-02", "2025-01-01", WIDE),
        ("since Monday", "2026-03-02", NOW, EXACT),
        ("after 2025-12-24", "2025-12-25", NOW, EXACT),
        ("Sept 2023", "2023-09-01", "2023-10-01", ROUGH),
        ("in Jan", "2026-01-01", "2026-02-01", ROUGH),
        ("last quarter", "2025-10-01", "2026-01-01", ROUGH),
        ("this quarter", "2026-01-01", "2026-04-01", ROUGH),
        ("the week before last", "2026-02-16", "2026-02-23", ROUGH),
        ("two days before yesterday", "2026-03-01", "2026-03-02", EXACT),
        ("on February 29", "2024-02-29", "2024-03-01", EXACT),
        ("in May 5 people came", "2025-05-05", "2025-05-06", EXACT),
        ("in the last three weeks", NOW - timedelta(days=21), NOW, ROUGH),
        ("past 10 days", NOW - timedelta(days=10), NOW, ROUGH),
        ("what did we do recently", NOW - timedelta(days=14), NOW, VAGUE),
        ("what did I do over the weekend", "2026-02-28", "2026-03-02", EXACT),
        ("how was my weekend", "2026-02-28", "2026-03-02", EXACT),
        ("where did Anna go on the weekend", "2026-02-28", "2026-03-02", EXACT),
        ("this afternoon", "2026-03-04", "2026-03-05", EXACT),
        ("recap 2025", "2025-01-01", "2026-01-01", WIDE),
        ("summary of the year 2025", "2025-01-01", "2026-01-01", WIDE),
        ("since the year 2024", "2024-01-01", NOW, WIDE),
        ("throughout 2025", "2025-01-01", "2026-01-01", WIDE),
        ("how was May", "2025-05-01", "2025-06-01", ROUGH),
        ("the week of 5 March 2025", "2025-03-03", "2025-03-10", ROUGH),
        ("week of May 7th", "2025-05-05", "2025-05-12", ROUGH),
        ("yesterday evening", "2026-03-03", "2026-03-04", EXACT),
        ("from 5 March 2023 to 2 April 2023", "2023-03-05", "2023-04-03", ROUGH),
        ("between 5 May 2023 and July 2023", "2023-05-05", "2023-08-01", ROUGH),
        ("from November to February 2024", "2023-11-01", "2024-03-01", WIDE),
        ("between November and February", "2025-11-01", "2026-03-01", WIDE),
        ("between March and May", "2026-03-01", NOW, EXACT),
        ("from the 5th to the 10th of May", "2025-05-05", "2025-05-11", ROUGH),
        ("between May 5 and 10", "2025-05-05", "2025-05-11", ROUGH),
        ("between May 5th and 10th, 2024", "2024-05-05", "2024-05-11", ROUGH),
        ("between 2021 and 2023", "2021-01-01", "2024-01-01", WIDE),
        ("between 2023-01-01 and 2023-02-03", "2023-01-01", "2023-02-04", ROUGH),
        ("from Monday to Friday", "2026-03-02", NOW, EXACT),
        ("from yesterday until now", "2026-03-03", NOW, EXACT),
    ],
)
def test_an_expression_is_an_interval(
    query: str, start: datetime | str, stop: datetime | str, strength: float
) -> None:
    def at(time: datetime | str) -> datetime:
        return time if isinstance(time, datetime) else datetime.fromisoformat(time + "T00:00Z")

    assert intervals_of(query, NOW) == [Interval(at(start), at(stop), strength)]


@pytest.mark.parametrize(
    "query",
    [
        "may I ask",
        "the march of time",
        "next week",
        "tomorrow",
        "on 31 February 2020",
        "3000 years ago",
        "version 1.20.2024",
        "on Monday the 45th",
        "this weekend",
        "the last time we met",
        "1999 bottles",
        "12:30",
        "falling leaves",
        "what may 5 people do",
        "on February 30",
        "what does Anna do on the weekend",
        "from 9 to 5",
        "between May and the team",
        "between 2024 and 2021",
        "from 99 to 100 May",
        "",
    ],
)
def test_nothing_is_made_of_other_words(query: str) -> None:
    assert intervals_of(query, NOW) == []


def test_one_query_may_speak_of_two_times() -> None:
    found = intervals_of("on 5 May 2023 or in July 2023", NOW)
    assert [str(each.start.date()) for each in found] == ["2023-05-05", "2023-07-01"]


@pytest.mark.parametrize(
    ("query", "start", "stop"),
    [
        ("in May", "2025-05-01", "2025-06-01"),
        ("this May", "2025-05-01", "2025-06-01"),
        ("last month", "2026-04-01", "2026-05-01"),
        ("yesterday", "2026-04-30", "2026-05-01"),
        ("today", None, None),
    ],
)
def test_what_begins_just_now_has_nothing_in_it(
    query: str, start: str | None, stop: str | None
) -> None:
    midnight = datetime(2026, 5, 1, tzinfo=UTC)
    found = [
        (str(each.start.date()), str(each.stop.date())) for each in intervals_of(query, midnight)
    ]
    assert found == ([] if start is None else [(start, stop)])


def test_hours_and_minutes_ago_are_about_then() -> None:
    (hours,) = intervals_of("three hours ago", NOW)
    assert (hours.start, hours.stop) == (NOW - timedelta(hours=4), NOW - timedelta(hours=2))
    (half,) = intervals_of("half an hour ago", NOW)
    assert half.start < NOW - timedelta(minutes=30) < half.stop
    (minutes,) = intervals_of("10 minutes ago", NOW)
    assert minutes.stop - minutes.start == timedelta(minutes=2)
    (span,) = intervals_of("in the last 2 hours", NOW)
    assert (span.start, span.stop) == (NOW - timedelta(hours=2), NOW)


def test_days_are_those_of_the_asker() -> None:
    zone = timezone(timedelta(hours=10))
    (found,) = intervals_of("yesterday", datetime(2026, 3, 4, 1, tzinfo=zone))
    assert found.start == datetime(2026, 3, 2, 14, tzinfo=UTC)


WORDS = st.sampled_from(
    "in on last this since before a few 0 3 31 999 days weeks months years ago may march friday"
    " summer 2024 0001 9999 1900 2024-02-30 q3 the of between from and to now weekend".split()
)


@given(
    st.text() | st.lists(WORDS, max_size=8).map(" ".join),
    st.datetimes(timezones=st.just(UTC)),
)
def test_no_query_fails_and_no_interval_is_empty_or_ahead(query: str, now: datetime) -> None:
    for each in intervals_of(query, now):
        assert each.start < each.stop
        assert each.start < now
        assert 0 < each.strength <= 1


Times = NDArray[np.float64]
TIMES = st.lists(st.floats(0, 4e9), max_size=20).map(lambda times: np.array(times, np.float64))


@given(TIMES, st.sampled_from(["yesterday", "last year", "in May", "since Monday"]))
def test_a_match_is_a_share_and_whole_only_inside(created_at: Times, query: str) -> None:
    (each,) = intervals_of(query, NOW)
    match = time_match(created_at, [each])
    assert match.shape == created_at.shape
    assert ((match >= 0) & (match <= np.float32(each.strength))).all()
    inside = (created_at >= each.start.timestamp()) & (created_at <= each.stop.timestamp())
    assert (match[inside] == np.float32(each.strength)).all()


def test_a_match_fades_with_the_distance_and_faster_before_than_after() -> None:
    day = 86_400.0
    noon = datetime(2026, 3, 3, 12, tzinfo=UTC).timestamp()
    times = np.array([noon, noon + day, noon + 9 * day, noon - day, noon - 9 * day])
    match = time_match(times, intervals_of("yesterday", NOW))
    assert match[0] == 1.0
    assert match[0] > match[1] > match[3] > match[2] > match[4]


def test_without_a_time_nothing_matches() -> None:
    assert time_match(np.array([1.0, 2.0]), []).tolist() == [0.0, 0.0]


def test_recency_counts_as_much_as_the_time_fits_however_vague_it_is() -> None:
    day = 86_400.0
    created_at = np.array([NOW.timestamp() - age * day for age in (1, 13, 400)])
    fresh = np.array([0.9, 0.6, 0.5], np.float32)
    kept = fitting(fresh, created_at, intervals_of("what did we do recently", NOW))
    assert kept.tolist() == pytest.approx([0.9, 0.6, 0.0])
    assert fitting(fresh, created_at, []) is fresh


def test_how_long_ago_a_named_day_or_month_is_does_not_matter() -> None:
    asked = intervals_of("what did we do in May 2019", NOW)
    inside, before = datetime(2019, 5, 9, tzinfo=UTC), datetime(2018, 5, 9, tzinfo=UTC)
    created_at = np.array([inside.timestamp(), before.timestamp()])
    fit = fitting(np.array([0.001, 0.0005], np.float32), created_at, asked)
    assert fit.tolist() == pytest.approx([1.0, 0.0], abs=1e-6)


@given(st.text() | st.lists(WORDS, max_size=8).map(" ".join))
def test_the_quick_look_misses_no_rule(query: str) -> None:
    matched = any(rule.search(query.casefold()) for rule, _ in RULES)
    assert not matched or HINT.search(query.casefold())

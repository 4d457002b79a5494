"""
What each form in which people tell a time means: "last Friday", "two weeks ago".

What has no year lies in the past: "in May" is the May that began last. Each function makes an
interval of what a rule of `time_rules.py` matched, seen from `now`, and raises ValueError or
OverflowError where there is no such time.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta

from app.text.intervals import EXACT, ROUGH, VAGUE, WIDE, Interval

MONTHS = (
    "january february march april may june july august september october november december"
).split()
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()
COUNTS = {"a couple of": 2, "a few": 3, "couple of": 2, "few": 3, "several": 4, "an": 1, "a": 1}
SEASONS = {"winter": 12, "spring": 3, "summer": 6, "autumn": 9, "fall": 9}

DAY = timedelta(days=1)
WEEK = timedelta(days=7)
_LENGTHS = {"hour": timedelta(hours=1), "minute": timedelta(minutes=1)}
_QUARTER = 3
_NIGHT = timedelta(hours=7)
"""Of a day, from midnight on."""

_LOOKING_BACK = re.compile(r"\b(?:did|was|were|had|have|has|\w\w+ed|went|said|told)\b")


def _day(at: datetime, days: int = 1) -> Interval:
    start = at.replace(hour=0, minute=0, second=0, microsecond=0)
    return Interval(start, start + days * DAY, EXACT)


def _week(at: datetime) -> Interval:
    monday = _day(at).start - at.weekday() * DAY
    return Interval(monday, monday + WEEK, ROUGH)


def _months(year: int, month: int, now: datetime, *, count: int = 1) -> Interval:
    """`count` months from a month on, which may lie outside of 1 to 12, in the zone of `now`."""
    first, stop = (
        datetime(year + number // 12, number % 12 + 1, 1, tzinfo=now.tzinfo)
        for number in (month - 1, month - 1 + count)
    )
    return Interval(first, stop, ROUGH if count <= _QUARTER else WIDE)


def month_number(name: str) -> int:
    return next(at for at, month in enumerate(MONTHS, 1) if month.startswith(name[:3]))


def _number(words: str) -> int:
    words = " ".join(words.split())
    if words in COUNTS:
        return COUNTS[words]
    return int(words) if words.isdigit() else NUMBERS.index(words)


def _date(year: str | None, month: int, day: int, now: datetime) -> Interval:
    """That day; without a year the last one that is not ahead."""
    if year:
        return _day(now.replace(year=int(year), month=month, day=day))
    return _day(max(each for each in _such_days(month, day, now) if each <= now))


_YEARS_BACK = 9
"""How far the last 29th of February may lie back."""


def _such_days(month: int, day: int, now: datetime) -> Iterator[datetime]:
    """That day of the years up to this one that have it, at the time of `now`."""
    for year in range(now.year - _YEARS_BACK, now.year + 1):
        with suppress(ValueError):
            yield now.replace(year=year, month=month, day=day)


def iso_date(match: re.Match[str], now: datetime) -> Interval:
    return _date(match["year"], int(match["month"]), int(match["day"]), now)


def named_date(match: re.Match[str], now: datetime) -> Interval:
    return _date(match["year"], month_number(match["month"]), int(match["day"]), now)


def week_of(match: re.Match[str], now: datetime) -> Interval:
    return _week(named_date(match, now).start)


def month_of_year(match: re.Match[str], now: datetime) -> Interval:
    return _months(int(match["year"]), month_number(match["month"]), now)


def month_alone(match: re.Match[str], now: datetime) -> Interval:
    month = month_number(match["month"])
    year = now.year if month <= now.month else now.year - 1
    if match["which"] == "last" and (year, month) == (now.year, now.month):
        year -= 1
    told = _months(year, month, now)
    return told if told.start < now else _months(year - 1, month, now)


def quarter(match: re.Match[str], now: datetime) -> Interval:
    first = 3 * int(match["quarter"]) - 2
    year = int(match["year"]) if match["year"] else now.year - (first > now.month)
    return _months(year, first, now, count=_QUARTER)


def season(match: re.Match[str], now: datetime) -> Interval:
    """Of the north; a winter belongs to the year in which it began."""
    first = SEASONS[match["season"]]
    if said := match.groupdict().get("year"):
        year = int(said)
    else:
        year = now.year if first <= now.month else now.year - 1
        over = _months(year, first, now, count=_QUARTER).stop <= now
        year -= match["which"] == "last" and not over
    return replace(_months(year, first, now, count=_QUARTER), strength=WIDE)


def year(match: re.Match[str], now: datetime) -> Interval:
    return _months(int(match["year"]), 1, now, count=12)


def near_day(match: re.Match[str], now: datetime) -> Interval:
    words = " ".join(match["day"].split())
    backs = {"the day before yesterday": 2, "yesterday": 1}
    return _day(now - DAY * next((backs[each] for each in backs if words.startswith(each)), 0))


def last_night(_: re.Match[str], now: datetime) -> Interval:
    """Yesterday, whose evening began earlier elsewhere, and this morning up to seven."""
    yesterday = _day(now - DAY)
    return replace(yesterday, stop=yesterday.stop + _NIGHT)


def weekday(match: re.Match[str], now: datetime) -> Interval:
    """The last such day; today counts only as "this", "on" or "since" it."""
    back = (now.weekday() - WEEKDAYS.index(match["weekday"])) % 7
    if back == 0 and match["which"] in ("last", "past", "previous"):
        back = 7
    return _day(now - back * DAY)


def day_of_month(match: re.Match[str], now: datetime) -> Interval:
    """The last such day of a month that is such a day of the week."""
    weekday, day = WEEKDAYS.index(match["weekday"]), int(match["day"])
    months = (_months(now.year, now.month - back, now).start for back in range(_MONTHS_BACK))
    days = (month + (day - 1) * DAY for month in months)
    such = (at for at in days if at.day == day and at.weekday() == weekday and at <= now)
    return _day(max(such))


_MONTHS_BACK = 24
"""Every day of a month has been every day of the week by then, but for the last few."""


def ago(match: re.Match[str], now: datetime) -> Interval:
    """A day ago is that day, a month ago a month around it: people round."""
    count, unit = _number(match["count"]), match["unit"]
    if unit in _LENGTHS:
        then, about = now - count * _LENGTHS[unit], _LENGTHS[unit]
        return Interval(then - about, then + about, EXACT)
    if unit in ("day", "night"):
        return _day(now - count * DAY)
    if unit in ("week", "fortnight"):
        return _week(now - count * (WEEK if unit == "week" else 2 * WEEK))
    months = count * (12 if unit == "year" else 1)
    at = _months(now.year, now.month - months, now)
    return replace(at, start=at.start - 15 * DAY * (count > 1), stop=at.stop, strength=ROUGH)


def half_ago(match: re.Match[str], now: datetime) -> Interval:
    """Half an hour ago, or half a year: the month of then, and what people round to it."""
    if match["unit"] == "hour":
        then, about = now - _LENGTHS["hour"] / 2, _LENGTHS["hour"] / 4
        return Interval(then - about, then + about, EXACT)
    at = _months(now.year, now.month - 6, now)
    return replace(at, start=at.start - 15 * DAY, strength=ROUGH)


def before_a_day(match: re.Match[str], now: datetime) -> Interval:
    """Days or weeks before yesterday, or another day near by."""
    back = _number(match["count"]) * (WEEK if match["unit"] == "week" else DAY)
    return _day(near_day(match, now).start - back)


def relative(match: re.Match[str], now: datetime) -> Interval:
    """The week, month, quarter, year or weekend that runs, or the one before it."""
    return _back(match["unit"], 0 if match["which"] == "this" else 1, now)


def the_weekend(match: re.Match[str], now: datetime) -> Interval:
    """The last that has begun, of a question that looks back: "on the weekend" may be any."""
    if match["which"] in ("on", "at") and not _LOOKING_BACK.search(match.string):
        raise ValueError
    return _back("weekend", 0 if now.weekday() >= WEEKDAYS.index("saturday") else 1, now)


def before_last(match: re.Match[str], now: datetime) -> Interval:
    return _back(match["unit"], 2, now)


def _back(unit: str, back: int, now: datetime) -> Interval:
    match unit:
        case "week":
            return _week(now - back * WEEK)
        case "weekend":
            saturday = _week(now - back * WEEK).start + 5 * DAY
            return _day(saturday, 2)
        case "month":
            return _months(now.year, now.month - back, now)
        case "quarter":
            first = now.month - (now.month - 1) % _QUARTER - back * _QUARTER
            return _months(now.year, first, now, count=_QUARTER)
        case _:
            return _months(now.year - back, 1, now, count=12)


def span(match: re.Match[str], now: datetime) -> Interval:
    """The last so many days, up to now."""
    days = {"day": 1, "week": 7, "month": 30, "year": 365}
    unit = match["unit"]
    length = _LENGTHS[unit] if unit in _LENGTHS else days[unit] * DAY
    return Interval(now - _number(match["count"]) * length, now, ROUGH)


def lately(_: re.Match[str], now: datetime) -> Interval:
    return Interval(now - 2 * WEEK, now, VAGUE)

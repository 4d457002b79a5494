"""
What people call a time by, one rule for each form: "yesterday", "in May", "two weeks ago".

Rules instead of a library: resolving is part of understanding memory, so a reader should see what
"last Friday" means here. What has no year lies in the past: "in May" is the May that began last.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta

from app.text.intervals import EXACT, ROUGH, VAGUE, WIDE, Interval

MONTHS = (
    "january february march april may june july august september october november december"
).split()
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_COUNTS = {"a couple of": 2, "a few": 3, "couple of": 2, "few": 3, "several": 4, "an": 1, "a": 1}
_SEASONS = {"winter": 12, "spring": 3, "summer": 6, "autumn": 9, "fall": 9}

DAY = timedelta(days=1)
WEEK = timedelta(days=7)
_LENGTHS = {"hour": timedelta(hours=1), "minute": timedelta(minutes=1)}
_QUARTER = 3

Resolve = Callable[[re.Match[str], datetime], Interval]


def resolved(resolve: Resolve, match: re.Match[str], now: datetime) -> Interval | None:
    """What the rule makes of it, moved by a "since", "after" or "before"; None: no such time."""
    try:
        return _moved(resolve(match, now), match.groupdict().get("edge"), now)
    except (ValueError, OverflowError):
        return None


def _moved(interval: Interval, edge: str | None, now: datetime) -> Interval:
    match edge:
        case "since":
            return replace(interval, stop=now)
        case "after":
            return Interval(interval.stop, now, interval.strength)
        case "before" | "until":
            year = timedelta(days=365)
            return Interval(interval.start - year, interval.start, min(interval.strength, WIDE))
        case _:
            return interval


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
    if words in _COUNTS:
        return _COUNTS[words]
    return int(words) if words.isdigit() else _NUMBERS.index(words)


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


def _iso_date(match: re.Match[str], now: datetime) -> Interval:
    return _date(match["year"], int(match["month"]), int(match["day"]), now)


def _named_date(match: re.Match[str], now: datetime) -> Interval:
    return _date(match["year"], month_number(match["month"]), int(match["day"]), now)


def _week_of(match: re.Match[str], now: datetime) -> Interval:
    return _week(_named_date(match, now).start)


def _month_of_year(match: re.Match[str], now: datetime) -> Interval:
    return _months(int(match["year"]), month_number(match["month"]), now)


def _month_alone(match: re.Match[str], now: datetime) -> Interval:
    month = month_number(match["month"])
    year = now.year if month <= now.month else now.year - 1
    if match["which"] == "last" and (year, month) == (now.year, now.month):
        year -= 1
    told = _months(year, month, now)
    return told if told.start < now else _months(year - 1, month, now)


def _quarter(match: re.Match[str], now: datetime) -> Interval:
    first = 3 * int(match["quarter"]) - 2
    year = int(match["year"]) if match["year"] else now.year - (first > now.month)
    return _months(year, first, now, count=_QUARTER)


def _season(match: re.Match[str], now: datetime) -> Interval:
    """Of the north; a winter belongs to the year in which it began."""
    first = _SEASONS[match["season"]]
    if said := match.groupdict().get("year"):
        year = int(said)
    else:
        year = now.year if first <= now.month else now.year - 1
        over = _months(year, first, now, count=_QUARTER).stop <= now
        year -= match["which"] == "last" and not over
    return replace(_months(year, first, now, count=_QUARTER), strength=WIDE)


def _year(match: re.Match[str], now: datetime) -> Interval:
    return _months(int(match["year"]), 1, now, count=12)


def _near_day(match: re.Match[str], now: datetime) -> Interval:
    words = " ".join(match["day"].split())
    backs = {"the day before yesterday": 2, "yesterday": 1, "last night": 1}
    return _day(now - DAY * next((backs[each] for each in backs if words.startswith(each)), 0))


def _weekday(match: re.Match[str], now: datetime) -> Interval:
    """The last such day; today counts only as "this", "on" or "since" it."""
    back = (now.weekday() - WEEKDAYS.index(match["weekday"])) % 7
    if back == 0 and match["which"] in ("last", "past", "previous"):
        back = 7
    return _day(now - back * DAY)


def _ago(match: re.Match[str], now: datetime) -> Interval:
    """A day ago is that day, a month ago a month around it: people round."""
    count, unit = _number(match["count"]), match["unit"]
    if unit in _LENGTHS:
        then, about = now - count * _LENGTHS[unit], _LENGTHS[unit]
        return Interval(then - about, then + about, EXACT)
    if unit == "day":
        return _day(now - count * DAY)
    if unit == "week":
        return _week(now - count * WEEK)
    months = count * (12 if unit == "year" else 1)
    at = _months(now.year, now.month - months, now)
    return replace(at, start=at.start - 15 * DAY * (count > 1), stop=at.stop, strength=ROUGH)


def _before_a_day(match: re.Match[str], now: datetime) -> Interval:
    """Days or weeks before yesterday, or another day near by."""
    back = _number(match["count"]) * (WEEK if match["unit"] == "week" else DAY)
    return _day(_near_day(match, now).start - back)


def _relative(match: re.Match[str], now: datetime) -> Interval:
    """The week, month, quarter, year or weekend that runs, or the one before it."""
    return _back(match["unit"], 0 if match["which"] == "this" else 1, now)


def _the_weekend(match: re.Match[str], now: datetime) -> Interval:
    """The last that has begun, of a question that looks back: "on the weekend" may be any."""
    if match["which"] in ("on", "at") and not _LOOKING_BACK.search(match.string):
        raise ValueError
    return _back("weekend", 0 if now.weekday() >= WEEKDAYS.index("saturday") else 1, now)


def _before_last(match: re.Match[str], now: datetime) -> Interval:
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


def _span(match: re.Match[str], now: datetime) -> Interval:
    """The last so many days, up to now."""
    days = {"day": 1, "week": 7, "month": 30, "year": 365}
    unit = match["unit"]
    length = _LENGTHS[unit] if unit in _LENGTHS else days[unit] * DAY
    return Interval(now - _number(match["count"]) * length, now, ROUGH)


def _lately(_: re.Match[str], now: datetime) -> Interval:
    return Interval(now - 2 * WEEK, now, VAGUE)


_EDGE = r"(?:(?P<edge>since|after|before|until) )?"
_FULL_MONTH = "(?P<month>" + "|".join(MONTHS) + ")"
SHORT_MONTHS = "|".join([*(month[:3] for month in MONTHS), "sept"])
_MONTH = _FULL_MONTH[:-1] + f"|{SHORT_MONTHS})"
# "What may 5 people do" has no date in it; \x20 stays one blank, as a lookbehind must.
_ASKED = "what who which that there i you we they he she it one anybody".split()
_MAY_BE = "".join(rf"(?<!\b{word}\x20)" for word in _ASKED)
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(_NUMBERS[1:])}|{'|'.join(_COUNTS)})"
_UNIT = r"(?P<unit>minute|hour|day|week|month|year)s?"
_SEASON = f"(?P<season>{'|'.join(_SEASONS)})"
_NEAR_DAY = (
    "the day before yesterday|yesterday(?: (?:morning|afternoon|evening))?|last night|today|tonight"
    "|this (?:morning|afternoon|evening)"
)
_LATELY = "recently|lately|the other day|these days"
_PERIOD = "(?P<unit>week|weekend|month|quarter|year)"
_SUMMING_UP = (
    *("summarise", "summarize", "recap", "sum up", "how was", "how's"),
    *("summary for", "recap for", "review for"),
)
_SUMMED_UP = "|".join(f"(?<={each} )" for each in _SUMMING_UP).replace(" ", r"\x20")
_WEEKEND = "(?P<which>over|during|was|of|on|at) (?:the|my|our) weekend"
_LOOKING_BACK = re.compile(r"\b(?:did|was|were|had|have|has|\w\w+ed|went|said|told)\b")
_BEFORE_WEEKDAY = "last|this|on|past|previous"

_PATTERNS: Sequence[tuple[str, Resolve]] = [
    (rf"{_EDGE}{_YEAR}-(?P<month>\d\d)-(?P<day>\d\d)", _iso_date),
    (rf"(?:the )?week of (?:the )?{_DAY}(?: of)? {_MONTH}\.?(?:,? {_YEAR})?", _week_of),
    (rf"(?:the )?week of {_MONTH}\.? {_DAY}(?:,? {_YEAR})?", _week_of),
    (rf"{_EDGE}(?:the )?{_DAY}(?: of)? {_MONTH}\.?(?:,? {_YEAR})?", _named_date),
    (rf"{_EDGE}{_MAY_BE}{_MONTH}\.? {_DAY}(?![:\d])(?:,? {_YEAR})?", _named_date),
    (rf"{_EDGE}{_MONTH}\.?,?(?: of)? {_YEAR}", _month_of_year),
    (rf"{_EDGE}q(?P<quarter>[1-4])(?: (?:of )?{_YEAR})?", _quarter),
    (rf"(?:(?P<which>last|this|in|during|over) )?(?:the )?{_SEASON}(?: of)? {_YEAR}", _season),
    (rf"(?P<which>last|this|in|during|over) (?:the )?{_SEASON}", _season),
    (rf"{_EDGE}{_COUNT} {_UNIT} ago", _ago),
    (rf"(?:in |over |during )?the (?:last|past) {_COUNT} {_UNIT}", _span),
    (rf"(?:last|past) {_COUNT} {_UNIT}", _span),
    (rf"{_EDGE}the {_PERIOD} before last", _before_last),
    (rf"{_EDGE}(?P<which>last|this|past|previous) {_PERIOD}", _relative),
    (_WEEKEND, _the_weekend),
    (rf"{_COUNT} (?P<unit>day|week)s? before (?P<day>{_NEAR_DAY})", _before_a_day),
    (rf"{_EDGE}(?P<day>{_NEAR_DAY})", _near_day),
    (rf"(?P<edge>since) (?P<which>)(?P<weekday>{'|'.join(WEEKDAYS)})", _weekday),
    (rf"(?P<which>{_BEFORE_WEEKDAY}) (?P<weekday>{'|'.join(WEEKDAYS)})", _weekday),
    (rf"(?P<which>in|during|last|this|early|late|mid|of) {_FULL_MONTH}", _month_alone),
    (rf"(?P<which>in|during|early|late|mid) (?P<month>{SHORT_MONTHS})", _month_alone),
    (rf"(?P<edge>since|before|until|after) (?P<which>){_FULL_MONTH}", _month_alone),
    (rf"(?:{_SUMMED_UP})(?P<which>){_FULL_MONTH}", _month_alone),
    (rf"(?:in|during|of|throughout|(?P<edge>since|before|until|after)) {_YEAR}", _year),
    (rf"{_EDGE}the year {_YEAR}", _year),
    (rf"(?:{_SUMMED_UP}){_YEAR}", _year),
    (rf"{_YEAR}(?= in review)", _year),
    (_LATELY, _lately),
]
RULES = [
    (re.compile(rf"\b(?:{pattern})\b".replace(" ", r"\s+")), resolve)
    for pattern, resolve in _PATTERNS
]
_NAMES = "|".join([*MONTHS, *WEEKDAYS, *_SEASONS])
HINT = re.compile(
    rf"\d|ago|last|past|this|since|day|weekend|night|recently|lately|{_NAMES}"
    rf"|\b(?:{SHORT_MONTHS})\b"
)
"""Without any of these no rule matches; most queries have none."""

"""
Days, weeks, months and years, which nest: each lies inside of one of the next.

A week ends with its Sunday or with the month, whichever is first. All of it is UTC.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import IntEnum

_DAY = timedelta(days=1)
SUBJECTS = "summary|"
"""How subjects of summaries begin; of those that are in no conversation, all that are a period."""


class Period(IntEnum):
    """The smaller ones first."""

    DAY = 1
    WEEK = 2
    MONTH = 3
    YEAR = 4

    @property
    def told(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One period: [begins, until), both midnights in UTC; the last one ends with time itself."""

    period: Period
    begins: datetime
    until: datetime

    @property
    def subject(self) -> str:
        """What its summary is about: of each there is one."""
        return f"{SUBJECTS}{self.period.told}|{self.begins.date().isoformat()}"

    def told(self) -> dict[str, str]:
        """Which one it is, in JSON."""
        return {
            "period": self.period.told,
            "from": self.begins.isoformat(),
            "until": self.until.isoformat(),
        }

    @property
    def above(self) -> "Span | None":
        """The next larger one, in which it lies."""
        if self.period is Period.YEAR:
            return None
        return span_of(Period(self.period + 1), self.begins)

    def inside(self) -> "Iterator[Span]":
        """All smaller ones in it, each once."""
        first, last = self.begins.toordinal(), (self.until - timedelta.resolution).toordinal()
        days = (_midnight(date.fromordinal(each)) for each in range(first, last + 1))
        smaller = {each for day in days for each in spans_of(day) if each.period < self.period}
        yield from sorted(smaller, key=lambda each: (each.period, each.begins))

    def below(self) -> "Sequence[Span]":
        """The next smaller ones in it, in order; none in a day."""
        if self.period is Period.DAY:
            return ()
        smaller, inside = Period(self.period - 1), list[Span]()
        begins = self.begins
        while begins < self.until:
            inside.append(span_of(smaller, begins))
            begins = inside[-1].until
        return inside

    def covers(self, other: "Span") -> bool:
        return self.begins <= other.begins and other.until <= self.until


def span_of(period: Period, moment: datetime) -> Span:
    """The day, week, month or year in which an aware moment lies."""
    day = moment.astimezone(UTC).date()
    first, last = _bounds(period, day)
    return Span(period=period, begins=_midnight(first), until=_after(last))


def spans_of(moment: datetime) -> list[Span]:
    """All that a moment lies in, the smallest first."""
    return [span_of(period, moment) for period in Period]


def span_about(subject: str | None) -> Span | None:
    """The span of a subject; None: it is about none."""
    match (subject or "").split("|"):
        case ["summary", name, day] if name.upper() in Period.__members__:
            try:
                begins = date.fromisoformat(day)
            except ValueError:
                return None
            return span_of(Period[name.upper()], _midnight(begins))
    return None


MOST = 40
"""Periods that make up a time: a month has 31 days, six weeks and itself."""

_SLACK = timedelta(hours=12)
"""By which a day of somebody's own may lie beside one of UTC."""


def making_up(start: datetime, stop: datetime) -> Sequence[Span]:
    """
    The periods that make up [start, stop), coarse ones before finer ones, at most MOST.

    Periods inside of another one are there as well while all of their kind are few enough: a month
    as such, by its weeks and by its days, a year by months too, ten years as such, and the rest at
    both ends by what is finer. A period may reach over an edge by half a day, so that a day
    elsewhere on earth is one here. A time of less than half a day has none.
    """
    start = max(start, _FIRST)
    if stop - start < _SLACK:
        return ()
    level = _years(start, min(stop, _LAST) - timedelta.resolution)
    told: list[Span] = []
    while level:
        inside = [each for each in level if _lies(each, start, stop)]
        partly = [each for each in level if not _lies(each, start, stop)]
        told += inside[max(0, len(inside) - MOST + len(told)) :]
        finer = [one for each in level for one in each.below()]
        if len(told) + len(finer) > MOST:
            finer = [one for each in partly for one in each.below()]
        level = [one for one in finer if one.begins < stop and start < one.until]
    return told


_FIRST, _LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


def _years(start: datetime, last: datetime) -> Sequence[Span]:
    """The last MOST that a time touches, and the one before."""
    first, latest = start.astimezone(UTC).year, last.astimezone(UTC).year
    days = (date(year, 1, 1) for year in range(max(first, latest - MOST), latest + 1))
    return [span_of(Period.YEAR, _midnight(day)) for day in days]


def _lies(span: Span, start: datetime, stop: datetime) -> bool:
    return start - span.begins <= _SLACK and span.until - stop <= _SLACK


def _bounds(period: Period, day: date) -> tuple[date, date]:
    """The first and the last day."""
    match period:
        case Period.DAY:
            return day, day
        case Period.WEEK:
            first, last = _bounds(Period.MONTH, day)
            monday = max(first.toordinal(), day.toordinal() - day.weekday())
            sunday = min(last.toordinal(), day.toordinal() + 6 - day.weekday())
            return date.fromordinal(monday), date.fromordinal(sunday)
        case Period.MONTH:
            return day.replace(day=1), _end_of_month(day)
        case Period.YEAR:
            return day.replace(month=1, day=1), day.replace(month=12, day=31)


def _end_of_month(day: date) -> date:
    if day.month == 12:
        return day.replace(day=31)
    return day.replace(month=day.month + 1, day=1) - _DAY


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _after(day: date) -> datetime:
    return datetime.max.replace(tzinfo=UTC) if day == date.max else _midnight(day + _DAY)

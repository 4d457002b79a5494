"""
Time expressions of a query as intervals: "yesterday", "in May", "between 5 March and 2 April".

What was understood is taken out of the text, so that "5 March 2023" is not 2023 as well.
"""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from app.text.intervals import EXACT, ROUGH, WIDE, Interval, Timed
from app.text.moments import MONTHS, WEEKDAYS, month_number
from app.text.time_rules import HINT, RULES, SHORT_MONTHS, resolved

MAX_CHARACTERS = 2_000
"""Of a query; what follows is not looked at."""


def intervals_of(query: str, now: datetime) -> Sequence[Interval]:
    """The times that `query` speaks of, seen from `now`: ranges, then in the order of the rules."""
    return timed(query, now).intervals


def timed(query: str, now: datetime) -> Timed:
    """
    The same, and what is left of `query` without them.

    What lies ahead of `now` is left out: nothing was said there yet.
    """
    text = query[:MAX_CHARACTERS].casefold()
    if not HINT.search(text):
        return Timed(intervals=[], rest=text)
    ranges = _ranges(text, now)
    alone = _by_rules(ranges.rest, now)
    return Timed(intervals=[*ranges.intervals, *alone.intervals], rest=alone.rest)


def _by_rules(text: str, now: datetime) -> Timed:
    found = list[Interval]()
    for rule, resolve in RULES:
        matches = list(rule.finditer(text))
        for interval in (resolved(resolve, match, now) for match in matches):
            if interval is not None and interval.start < min(interval.stop, now):
                found.append(interval)
        if matches:
            text = rule.sub(_blank, text)
    return Timed(intervals=found, rest=text)


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _ranges(text: str, now: datetime) -> Timed:
    """What stands between two times; what does not follow each other is left to the rules."""
    found = list[Interval]()

    def taken(match: re.Match[str]) -> str:
        interval = _between(match["first"], match["last"], now)
        if interval is None:
            return match[0]
        found.append(interval)
        return _blank(match)

    return Timed(rest=_RANGE.sub(taken, text), intervals=found)


def _between(first: str, last: str, now: datetime) -> Interval | None:
    """From the beginning of `first` to the end of `last`, or to `now` where that has yet to end."""
    first, last = _completed(first, last)
    begin, stop = _point(first, now), now
    if last != _NOW:
        end = _point(last, now)
        if begin is None or end is None:
            return None
        if end.start >= begin.start:
            stop = end.stop
        elif _YEAR_NAMED.search(last):
            return None
    if begin is None:
        return None
    return Interval(begin.start, stop, _strength(stop - begin.start))


def _completed(first: str, last: str) -> tuple[str, str]:
    """With the month and the year that only the other one names: "5 to 10 May 2023"."""
    if _ONLY_DAY.fullmatch(first) and (month := _MONTH_NAMED.search(last)):
        first = f"{first} {month[0]}"
    if (only := _ONLY_DAY.fullmatch(last)) and (month := _MONTH_NAMED.search(first)):
        last = f"{only['day']} {month[0]}{only['year'] or ''}"
    if (year := _YEAR_NAMED.search(last)) and not _YEAR_NAMED.search(first):
        turned = _month_in(first) > _month_in(last)
        first = f"{first} {int(year[0]) - turned}"
    return first, last


def _month_in(said: str) -> int:
    """From 1 to 12; 0 where none is named."""
    named = _MONTH_NAMED.search(said)
    return month_number(named[0]) if named else 0


def _point(said: str, now: datetime) -> Interval | None:
    """The time that `said` is from end to end."""
    for leading in ("", "on ", "in "):
        understood = _by_rules(leading + said, now)
        if understood.intervals and not understood.rest.strip():
            return understood.intervals[0]
    return None


def _strength(length: timedelta) -> float:
    if length <= _SOME_DAYS:
        return EXACT
    return ROUGH if length <= _A_QUARTER else WIDE


_SOME_DAYS, _A_QUARTER = timedelta(days=4), timedelta(days=92)

_YEAR_NAMED = re.compile(r"\b(?:19|20)\d\d\b")
_MONTH = rf"(?:{'|'.join(MONTHS)}|{SHORT_MONTHS})\b\.?"
_MONTH_NAMED = re.compile(rf"\b{_MONTH}")
_DAY = r"\d{1,2}(?:st|nd|rd|th)?\b"
_YEAR = rf"(?:,?\s+{_YEAR_NAMED.pattern})?"
_ONLY_DAY = re.compile(rf"(?P<day>{_DAY})(?P<year>{_YEAR})")
_NOW = "now"
_POINT = "|".join(
    (
        r"\d{4}-\d\d-\d\d",
        rf"{_DAY}(?:\s+of)?\s+{_MONTH}{_YEAR}",
        rf"{_MONTH}\s+{_DAY}{_YEAR}",
        rf"{_MONTH}{_YEAR}",
        *(rf"{_DAY}{_YEAR}", _YEAR_NAMED.pattern, *WEEKDAYS, "yesterday", "today", _NOW),
    )
)
_RANGE = re.compile(
    rf"\b(?:between|from)\s+(?:the\s+)?(?P<first>{_POINT})\s+"
    rf"(?:and|to|up\s+to|until|till|through)\s+(?:the\s+)?(?P<last>{_POINT})(?!\w)"
)

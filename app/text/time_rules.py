"""
What people call a time by, one rule for each form: "yesterday", "in May", "two weeks ago".

Rules instead of a library: resolving is part of understanding memory, so a reader should see what
"last Friday" means here (`moments.py`).
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from app.text import moments
from app.text.intervals import WIDE, Interval
from app.text.moments import COUNTS, MONTHS, NUMBERS, SEASONS, WEEKDAYS

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


_EDGE = r"(?:(?P<edge>since|after|before|until) )?"
_FULL_MONTH = "(?P<month>" + "|".join(MONTHS) + ")"
SHORT_MONTHS = "|".join([*(month[:3] for month in MONTHS), "sept"])
_MONTH = _FULL_MONTH[:-1] + f"|{SHORT_MONTHS})"
# "What may 5 people do" has no date in it; \x20 stays one blank, as a lookbehind must.
_ASKED = "what who which that there i you we they he she it one anybody".split()
_MAY_BE = "".join(rf"(?<!\b{word}\x20)" for word in _ASKED)
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_NTH = r"(?P<day>\d{1,2})(?:st|nd|rd|th)"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(NUMBERS[1:])}|{'|'.join(COUNTS)})"
_UNIT = r"(?P<unit>minute|hour|day|week|month|year)s?"
_SEASON = f"(?P<season>{'|'.join(SEASONS)})"
_NEAR_DAY = (
    "the day before yesterday|yesterday(?: (?:morning|afternoon|evening))?|today|tonight"
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
_BEFORE_WEEKDAY = "last|this|on|past|previous"

_PATTERNS: Sequence[tuple[str, Resolve]] = [
    (rf"{_EDGE}{_YEAR}-(?P<month>\d\d)-(?P<day>\d\d)", moments.iso_date),
    (rf"{_EDGE}(?P<day>\d{{1,2}})\.(?P<month>\d{{1,2}})\.{_YEAR}", moments.iso_date),
    (rf"(?:the )?week of (?:the )?{_DAY}(?: of)? {_MONTH}\.?(?:,? {_YEAR})?", moments.week_of),
    (rf"(?:the )?week of {_MONTH}\.? {_DAY}(?:,? {_YEAR})?", moments.week_of),
    (rf"{_EDGE}(?:the )?{_DAY}(?: of)? {_MONTH}\.?(?:,? {_YEAR})?", moments.named_date),
    (rf"{_EDGE}{_MAY_BE}{_MONTH}\.? {_DAY}(?![:\d])(?:,? {_YEAR})?", moments.named_date),
    (rf"{_EDGE}{_MONTH}\.?,?(?: of)? {_YEAR}", moments.month_of_year),
    (rf"{_EDGE}q(?P<quarter>[1-4])(?: (?:of )?{_YEAR})?", moments.quarter),
    (
        rf"(?:(?P<which>last|this|in|during|over) )?(?:the )?{_SEASON}(?: of)? {_YEAR}",
        moments.season,
    ),
    (rf"(?P<which>last|this|in|during|over) (?:the )?{_SEASON}", moments.season),
    (rf"{_EDGE}half an? (?P<unit>hour|year) (?:ago|back)", moments.half_ago),
    (
        rf"{_EDGE}{_COUNT} (?P<unit>minute|hour|day|night|week|fortnight|month|year)s? ago",
        moments.ago,
    ),
    (rf"{_EDGE}{_COUNT} {_UNIT} back", moments.ago),
    (rf"(?:in |over |during )?the (?:last|past) {_COUNT} {_UNIT}", moments.span),
    (rf"(?:last|past) {_COUNT} {_UNIT}", moments.span),
    (rf"{_EDGE}the {_PERIOD} before last", moments.before_last),
    (rf"{_EDGE}(?P<which>last|this|past|previous) {_PERIOD}", moments.relative),
    (_WEEKEND, moments.the_weekend),
    (rf"{_COUNT} (?P<unit>day|week)s? before (?P<day>{_NEAR_DAY})", moments.before_a_day),
    (rf"{_EDGE}(?P<day>{_NEAR_DAY})", moments.near_day),
    (rf"{_EDGE}last night", moments.last_night),
    (rf"(?:on )?(?P<weekday>{'|'.join(WEEKDAYS)}),? the {_NTH}", moments.day_of_month),
    (rf"(?P<edge>since) (?P<which>)(?P<weekday>{'|'.join(WEEKDAYS)})", moments.weekday),
    (rf"(?P<which>{_BEFORE_WEEKDAY}) (?P<weekday>{'|'.join(WEEKDAYS)})", moments.weekday),
    (rf"(?P<which>in|during|last|this|early|late|mid|of) {_FULL_MONTH}", moments.month_alone),
    (rf"(?P<which>in|during|early|late|mid) (?P<month>{SHORT_MONTHS})", moments.month_alone),
    (rf"(?P<edge>since|before|until|after) (?P<which>){_FULL_MONTH}", moments.month_alone),
    (rf"(?:{_SUMMED_UP})(?P<which>){_FULL_MONTH}", moments.month_alone),
    (rf"(?:in|during|of|throughout|(?P<edge>since|before|until|after)) {_YEAR}", moments.year),
    (rf"{_EDGE}the year {_YEAR}", moments.year),
    (rf"(?:{_SUMMED_UP}){_YEAR}", moments.year),
    (rf"{_YEAR}(?= in review)", moments.year),
    (_LATELY, moments.lately),
]
RULES = [
    (re.compile(rf"\b(?:{pattern})\b".replace(" ", r"\s+")), resolve)
    for pattern, resolve in _PATTERNS
]
_NAMES = "|".join([*MONTHS, *WEEKDAYS, *SEASONS])
HINT = re.compile(
    rf"\d|ago|back|last|past|this|since|day|weekend|night|recently|lately|{_NAMES}"
    rf"|\b(?:{SHORT_MONTHS})\b"
)
"""Without any of these no rule matches; most queries have none."""

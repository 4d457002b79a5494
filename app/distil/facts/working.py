"""Whom one works for, by the first or the last day there: "Today was my first day at Bosch"."""

import re

from app.distil.facts.fact import Tense
from app.distil.facts.firms import firm
from app.distil.facts.statement import Statement
from app.distil.facts.values import ENDS_PHRASE

_WEEKDAY = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_LATELY = (
    rf"(?:today|yesterday|this\s+morning|(?:last|this)\s+(?:week|{_WEEKDAY})|(?:on\s+)?{_WEEKDAY})"
)
_DAY = r"day(?:\s+(?:of\s+work|on\s+the\s+job|working))?\s+(?:at|with|for)\s+"
_KIND = r"(?:(?:working|full|official|actual)\s+)?"
_FIRST, _LAST = (
    rf"(?:very\s+)?first\s+{_KIND}{_DAY}",
    rf"(?:very\s+)?(?:last|final)\s+{_KIND}{_DAY}",
)
_NOW_IS = r"(?:today|it)(?:'s|\s+is)|today\s+(?:was|marks|marked)"
_WAS = rf"(?:yesterday|(?:last\s+)?{_WEEKDAY})\s+was"
_DONE = r"I(?:'ve|\s+have)?\s+(?:just\s+)?(?:had|finished|completed|survived)"
_JUST_DONE = r"I(?:'ve|\s+have)?\s+just\s+(?:had|finished|completed|survived)"
_BEGUN = re.compile(rf"(?:{_NOW_IS}|{_WAS}|{_JUST_DONE})\s+my\s+{_FIRST}", re.IGNORECASE)
_BEGUN_LATELY = re.compile(rf"(?:(?:{_DONE}\s+)?my\s+)?{_FIRST}", re.IGNORECASE)
_OVER = re.compile(rf"(?:{_NOW_IS}|{_WAS}|(?:it|that)\s+was|{_DONE})\s+my\s+{_LAST}", re.IGNORECASE)
_OVER_LATELY = re.compile(rf"(?:my\s+)?{_LAST}", re.IGNORECASE)
_WHEN = re.compile(
    rf"\s+(?:(?:was|is(?=\s+today))\s+)?{_LATELY}(?:\s+(?:was|went)\s+\w+)?\s*(?:\Z|[,.;!(]|\s+and\s)",
    re.IGNORECASE,
)
_WAS_OVER = re.compile(
    r"\s+was\s+(?!(?:not|never|supposed|meant|going|due|to|almost|nearly|planned)\b)", re.IGNORECASE
)
_LATER = re.compile(
    rf"\s+(?:tomorrow|next|on|in|this\s+(?:coming\s+)?{_WEEKDAY}|{_WEEKDAY})\b", re.IGNORECASE
)
_CONFIDENCE = 0.85


def day_at_work(clause: str) -> Statement | None:
    """That one works for somebody since a first day that is over, or no more since a last one."""
    if name := _named(clause, _BEGUN, None) or _named(clause, _BEGUN_LATELY, _WHEN):
        return _works_at(name, Tense.NOW)
    over = _named(clause, _OVER, None) or _named(clause, _OVER_LATELY, _WHEN)
    over = over or _named(clause, _OVER_LATELY, _WAS_OVER)
    return _works_at(over, Tense.PAST) if over else None


def _named(clause: str, told: re.Pattern[str], behind: re.Pattern[str] | None) -> str | None:
    """The firm that follows `told`, with `behind` at its end, or else with nothing to come."""
    found = told.match(clause)
    name = firm(clause[found.end() :]) if found else None
    if found is None or name is None:
        return None
    stop = found.end() + len(name)
    if behind is not None:
        return name if behind.match(clause, stop) else None
    return name if ENDS_PHRASE.match(clause, stop) and not _LATER.match(clause, stop) else None


def _works_at(name: str, tense: Tense) -> Statement:
    return Statement(
        subject=None, attribute="works_at", value=name, confidence=_CONFIDENCE, tense=tense
    )

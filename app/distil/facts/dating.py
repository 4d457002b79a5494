"""Since when, or until when, a clause says that something holds."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from app.distil.facts.fact import Tense
from app.distil.facts.meaning import Stretch
from app.distil.facts.statement import Statement
from app.text.intervals import Interval
from app.text.times import intervals_of

_NOT_FROM_THEN = re.compile(
    r"\b(?:before|by|next|tomorrow|starting|beginning|until|till|due)\b", re.IGNORECASE
)
_WHEN = re.compile(
    r"\W*(?:since|in|on|last|this|about|around|back|early|late|from|after|yesterday"
    r"|today|recently|lately|now|a|an|one|two|three|four|five|six|\d+|(?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_SINCE = re.compile(r"\bsince\s+\Z", re.IGNORECASE)
_LOOKED_BACK = 8
_CORRECTS = re.compile(
    r"\W*(?:(?:oh|oops|sorry|no|wait|a|one|quick|small)\W+){0,3}"
    r"(?:correction|I was wrong|I misspoke|my mistake|scratch that)\b",
    re.IGNORECASE,
)
_HAS_ENDED = re.compile(
    r"\W*(?:\w+\W+){0,3}?(?:moved|relocated|joined|started)\b"
    r"(?:(?!\b(?:moved|relocated|joined|started|works?|lives?)\b).)*?(?:,|\band|\bbut|\bthen)"
    r"\s+(?:then\s+)?(?:(?:I|we)\s+)?(?:have\s+)?"
    r"(?:left|quit|returned|(?:moved|came|went)\s+(?:back|away|out))(?:\s+again)?"
    r"(?=\s+(?:home|to\s+[A-Z]|in\s|after\s|last\s|on\s)|\s*(?:[.,;!]|\Z))"
)
_STAYS = frozenset({"lives_in", "works_at"})


def told_around(plain: str, places: Sequence[Stretch], at: int) -> Stretch:
    """
    From where to where the words tell the time of the clause at one of `places`.

    "In May, I moved to Porto, after a year in Rome, …": its own, what leads to it, and what goes on
    about when; not what else its sentence says.
    """
    stop = places[at][1]
    begin = places[at - 1][1] if at else 0
    if at and _WHEN.match(plain, *places[at - 1]):
        begin = places[at - 1][0]
    for follows, ends in places[at + 1 :]:
        since = _SINCE.search(plain[max(0, follows - _LOOKED_BACK) : follows])
        if not since and not _WHEN.match(plain, follows, ends):
            break
        stop = ends
    return begin, stop


def times_in(told: str, said_at: datetime) -> Sequence[Interval]:
    return () if _NOT_FROM_THEN.search(told) else intervals_of(told, said_at)


def corrects(plain: str) -> bool:
    """Whether a sentence holds against what was said before, whenever that began which is right."""
    return bool(_CORRECTS.match(plain))


def as_ended(stated: Statement, told: str) -> Statement:
    """What is over by the end of its sentence, as such: "I moved to Rome, but came back"."""
    stays = stated.attribute in _STAYS and stated.tense is Tense.NOW and stated.positive
    over = stays and _HAS_ENDED.match(told)
    return replace(stated, tense=Tense.PAST) if over else stated


def validity(
    tense: Tense, times: Sequence[Interval], said_at: datetime
) -> tuple[datetime | None, datetime | None]:
    """
    As far as the one time that is named tells; a plan holds from no known time on.

    When in "this month" it began is not told: it may be after all that was said in it.
    """
    time = times[0] if len(times) == 1 else None
    match tense:
        case Tense.PLANNED:
            return None, None
        case Tense.PAST:
            return None, min(time.stop, said_at) if time else said_at
        case Tense.NOW:
            return (time.start if time and time.stop <= said_at else said_at), None

"""A fact, and what a newer one does to it."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from app.distil.facts.counting import has_any_of, is_counted_no_more, outnumbers
from app.distil.facts.eating import is_ruled_out
from app.distil.facts.regions import is_same_place
from app.distil.facts.tools import parted
from app.distil.facts.values import normal
from app.distil.language.lexicon import MEASURES, TOOL_KINDS

_ONE_AT_A_TIME = (
    frozenset(
        """name called age birthday from lives_in works_at job married_to diet email phone timezone
        pronouns""".split()
    )
    | TOOL_KINDS
    | MEASURES
)
_SEVERAL = frozenset(
    """likes dislikes prefers eats drinks allergic_to speaks plays has studies rule uses
    decision does collects teaches works_in works_on volunteers_at runs condition visited plans
    member_of fears goal""".split()
)
BY_VALUE = _SEVERAL - {"has", "uses", "visited"}
"""
Of these a fact bears on none of another value, unless one came instead of the other: nothing is
counted, no region holds another, no tool has a kind.
"""

ATTRIBUTES = _ONE_AT_A_TIME | _SEVERAL
"""What facts are about."""

OF_EACH = frozenset({"lives_in"})
"""What holds of who says it of "us": it ends where they lived alone."""

_OF_LATE = timedelta(days=400)
"""
What began so long before something else was said is no tale of former times beside it: a year, and
as much as a season that is named begins before.
"""

_GOES_ON = re.compile(
    r"\bsince\b(?!\s+(?:I|my|we|our|he|his|she|her|they|their|it|its|the|there|that)\b)"
    r"|\b(?:has|have|'ve)\s+(?:\w+\s+)?(?:been|lived|resided|worked)\b"
)
"""What is told so holds by now, however long ago it began."""

_FOR_A_WHILE = re.compile(
    r"\b(?:moved|relocated|joined|started|took|got)\b.{0,80}\sfor\s+(?:an?|the|two|three|four|five|six"
    r"|several|\d+)\s+(?:\w+\s+)?(?:days?|weeks?|months?|years?|semesters?|summer|winter)\b"
)
"""Who moved somewhere "for two months" in May may be back."""

_CHOICES = TOOL_KINDS | {"uses", "decision"}
_PLACES = frozenset({"lives_in", "from", "visited"})
_OPPOSITES = frozenset({("likes", "dislikes"), ("dislikes", "likes")})


class Tense(StrEnum):
    """When a fact holds: from what it says until another one, no more, or perhaps some day."""

    NOW = "now"
    PAST = "past"
    PLANNED = "planned"


class Bearing(StrEnum):
    """What a newer fact does to an older one."""

    SUPERSEDES = "supersedes"
    REPEATS = "repeats"
    STANDS_BESIDE = "stands beside"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """
    A durable statement: "Alice", "lives_in", "Lisbon".

    `text` is what is embedded, the statement as it was made, its speaker named. `start` and `stop`
    are its place in the message, in code points. `confidence` lies above 0, up to 1. `against` is
    what the value came instead of. Of an attribute that is `single` one positive value holds at a
    time; mere use of a tool ends no other's. `valid_from` and `valid_to` are as far as the words
    tell; `said_at` stands in for them.
    """

    subject: str
    attribute: str
    value: str
    text: str
    start: int
    stop: int
    said_at: datetime
    confidence: float
    positive: bool = True
    tense: Tense = Tense.NOW
    against: str | None = None
    single: bool = False
    valid_from: datetime | None = None
    valid_to: datetime | None = None

    @property
    def begins(self) -> datetime:
        """When it begins to hold: what was, or will be, is true to say from when it was said."""
        told = self.valid_from if self.tense is Tense.NOW else None
        return told or self.said_at

    @property
    def key(self) -> tuple[str, str]:
        """What facts about one thing share: the folded subject, and the attribute."""
        return self.subject.casefold(), self.attribute


def kind_in(attribute: str) -> str:
    """The kind that an attribute is of, without what it is for."""
    return attribute.partition(" for ")[0]


def purpose_in(attribute: str) -> str:
    """What a tool is used for, "tests" of "database for tests"; empty where nothing tells."""
    return attribute.partition(" for ")[2]


def is_single(attribute: str) -> bool:
    """Whether only one value holds at a time, as of "database for tests" or "deadline"."""
    return attribute not in _SEVERAL and kind_in(attribute) != "uses"


def bearing(newer: Fact, older: Fact) -> Bearing:
    """
    What `newer`, said later than `older` or at once with it, does to it.

    The same once more repeats it. Of one value the last word holds; so does the last of an
    attribute that has one value at a time, unless it speaks of the past, of plans, or only denies
    another value; and what came instead of something ends that.
    """
    if newer.subject.casefold() != older.subject.casefold():
        return Bearing.STANDS_BESIDE
    if _is_same_value(newer, older):
        return _of_one_value(newer, older)
    if _recounts(newer, older) or _leaves_fewer(newer, older):
        return Bearing.SUPERSEDES
    if newer.tense is not Tense.NOW or not newer.positive:
        return Bearing.STANDS_BESIDE
    return Bearing.SUPERSEDES if _takes_place_of(newer, older) else Bearing.STANDS_BESIDE


def is_farewell(fact: Fact) -> bool:
    """Whether it says no more than that somebody is gone: it only ends what else calls them so."""
    itself = fact.subject.casefold() == fact.value.casefold()
    return itself and fact.attribute == "name" and fact.tense is Tense.PAST


def has_last_word(later: Fact, earlier: Fact) -> bool:
    """
    Whether `later`, of which the words tell that it began before `earlier` was said, ends that.

    Who lives in Berlin on Monday and tells on Friday that they moved to Porto in spring, or have
    lived there since 2019, lives in Porto. Who moved there years ago tells what was before, and so
    does who said since when they live in Berlin.
    """
    undated = earlier.begins == earlier.said_at
    if not undated or not later.begins < earlier.begins <= later.said_at:
        return False
    recent = earlier.begins - later.begins <= _OF_LATE and not _FOR_A_WHILE.search(later.text)
    told = recent or bool(_GOES_ON.search(later.text))
    return told and bearing(later, earlier) is Bearing.SUPERSEDES


def _recounts(newer: Fact, older: Fact) -> bool:
    """Whether both tell how many of a kind somebody has, none at all among others."""
    if {newer.attribute, older.attribute} != {"has"} or {newer.tense, older.tense} != {Tense.NOW}:
        return False
    if newer.positive and older.positive:
        return outnumbers(newer.value, older.value)
    if newer.positive:
        return has_any_of(newer.value, older.value)
    return older.positive and has_any_of(older.value, newer.value)


def _leaves_fewer(newer: Fact, older: Fact) -> bool:
    """Whether one of those, or all, that `older` counts are gone: how many are left is not told."""
    if {newer.attribute, older.attribute} != {"has"} or not (newer.positive and older.positive):
        return False
    if newer.tense is not Tense.PAST or older.tense is not Tense.NOW:
        return False
    return is_counted_no_more(older.value, newer.value)


def _is_same_value(newer: Fact, older: Fact) -> bool:
    """Whether both tell the same, one of them perhaps with the region that a place is in."""
    one, other = normal(newer.value), normal(older.value)
    places = _PLACES.issuperset({newer.attribute, older.attribute})
    return one == other or (places and is_same_place(one, other)) or _is_same_tool(newer, older)


def _is_same_tool(newer: Fact, older: Fact) -> bool:
    """Whether both name one tool, whatever its version."""
    chosen = {kind_in(newer.attribute), kind_in(older.attribute)} <= _CHOICES
    return chosen and _tool_in(newer)[0] == _tool_in(older)[0]


def _tool_in(fact: Fact) -> tuple[str, str]:
    return parted(fact.value, fact.text)


def _of_another_version(newer: Fact, older: Fact) -> Bearing | None:
    """
    What the version does that a fact about the same tool tells; None where it tells none.

    That a tool is in use in some version takes nothing from the decision for it.
    """
    version, another = _tool_in(newer)[1], _tool_in(older)[1]
    if not version or version == another or kind_in(newer.attribute) not in _CHOICES:
        return None
    ends = newer.said_at > older.said_at if another else newer.single or not older.single
    return Bearing.SUPERSEDES if ends else Bearing.STANDS_BESIDE


def _of_one_value(newer: Fact, older: Fact) -> Bearing:
    if not _comparable(newer, older):
        return Bearing.STANDS_BESIDE
    alike = newer.positive == older.positive and newer.tense is older.tense
    if alike and newer.attribute == older.attribute:
        return _of_another_version(newer, older) or Bearing.REPEATS
    opposed = (newer.attribute, older.attribute) in _OPPOSITES
    changed = newer.positive != older.positive or newer.tense is not older.tense
    plan_of_the_past = newer.tense is Tense.PLANNED and older.tense is not Tense.PLANNED
    if plan_of_the_past or not (opposed or changed):
        return Bearing.STANDS_BESIDE
    return Bearing.SUPERSEDES


def _comparable(newer: Fact, older: Fact) -> bool:
    """Whether values of the two attributes are about the same: "uses", and any kind of tool."""
    one, other = newer.attribute, older.attribute
    if one == other or (one, other) in _OPPOSITES:
        return True
    kinds = {kind_in(one), kind_in(other)}
    return "uses" in kinds and kinds - {"uses"} <= TOOL_KINDS and _reaches(newer, older)


def _reaches(newer: Fact, older: Fact) -> bool:
    """Whether two uses of tools are for the same, or one that is over, or denied, was for all."""
    one, other = purpose_in(newer.attribute), purpose_in(older.attribute)
    return one == other or not (one if older.positive else other)


def _takes_place_of(newer: Fact, older: Fact) -> bool:
    """Whether `older`, of another value, cannot hold beside `newer`."""
    gone = None if newer.against is None else normal(newer.against)
    instead = gone is not None and gone in (normal(older.value), _tool_in(older)[0])
    kindred = _comparable(newer, older) or _of_one_kind(newer, older) or _is_choice(newer, older)
    if instead and older.positive and kindred:
        return True
    if not older.positive or older.tense is not Tense.NOW:
        return False
    alone = newer.attribute == older.attribute and newer.single
    return alone or _ends_diet(newer, older)


def _ends_diet(newer: Fact, older: Fact) -> bool:
    """Whether what somebody eats, or keeps to, cannot go together with what they did before."""
    match newer.attribute, older.attribute:
        case "eats", "diet":
            return is_ruled_out(newer.value, older.value)
        case "diet", "eats":
            return is_ruled_out(older.value, newer.value)
        case _:
            return False


def _is_choice(newer: Fact, older: Fact) -> bool:
    """Whether one is a decision for a tool, of whatever kind: "We decided to use Stripe"."""
    kinds = {kind_in(newer.attribute), kind_in(older.attribute)}
    return "decision" in kinds and kinds <= _CHOICES and _reaches(newer, older)


def _of_one_kind(newer: Fact, older: Fact) -> bool:
    """Whether both are tools of a kind, and the newer one is so for all that the older is for."""
    kinds = {kind_in(newer.attribute), kind_in(older.attribute)}
    return len(kinds) == 1 and kinds <= TOOL_KINDS and _reaches(newer, older)

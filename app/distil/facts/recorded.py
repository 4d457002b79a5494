"""What callers tell as records have it: "The customer's plan is Gold", "Shipping address: …"."""

import re
from collections.abc import Collection
from dataclasses import dataclass

from app.distil.facts.directions import SPELLED
from app.distil.facts.values import TOO_VAGUE, bare_name
from app.distil.language.lexicon import CALENDAR

_CUSTOMER = r"(?:customer|client)"
"""Whom an agent calls so, is the user."""

_WHAT = r"(?P<what>[A-Za-z][a-z-]{0,20}(?:\s[a-z-]{1,20}){0,2})"
_VALUE = r"(?P<value>[^\s].{0,120})\Z"
_OWNED = re.compile(rf"(?P<who>[^':]{{1,60}})'s\s+{_WHAT}\s+is\s+(?:(?:now|currently)\s+)?{_VALUE}")
_LABELLED = re.compile(rf"(?P<who>){_WHAT}:\s+{_VALUE}")
_ON_A_PLAN = re.compile(
    r"(?P<who>[^':]{1,60}?)\s+is\s+(?:(?:now|currently)\s+)?on\s+(?:the|an?)\s+"
    r"(?P<value>[\w+ -]{1,30}?)\s+(?P<what>plan|tier|tariff)(?:\s+now)?\Z"
)
_NOUNS = frozenset(
    """address plan tier tariff subscription status owner manager method language currency timezone
    phone email role title budget limit quota birthday""".split()
)
"""Of these somebody has one at a time."""

_LABELS = frozenset(
    "address plan tier tariff subscription language currency timezone phone email birthday".split()
)
_ENDS_OF_LABELS = frozenset("address owner manager method language currency".split())
"""A "Title: …" or a "Travel plan: …" is no user's."""

_OF_ONE_OF_MANY = frozenset(
    """order ticket invoice case shipment parcel task issue refund return delivery booking
    item message project old previous former first last next other second alternative""".split()
)
_OF_NOW = re.compile(r"\A(?:current|new|latest)\s+")
_TELLS_NOTHING = re.compile(
    r"(?:not|no|never|to|still|unknown|same|old|new|right|wrong|invalid|missing|unclear|none|n/a|tb[ad]"
    r"|(?!pending)[a-z]+ing)\b",
    re.IGNORECASE,
)
_SAYS_MORE = re.compile(
    r"\b(?:and|or|but|because|which|who|while|if|until|since|when|is|was|will|has|not)\b|[?;\x00\n]"
)
_MOST_WORDS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """Of whom, empty for the user; of which attribute, of which one holds at a time; and what."""

    name: str
    attribute: str
    value: str


def recorded(content: str, speakers: Collection[str]) -> Recorded | None:
    """
    What a sentence records of a user, whom facts call one of `speakers`, or of one with a name.

    None unless the attribute is one that somebody has once, and the value says nothing else.
    """
    told = content.strip().rstrip(".").replace("\u2019", "'")
    label = _LABELLED.match(told)
    found = label or _OWNED.match(told) or _ON_A_PLAN.match(told)
    if not found:
        return None
    name, attribute = _named(found["who"], speakers), _attribute(found["what"])
    value = re.sub(r",?\s+now\Z", "", found["value"])
    if name is None or attribute is None or not _is_value(value):
        return None
    if label and not _is_label(attribute, value):
        return None
    return Recorded(name=name, attribute=attribute, value=value)


def _named(who: str, speakers: Collection[str]) -> str | None:
    """A name, empty for the user; None for what is neither."""
    folded = re.sub(r"\Athe\s+", "", who.casefold())
    if not who or folded in speakers or re.fullmatch(_CUSTOMER, folded):
        return ""
    return who if bare_name(who) and folded not in CALENDAR else None


def _attribute(what: str) -> str | None:
    noun = _OF_NOW.sub("", what.casefold())
    attribute = SPELLED.get(noun, noun)
    words = attribute.split()
    once = words[-1] in _NOUNS and _OF_ONE_OF_MANY.isdisjoint(words[:-1])
    return attribute if once else None


def _is_label(attribute: str, value: str) -> bool:
    """Whether it is one of a record: "Plan: Gold", not "Plan: call Tom"."""
    before, _, noun = attribute.rpartition(" ")
    if noun == "plan" and " " in value:
        return False
    return noun in (_ENDS_OF_LABELS if before else _LABELS)


def _is_value(value: str) -> bool:
    vague = TOO_VAGUE.match(value) or _TELLS_NOTHING.match(value) or _SAYS_MORE.search(value)
    return not vague and len(value.split()) <= _MOST_WORDS

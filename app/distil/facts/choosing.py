"""Reading what is chosen or given up: a thing, and nobody whom one goes with or drops somewhere."""

import re

from app.distil.facts.living import held
from app.distil.facts.values import choice, kind_of, tool, whole
from app.distil.language.given_names import GIVEN_NAMES
from app.distil.language.lexicon import KIN
from app.distil.language.surnames import SURNAMES

_NAMED_ELSEWHERE = re.compile(r"(?:[\w%]+\s+){1,4}?(?:it|them|him|her|this|these|those)\b")
_PEOPLE = GIVEN_NAMES | KIN - {"car", "boat", "company", "team", "project", "employer"}
_SOMEWHERE = re.compile(r"\s+to\s+(?:the|an?|my|our|their|[A-Z])(?!\w*['\u2019])")
_AS_WHAT = re.compile(r"\s+(?:as|for)\s")
_FETCHED = re.compile(r"\s+(?:up|off|back)\Z", re.IGNORECASE)


def resolved(text: str) -> str | None:
    """What is decided, unless what it is about stands elsewhere: "postpone it"."""
    said = whole(text)
    return None if said is None or _NAMED_ELSEWHERE.match(said) else said


def chosen(text: str) -> str | None:
    """What is chosen, and is no pet, nor somebody who is picked up, but who is chosen as a lead."""
    value = None if held(text) else choice(text)
    if value is None or _FETCHED.search(value):
        return None
    in_a_role = _AS_WHAT.match(text, text.find(value) + len(value))
    return None if _is_somebody(value) and not in_a_role else value


def gone_with(text: str) -> str | None:
    """What one went with, and no company: "Anna", "the class to Rome"."""
    value = choice(text)
    if value is None or _is_somebody(value):
        return None
    led_somewhere = _SOMEWHERE.match(text, text.find(value) + len(value))
    return None if led_somewhere and kind_of(value) is None else value


def given_up(text: str) -> str | None:
    """A tool, and nobody: "We dropped Anna at school"."""
    name = tool(text)
    return None if name is None or _is_somebody(name) else name


def _is_somebody(value: str) -> bool:
    """Whether it is but a given name, with a family name or not, or one of one's kin."""
    first, *more = value.casefold().split()
    named = not more or (len(more) == 1 and (more[0] in SURNAMES or more[0] in GIVEN_NAMES))
    return first in _PEOPLE and named and kind_of(value) is None

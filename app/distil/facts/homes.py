"""Reading where people moved: into a house somewhere, to a village that no list knows."""

import re

from app.distil.facts.clauses import WE, Clause, Who
from app.distil.facts.places import known_place, place
from app.distil.facts.regions import somewhere
from app.distil.facts.values import ENDS_PHRASE, kind_of
from app.distil.language.lexicon import PROGRAMS

_DWELLING = (
    r"(?:(?:bigger|smaller|larger|cheaper|nicer|quieter|new|own|first|little|lovely|old|rented|\w+-bed"
    r"|\w+-bedroom|terraced|detached|semi-detached|shared|ground-floor|two|three|four|bedroom|bed"
    r"|care|nursing|council|family|forever|beautiful|tiny|small|big|cosy|cozy|nice)\s+){0,4}"
    r"(?:house|home|flat|apartment|place|cottage|bungalow|condo|townhouse|maisonette|studio|loft"
    r"|villa|farmhouse|duplex|semi|houseboat)"
)
_IN_A_HOME = re.compile(
    rf"(?:an?|our|my|the|his|her|their)\s+{_DWELLING}\s+(?:(?:just|right)\s+)?in\s+"
    r"(?:(?:the\s+)?(?:centre|center|middle|heart|outskirts|north|south|east|west)\s+of\s+)?",
    re.IGNORECASE,
)
_MOVED = re.compile(
    r"\b(?P<who>I|[Ww]e)(?:'ve|\s+have)?(?:\s+(?:just|finally|now))?\s+moved"
    r"(?:\s+(?:house|home|out|away))?"
    r"(?:\s*[!.,:;\u2026\u2013\u2014-]){1,3}\s+(?:[^.!?\x00]{0,100}?\s)?(?P<to>(?:in)?to)\s+"
    rf"(?={_IN_A_HOME.pattern})",
    re.IGNORECASE,
)
_STAYS_ELSEWHERE = re.compile(
    r"\b(?:holiday|vacation|weekend|trip|visit(?:ed|ing)?|travel\w*|going|will|'ll|not|never"
    r"|nearly|almost|if)\b",
    re.IGNORECASE,
)
_LIKE_A_PLACE = re.compile(
    r"\w{2,}(?:ham|ton|ford|bury|ville|burgh?|field|mouth|wick|stead|worth|minster|chester|cester"
    r"|combe|shire|stadt|heim|dorf|hausen|bridge|haven|brook|hurst|pool|dale|borough)",
    re.IGNORECASE,
)
_UNLIKE_A_PLACE = frozenset(
    """proton photon newton triton krypton plankton button skeleton singleton automaton cotton
    homestead whirlpool carpool graham gotham instagram battlefield clifford cloudbridge eventbridge
    pidgin hilton peloton vuitton lexington sheraton""".split()
)
"""Programs, firms and others whose names end in the same way, folded."""

_AS_A_FAMILY = re.compile(
    r"\b(?:kids|children|baby|husband|wife|grandparents|mum|mom|parents|dog|cat|school|seaside"
    r"|countryside|family|near the sea|new (?:house|home|flat|apartment))\b",
    re.IGNORECASE,
)


def home_in(text: str) -> str | None:
    """Where a home is: "Keynsham" of "our new house in Keynsham"."""
    found = _IN_A_HOME.match(text)
    return somewhere(text[found.end() :]) if found else None


def village(text: str) -> str | None:
    """
    Where "we" moved: a place that all know, or that is called as places are.

    Of another name, which may be a tool's, what follows has to tell of a family: "with the kids".
    """
    name = known_place(text)
    if name:
        return name
    name = place(text)
    if name is None or kind_of(name) or name.casefold() in PROGRAMS:
        return None
    last = name.partition(",")[0].split()[-1]
    like_a_place = _LIKE_A_PLACE.fullmatch(last) and last.casefold() not in _UNLIKE_A_PLACE
    of_one_word = " " not in name and ENDS_PHRASE.match(text, len(name))
    as_a_family = of_one_word and _AS_A_FAMILY.search(text, len(name))
    return name if like_a_place or as_a_family else None


def moved_house(plain: str, before: str, speaker: str) -> Clause | None:
    """
    What "We've moved!" says with the words behind it, as of "To a house in Keynsham".

    Args:
        plain: A sentence.
        before: The sentence right before it; empty where none is.
        speaker: Whose words they are.
    """
    told = f"{before} {plain}" if before else plain
    begun = len(told) - len(plain)
    found = _MOVED.search(told)
    if not found or found.end() < begun or _STAYS_ELSEWHERE.search(told, *found.span()):
        return None
    start = max(found.start("to") - begun, 0)
    rest = f" moved {plain[start:]}"
    alone = found["who"] == "I"
    who = Who.SELF if alone else Who.WE
    opening = f"{found['who'].capitalize()} moved"
    return Clause(speaker if alone else WE, who, start, start, len(plain), rest, opening=opening)

"""What the words around a name tell it is the name of."""

import re

from app.distil.language.given_names import GIVEN_NAMES
from app.distil.language.lexicon import KIN, OCCUPATIONS, OTHER_WORDS, TITLES
from app.distil.language.titles import TITLE_OF
from app.distil.language.world import WORLD
from app.domain.entities import EntityType

_BEFORE_PLACE = re.compile(
    r"(?:\b(?:lives?|living|lived|moved|moving|based|born|flew|flight|travel\w*|trip|went"
    r"|grew up)\s+"
    r"(?:back\s+)?(?:in|to|from)|\bcity of|\btown of)\s+\Z",
    re.IGNORECASE,
)
_BEFORE_ORGANISATION = re.compile(
    r"\b(?:works?|worked|working|employed|job|interned|hired)\s+(?:at|for|by)\s+\Z", re.IGNORECASE
)
_BEFORE_PERSON = re.compile(
    r"\b(?:(?:mr|mrs|ms|dr|prof|frau|herr"
    r"|(?-i:Miss|Monsieur|Madame|Mademoiselle|Se[\u00f1n]or(?:a|ita)?|Fr\u00e4ulein))\.?"
    r"|married to|reports? to|(?:met|meet|meeting)(?: with)?"
    r"|asked|(?:talk|speak)(?:s|ed|ing)? (?:to|with)|spoke (?:to|with)|hang(?:ing)? out with"
    r"|(?:lunch|dinner|breakfast|coffee|drinks|call|chat|date) with"
    r"|(?:who is|who's|who was|person|man|woman|girl|boy|guy|somebody|someone) (?:called|named)"
    r")\s+\Z",
    re.IGNORECASE,
)
_BEHIND_WHOSE = re.compile(r"['\u2019]s\s+[a-z]")
"""Who works for "Bob's company" works for no Bob; "Macy's" is one."""

_WHOSE = frozenset("my our his her their your".split())
_ENDS_OF_PLACES = frozenset("in to from of".split())
_ENDS_OF_ORGANISATIONS = frozenset("at for by".split())
_ENDS_OF_PEOPLE = TITLE_OF.keys() | frozenset(
    "dr prof to with met meet meeting asked called named".split()
)
"""The last words of what tells a kind: most names have none of them before."""

_AFTER_PERSON = re.compile(
    r"(?:'s\s+(?:mother|father|wife|husband|birthday|sister|brother|team)\b"
    r"|\s+(?:says?|said|told|asked|thinks|wants|wrote|called (?:me|us|him|her|them)|met|knows"
    r"|manages|visited|lives|moved|agrees?|prefers|insists?|reports to|joined|owns|likes"
    r"|and I (?:are|were|went|have|had|met|live|both)|is married|is based"
    r"|work(?:s|ed) (?:at|for|on|as))\b)"
)
BODIES = tuple(
    """Inc Ltd LLC GmbH AG Corp Corporation Company University Institute Bank Foundation Agency
    Ministry Council Hospital School Labs Group Airlines Motors""".split()
)
"""What an organisation is called last: its form, or what it is."""

_ORGANISATION = re.compile(rf"\b(?:{'|'.join(BODIES)})\Z")
_LOOKED_BACK = 40
_PEOPLE = KIN | OCCUPATIONS | TITLES | frozenset("friends pal buddy crush ex".split())
_PEOPLE -= frozenset("car boat company team project employer".split())
_PLACES_TOO = frozenset("charlotte santiago victoria sofia jackson madison leon".split())
"""Given names that tell nothing by themselves: cities are called so as well."""

_PLACES_IN_CAPITALS = frozenset("UK US USA UAE EU LA NY NYC DC SF NZ".split())
_ABBREVIATED = 3
_MOST_WORDS_WHOSE = 5
_IN_CAPITALS = 2
"""Letters from which what has no others is an abbreviation."""


def told_by_words(text: str, start: int, stop: int, begin: int) -> EntityType | None:
    """
    What text[start:stop] names, by its own words and those around it.

    Args:
        text: Of a message.
        start: Where the name starts.
        stop: Where it ends.
        begin: Where its sentence begins.
    """
    name, before = text[start:stop], text[max(begin, start - _LOOKED_BACK) : start]
    if " " in name and _ORGANISATION.search(name):
        return EntityType.ORGANISATION
    last = before.rstrip(" .").rpartition(" ")[2].casefold()
    if last in _ENDS_OF_PLACES and _BEFORE_PLACE.search(before) and _may_be_place(name):
        return EntityType.PLACE
    if last in _ENDS_OF_ORGANISATIONS and _BEFORE_ORGANISATION.search(before):
        of_somebody = is_given(name, leniently=True) and _BEHIND_WHOSE.match(text, stop)
        return EntityType.PERSON if of_somebody else EntityType.ORGANISATION
    if is_given(name):
        return EntityType.PERSON
    if (known := WORLD.get(name.casefold())) and name[0].isupper():
        return known
    told_before = last in _ENDS_OF_PEOPLE and _BEFORE_PERSON.search(before)
    told = told_before or _AFTER_PERSON.match(text, stop) or _is_of_somebody(before)
    return EntityType.PERSON if told and _may_be_of_person(name) else None


def _may_be_place(name: str) -> bool:
    """No abbreviation but those of places: "we moved to QA"."""
    return not (name.isupper() and len(name) <= _ABBREVIATED) or name in _PLACES_IN_CAPITALS


def is_given(name: str, *, leniently: bool = False) -> bool:
    """Whether a single word is a given name, and, unless `leniently`, no other word either."""
    folded = name.casefold()
    if folded not in GIVEN_NAMES or name.isupper() or folded in _PLACES_TOO:
        return False
    return leniently or folded not in OTHER_WORDS


def _may_be_of_person(name: str) -> bool:
    """No abbreviation, nothing with a digit: "AI", "Ghost 14"."""
    shouted = name.isupper() and len(name) >= _IN_CAPITALS
    return not shouted and name.replace("-", "").replace(" ", "").isalpha()


def _is_of_somebody(before: str) -> bool:
    """Whether words end with what somebody is to somebody: "my old friend", "her boss, "."""
    words = before.casefold().replace(",", "").split()[-_MOST_WORDS_WHOSE:]
    if words and words[-1] in ("called", "named", "is"):
        words.pop()
    return len(words) > 1 and words[-1] in _PEOPLE and not _WHOSE.isdisjoint(words)

"""What clauses say is over, or begins in the place of something: work, homes, things, marriages."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.distil.facts.fact import Tense
from app.distil.facts.firms import firm, known_firm
from app.distil.facts.living import PETS, field_of_work, held
from app.distil.facts.places import place
from app.distil.facts.predicates import FAMILY, ONE, PERSON, SPEAKER, Predicate, saying
from app.distil.facts.statement import Statement
from app.distil.facts.trades import occupation
from app.distil.facts.values import ENDS_PHRASE, kind_of, proper, spouse
from app.distil.language.lexicon import EMPLOYERS, KIN, PROGRAMS

NOBODY = "nobody"
"""Whom one is married to who got divorced."""

_HAVE = "(?:'ve |have |has )?"
_JUST = "(?:(?:just|recently) )?"
_POST = "(?:my|the)(?: old)? (?:job|position|role|post)"
_END = r"\s*(?:$|[,.;!(\u2013\u2014])"
_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
_SEASON = rf"(?:week|month|spring|summer|autumn|fall|winter|{_MONTH})"
_LATELY = rf"(?:last|this)\s+{_SEASON}|recently|in\s+{_MONTH}|\w+\s+(?:days?|weeks?|months?)\s+ago"
_ON_A_DAY = r"today|yesterday|on\s+[A-Z][a-z]+day|last\s+(?:night|[A-Z][a-z]+day)|this\s+morning"
_ONCE = r"(?:last|this)\s+year|in\s+(?:19|20)\d\d|\w+\s+years?\s+ago"
_AT_LENGTH = r"for\s+good|after\s+(?:\w+\s+){1,3}(?:years?|months?)"
_AFTER_LEAVING = re.compile(rf"(?:\s+(?:{_LATELY}|{_ONCE}|{_AT_LENGTH}))?{_END}", re.IGNORECASE)
_AFTER_JOINING = re.compile(rf"(?:\s+(?:{_LATELY}|{_ON_A_DAY}|last\s+year))?{_END}", re.IGNORECASE)
_LATELY_BEHIND = re.compile(rf"\s+(?:{_LATELY}|{_ON_A_DAY}){_END}", re.IGNORECASE)
_ANOTHER = re.compile(
    r"\b(?:and|but)\s+(?:\w+\s+)?(?:bought|got|have|own|drive|need)\b|\bto\s+buy\b"
)
_MARRIED_AGAIN = re.compile(r"\b(?:remarried|married|but|almost|from\s+reality)\b", re.IGNORECASE)
_HAS_A_POST = re.compile(r"\s+as\s+(?=an?\s|the\s)")
_NOT_ALL = frozenset({"one of", "two of"})
"""Of several pets: others are left, or may be."""

_SOME_OF_MINE = re.compile(r"one\s+of\s+(?:my|our)\s+")
_DIED = (
    r"(?:(?:has\s+)?(?:just\s+|recently\s+|sadly\s+|unexpectedly\s+|suddenly\s+)?"
    r"(?:died|passed(?:\s+away|\s+on)?)|(?:was|had\s+to\s+be)\s+put\s+(?:down|to\s+sleep))"
    r"(?:\s+(?:peacefully|suddenly|unexpectedly|of\s+[a-z]+(?:\s+[a-z]+)?))?"
    rf"(?:\s+(?:{_LATELY}|{_ON_A_DAY}))?(?:{_END}|\s+and\s)"
)
_GONE = re.compile(
    rf"(?:(?i:sadly|unfortunately),?\s+)?(?P<name>[A-Z][\w-]{{1,20}})\s+(?i:{_DIED})"
)
_LOST = re.compile(
    rf"""
    (?:sadly|unfortunately)?\s*
    (?P<some>(?:(?:one|two)\s+of|(?:both|all)(?:\s+of)?)\s+)?
    (?P<whose>my|our)\s+(?:(?:beloved|poor|dear|sweet|little)\s+)?
    (?P<pet>{"|".join(sorted(PETS))})(?:\s+(?P<name>(?-i:[A-Z])[\w-]{{1,20}}),?)?
    \s+{_DIED}
    """,
    re.VERBOSE | re.IGNORECASE,
)


def employer_left(text: str) -> str | None:
    """An employer that is known as one: who left Berlin, or Anna, had no job there."""
    name = known_firm(text)
    return name if name and _AFTER_LEAVING.match(text, len(name)) else None


def employer_joined(text: str) -> str | None:
    """The same, or where one has some occupation from then on."""
    name = known_firm(text)
    if name and _AFTER_JOINING.match(text, len(name)):
        return name
    name = proper(text)
    post = _HAS_A_POST.match(text, len(name)) if name else None
    return name if post and occupation(text[post.end() :]) else None


def joined_lately(text: str) -> str | None:
    """Another employer, where one "started at" it not long ago, as the words behind it tell."""
    name = firm(text)
    return name if name and _LATELY_BEHIND.match(text, len(name)) else None


def joined_just_now(text: str) -> str | None:
    """The same where the words before it tell so."""
    name = firm(text)
    return name if name and _AFTER_JOINING.match(text, len(name)) else None


def home(text: str) -> str | None:
    """Where one lived: a place with a name, no field of work, and no tool."""
    name = place(text)
    if name is None or field_of_work(name) or kind_of(name):
        return None
    return name if ENDS_PHRASE.match(text, len(name)) else None


def parted_with(text: str) -> str | None:
    """What of "my car", "my Volvo" one has no more, and no other instead; nobody of one's kin."""
    if _ANOTHER.search(text):
        return None
    value = held(text) or _make(text)
    some = _SOME_OF_MINE.match(value or "")
    value = f"one of their {value[some.end() :]}" if value and some else value
    is_kin = value is not None and value.split()[-1].casefold() in KIN - PETS - {"car", "boat"}
    return None if value is None or is_kin or "'" in value else value


def _make(text: str) -> str | None:
    """A thing that is called by a name: "my Volvo"."""
    own = re.match(r"(?:my|our)\s+", text)
    name = proper(text[own.end() :]) if own else None
    ends = own and name and ENDS_PHRASE.match(text, own.end() + len(name))
    return name if ends and not kind_of(name or "") else None


def nobody_any_more(text: str) -> str | None:
    return None if _MARRIED_AGAIN.search(text) else NOBODY


ENDINGS: Sequence[Predicate] = [
    Predicate(saying(f"{_HAVE}(?:quit|resigned from)"), "works_at", proper, tense=Tense.PAST),
    Predicate(
        saying(f"{_HAVE}(?:just )?(?:lost|left|quit|resigned from) {_POST} (?:at|with)"),
        "works_at",
        proper,
        of=ONE,
        tense=Tense.PAST,
    ),
    Predicate(
        saying(f"{_HAVE}(?:just )?(?:lost|left|quit|resigned from) {_POST} as"),
        "job",
        occupation,
        of=ONE,
        tense=Tense.PAST,
    ),
    Predicate(saying(f"{_HAVE}left"), "works_at", employer_left, tense=Tense.PAST),
    Predicate(saying(f"{_HAVE}{_JUST}(?:joined|started at)"), "works_at", employer_joined),
    Predicate(saying(f"{_HAVE}(?:just|recently) started at"), "works_at", joined_just_now, of=ONE),
    Predicate(saying(f"{_HAVE}started at"), "works_at", joined_lately, of=ONE),
    Predicate(saying(f"{_HAVE}moved out of"), "lives_in", home, of=PERSON, tense=Tense.PAST),
    Predicate(
        saying(f"{_HAVE}(?:sold|gave away|given away|got rid of)(?= (?:one of )?(?:my|our) )"),
        "has",
        parted_with,
        of=FAMILY,
        tense=Tense.PAST,
    ),
    Predicate(saying(f"{_HAVE}divorced"), "married_to", spouse, of=SPEAKER, tense=Tense.PAST),
    Predicate(saying("(?:got|gotten) divorced"), "married_to", nobody_any_more, of=SPEAKER),
]
"""What is told as done: neither what will be, nor what never was."""

ENDED: Sequence[Predicate] = [
    Predicate(saying("divorced"), "married_to", nobody_any_more, of=SPEAKER)
]
"""Behind "am"."""


@dataclass(frozen=True, slots=True)
class Lost:
    """A pet that died, where in the sentence that is told, and what follows from it."""

    start: int
    stop: int
    statements: Sequence[Statement]


def pets_lost(plain: str, beginnings: Iterator[tuple[int, int]], speaker: str) -> Iterator[Lost]:
    """
    Pets that died lately, at the beginnings of clauses: others may have come since long ago.

    Who is called by a name alone may be anybody: that ends only what else calls them so.
    """
    for start, stop in beginnings:
        if found := _LOST.match(plain, start, stop):
            begin = found.start("some" if found["some"] else "whose")
            yield Lost(begin, stop, list(_of_lost(found, speaker)))
        elif (gone := _GONE.match(plain, start, stop)) and _is_somebody(gone["name"]):
            name = gone["name"]
            yield Lost(gone.start("name"), stop, [_was(name, "name", name)])


def _is_somebody(name: str) -> bool:
    no_one = kind_of(name) or name.casefold() in PROGRAMS | EMPLOYERS
    return proper(name) is not None and not no_one


def _of_lost(found: re.Match[str], speaker: str) -> Iterator[Statement]:
    pet = found["pet"].casefold()
    whose = found["whose"].casefold()
    owner = speaker if whose == "my" else "we"
    some = " ".join((found["some"] or "").casefold().split())
    yield _was(owner, "has", f"{some} {whose} {pet}" if some in _NOT_ALL else pet)
    if found["name"]:
        yield _was(f"{speaker}'s {pet}", "name", found["name"])


def _was(subject: str, attribute: str, value: str) -> Statement:
    return Statement(
        subject=subject, attribute=attribute, value=value, confidence=0.85, tense=Tense.PAST
    )

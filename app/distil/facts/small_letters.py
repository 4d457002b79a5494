"""Names that are typed without a capital, "i live in lisbon", spelled as names are."""

import re
from dataclasses import replace

from app.distil.facts.regions import end_of_regions
from app.distil.facts.values import ENDS_PHRASE
from app.distil.language.given_names import GIVEN_NAMES
from app.distil.language.lexicon import (
    CALENDAR,
    KIN,
    KIND_OF_TOOL,
    NO_NAMES,
    NO_WORKPLACES,
    OCCUPATIONS,
    OTHER_WORDS,
    PEOPLES,
    SEVERAL_OF_KIN,
    STATES_OF_MIND,
)
from app.distil.language.sentences import Sentence
from app.distil.language.surnames import as_spelled, end_of_surname, is_surname

_CAPITAL = re.compile(r"(?<=.)(?!I\b)[A-Z]", re.DOTALL)
"""One that begins no sentence and is not "I": whoever wrote it spells names."""

_I = re.compile(r"\bi(?=\s|'?(?:m|ve)\s|'ll\s)")
_ONE_OF_KIN = "|".join(sorted(KIN - SEVERAL_OF_KIN))
_LEAD = re.compile(
    rf"""
    \b(?:
      (?P<place> (?:liv(?:e|es|ed|ing)|resid(?:e|es|ed|ing)|based|located|grew\s+up|born)\s+in
        | (?:mov(?:e|es|ed|ing)|relocat(?:e|es|ed|ing))
            (?:\s+back)?(?:\s+from\s+[^\s,]{{1,40}})?\s+to
        | (?:am|'m|im|come|comes|originally)\s+from )
      | (?P<work> (?:work(?:s|ed|ing)?|employed)\s+(?:at|for) )
      | (?P<whole> my\s+name\s+is )
      | (?P<kin> (?:my|our)\s+(?:(?:older|younger|little|big|twin|best|new)\s+)?(?:{_ONE_OF_KIN}) )
      | (?P<name> name(?:\s+is|'s)|named|called|calls?\s+me|go(?:es)?\s+by|(?:married|engaged)\s+to)
    )\s+(?=[a-z])
    """,
    re.VERBOSE | re.IGNORECASE,
)
_THINGS = frozenset({"project", "team", "company", "car"})
_LIVING = "|".join(sorted(KIN - SEVERAL_OF_KIN - _THINGS))
_SOMEBODY = re.compile(
    rf"\b(?:i|he|she|they|who|(?:my|his|her)\s+name|{_LIVING})(?:'m|'s)?\b", re.IGNORECASE
)
"""Whose name begins with a capital, however it is joined; a thing may be called "frost-wren"."""

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_BEGINS_PLACE = frozenset(
    """new san santa são los las saint st south north east west hong el la le fort tel cape buenos
    kuala abu costa sri united saudi czech sierra port puerto salt rio dar ho addis den""".split()
)
_PARTICLES = frozenset("de do da del es al am an der".split())
_INSIDE_PLACE = _PARTICLES | {"lake", "york", "city"}
_MOST_WORDS = 3
_NO_PLACE = frozenset(
    """town downtown suburbia bed bedrooms bedroom
    dorms halls housing barracks student constant shared rented sheltered close near nearby abroad
    overseas upstairs downstairs outside inside uptown midtown countryside suburbs city village
    work home school college university management frontend backend production remote sales
    marketing finance support staging tears action another other different bigger smaller better
    part full late early last next left right first second scratch memory experience what where
    being having getting using doing going making taking reading watching looking working living
    money stop start get go make take see keep find leave do have be move work""".split()
)
_NO_NAME = frozenset(
    """later back crazy when asap tonight names old weird lazy mad paranoid stupid maybe spelled
    spelt pronounced misspelled wrong hard difficult easy irrelevant unimportant important missing
    taken long short common rare unique pretty kind sort like just up out off over from via using
    twice once again today tomorrow anytime first last next during""".split()
)
_NEVER = NO_NAMES | CALENDAR | PEOPLES | OCCUPATIONS | KIND_OF_TOOL.keys()
_NO_NAMES_BEHIND = {
    "place": _NEVER | _NO_PLACE | STATES_OF_MIND,
    "work": _NEVER | NO_WORKPLACES,
    "whole": _NEVER | _NO_NAME,
    "name": _NEVER | _NO_NAME,
    "kin": frozenset[str](),
}


def spelled(sentence: Sentence) -> Sentence:
    """
    `sentence` with "I" and names as they are spelled where its writer spells nothing so.

    Only what follows the words of a few facts, up to where a phrase ends, counts as a name. Each
    character stays at its place.
    """
    plain = _I.sub("I", sentence.plain)
    if not _CAPITAL.search(sentence.plain):
        plain = _with_names(plain)
    return sentence if plain == sentence.plain else _written_so(sentence, plain)


def _with_names(plain: str) -> str:
    for lead in _LEAD.finditer(plain):
        stop = _end_of_name(plain, lead.end(), str(lead.lastgroup))
        if lead["place"] and stop > lead.end():
            stop = end_of_regions(plain, stop, any_letters=True)
        name = _titled(plain[lead.end() : stop])
        if len(name) == stop - lead.end():  # "ß" is two letters as a capital
            plain = plain[: lead.end()] + name + plain[stop:]
    return plain


def _written_so(sentence: Sentence, plain: str) -> Sentence:
    """What is blanked out in `plain` stays in the text, and so do names of things: "frost-wren"."""
    letters, things = zip(plain, sentence.text, strict=True), _things(sentence.plain)
    text = "".join(
        new if new.casefold() == old.casefold() and at not in things else old
        for at, (new, old) in enumerate(letters)
    )
    return replace(sentence, text=text, plain=plain)


def _things(plain: str) -> frozenset[int]:
    """Where names begin that are joined as those of machines are, and not as people's."""
    leads = (lead for lead in _LEAD.finditer(plain) if lead["name"])
    unlike = (lead for lead in leads if not _SOMEBODY.search(plain, 0, lead.start()))
    words = (_WORD.match(plain, lead.end()) for lead in unlike)
    joined = (word for word in words if word and "-" in word[0])
    return frozenset(
        word.start() for word in joined if word[0].partition("-")[0] not in GIVEN_NAMES
    )


def _end_of_name(plain: str, start: int, kind: str) -> int:
    """Where the name ends that begins at `start`; there, if none does."""
    unwanted, at = _NO_NAMES_BEHIND[kind], start
    if kind == "kin":
        given = _WORD.match(plain, start)
        known = given and given[0] in GIVEN_NAMES and given[0] not in OTHER_WORDS
        return given.end() if given and known else start
    if kind in ("whole", "name") and (stop := _end_of_full_name(plain, start)):
        return stop
    for _ in range(_MOST_WORDS):
        word = _WORD.match(plain, at)
        inside = at > start and word and word[0] in _INSIDE_PLACE
        if not word or (word[0] in unwanted and not inside):
            break
        if ENDS_PHRASE.match(plain, word.end()):
            return word.end()
        begun = word[0] in _BEGINS_PLACE if kind == "place" else kind == "whole" and at == start
        if not (inside or begun):
            break
        at = word.end() + 1
    return start


def _end_of_full_name(plain: str, start: int) -> int | None:
    """Where "tom baker" ends: behind a given name a family name may be any word."""
    given = _WORD.match(plain, start)
    if not given or given[0] not in GIVEN_NAMES:
        return None
    stop = end_of_surname(plain, given.end())
    return stop if stop > given.end() and ENDS_PHRASE.match(plain, stop) else None


def _titled(name: str) -> str:
    first, *others = name.split(" ")
    parts = [each if each in _PARTICLES else each.capitalize() for each in others]
    full = first in GIVEN_NAMES and others and is_surname(others[-1])
    return as_spelled(name) if full else " ".join([first.capitalize(), *parts])

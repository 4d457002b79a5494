"""Clauses without a subject of their own: it was said before, or it goes without saying."""

import re
from collections.abc import Iterator
from dataclasses import replace

from app.distil.facts.clauses import Clause, Who, clause_at
from app.distil.language.lexicon import ONE_OF_A_KIND, ONE_OF_FEW, SEVERAL_OF_KIN

_HOW = r"(?:(?:also|now|currently|still|just|recently|mostly|then|usually|only)\s+)?"
_PAST = (
    r"(?:moved|relocated|grew\s+up|used\s+to|adopted|rescued|joined|started\s+(?:at|learning|playing)"
    r"|quit|left|was\s+born)"
)
_MANY = (
    r"(?:live|work|prefer|hate|love|enjoy|speak|own|play|teach|study|have|use|collect"
    r"|volunteer|practi[sc]e|do|go|want|need|can'?t\s+stand|am|'m)"
)
_ONE = (
    r"(?:lives|works|prefers|hates|loves|enjoys|speaks|owns|plays|teaches|studies|has|uses"
    r"|collects|volunteers|practi[sc]es|does|goes|wants|needs|can'?t\s+stand|is)"
)
_GOING_ON = r"(?P<going_on>(?:living|working|studying|learning|based|married|teaching))"
_IS = re.compile(r"(?:'?m|'re|'s|\s+am|\s+are|\s+is)(?=\s)")
_VERBS = {
    several: re.compile(rf"{_HOW}(?:{_PAST}|{verbs}|{_GOING_ON})\s")
    for several, verbs in ((True, _MANY), (False, _ONE))
}
_JOINED = {
    several: re.compile(rf",?\s+(?:and|but)\s+(?={each.pattern})")
    for several, each in _VERBS.items()
}
_OF_ANOTHER = re.compile(
    r"""\b(?: he | she | they | it | you | who | which | that | this | everyone | nobody
    | (?<!allergic\ )(?<!married\ )(?<!engaged\ )(?<!moved\ )(?<!relocated\ )(?<!back\ )
      (?<!used\ )(?<!switched\ )(?<!migrated\ )to(?=\s+[a-z])
    | can | could | will | would | let | lets | make | makes | help | helps | must | shall | wanna
    | gonna | please | don'?t | didn'?t | never | not )\b | 'll\b | 'd\b""",
    re.VERBOSE | re.IGNORECASE,
)
"""Behind these what follows need not be said of the subject, or not as it stands there."""

_NAMES_A_THING = re.compile(r"\bthe\s+[\w-]+\s*\Z")
_ENDS = re.compile(r"\w+\s+\w+\W*\Z")
"""Two words in all, as of "the food and love theme"."""

_UNSAID = re.compile(
    rf"""
    {_HOW}(?:originally\s+|finally\s+)?
    (?: (?P<does>
          (?:moved|relocated)(?:\s+back)?(?:\s+from\s+[^\s,]{{1,40}})?\s+to(?=\s+(?-i:[A-Z]))
        | grew\s+up\s+in | used\s+to\s+(?:live|work|play)
        | (?:got|adopted|rescued)(?=\s+(?:an?|two|three)\s) | joined(?=\s+an?\s)
        | (?:quit|lost)\s+my\s+job | left(?=\s+(?-i:[A-Z]))
        | started\s+at(?=\s+(?-i:[A-Z])) | live\s+in
        | (?-i:work)\s+(?:at|for|as|in) | (?-i:prefer) | (?-i:speak) | can'?t\s+stand
        | have(?=\s+(?:an?|two|three|four|\d)\s) )
    | (?P<has> been\s+(?:living|based|working|learning|studying|playing|teaching) )
    | (?P<is> (?:allergic|married|engaged)\s+to | (?:born|based)\s+in | born\s+and\s+raised
        | originally\s+from
        | (?-i:learning|studying)(?=\s+\w+\s*(?:$|[,.;!]|\s(?:atm|rn|now|btw|at\s+the\s)))
        | (?-i:vegan|vegetarian|pescatarian)(?=\s*(?:$|[,.!])) )
    )(?![\w'])
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""How who writes of themself begins without "I"."""

_SAYS_MORE = re.compile(
    r"\b(?:is|are|isn't|was|were|will|would|could|seems?|sounds?|looks?|feels|gets|keeps|makes)\b"
)
"""What tells that a noun stood there: "work at Google is fun"."""

_STANDS_FOR = {"does": " ", "has": " have ", "is": " am "}
_WHO = re.compile(r"who(?='s\s|\s+(?:is|are)\s|\s+" + _HOW + rf"(?:{_MANY}|{_ONE}|{_PAST})\s)")
_WHOSE = re.compile(
    r"(?P<all>\b(?:[Mm]y|[Oo]ur)\s+(?:(?:older|younger|little|big|twin)\s+)?(?P<kin>[a-z]+)"
    r"(?:\s+[A-Z][\w-]+)?),\s+\Z"
)
_LOOKED_BACK = 60


def clauses_at(
    plain: str, start: int, stop: int, speaker: str, *, last: Clause | None, first: bool
) -> Iterator[Clause]:
    """
    The clauses that begin there, the others of which share the subject of the first.

    Args:
        plain: The sentence.
        start: Where they begin.
        stop: Where they end.
        speaker: Whose words they are.
        last: What was said right before.
        first: Whether the sentence begins with them.
    """
    clause = _unsaid(plain, start, stop, speaker) if first else None
    clause = clause or clause_at(plain, start, stop, speaker)
    clause = (
        clause or _implied(plain, start, stop, last) or _about_whom(plain, start, stop, speaker)
    )
    while clause:
        joined = _JOINED[_is_several(clause)].search(plain, clause.begin, stop)
        if not joined:
            yield clause
            return
        behind = len(clause.rest) - (clause.stop - joined.start())
        clause = replace(clause, stop=joined.start(), rest=clause.rest[:behind])
        yield clause
        clause = _implied(plain, joined.end(), stop, clause)


def _implied(plain: str, start: int, stop: int, last: Clause | None) -> Clause | None:
    """What is said of the subject of `last`, which stands right before."""
    found = _VERBS[_is_several(last)].match(plain, start, stop) if last else None
    if last is None or found is None:
        return None
    being = _IS.match(last.rest) if found["going_on"] else None
    if found["going_on"] and being is None:
        return None
    if _NAMES_A_THING.search(plain, last.begin, last.stop) and _ENDS.match(plain, start, stop):
        return None
    if start - last.stop > _LOOKED_BACK or _OF_ANOTHER.search(plain, last.begin, last.stop):
        return None
    opening = last.opening or plain[last.start : last.begin]
    opening = opening.removesuffix("'s name").rstrip()
    verb = f"{being[0]} " if being else " "
    rest = f"{verb}{plain[start:stop]}"
    return replace(last, start=start, begin=start, stop=stop, rest=rest, opening=opening + verb)


def _unsaid(plain: str, start: int, stop: int, speaker: str) -> Clause | None:
    found = _UNSAID.match(plain, start, stop)
    if not found or _SAYS_MORE.search(plain, found.end(), stop):
        return None
    opening = _STANDS_FOR[str(found.lastgroup)]
    rest = f"{opening}{plain[start].lower()}{plain[start + 1 : stop]}"
    return Clause(speaker, Who.SELF, start, start, stop, rest, opening=f"I{opening}")


def _about_whom(plain: str, start: int, stop: int, speaker: str) -> Clause | None:
    """What "who" begins, behind whom it is about."""
    who = _WHO.match(plain, start, stop)
    whose = _WHOSE.search(plain, max(start - _LOOKED_BACK, 0), start) if who else None
    if not who or not whose or whose["kin"] not in ONE_OF_FEW:
        return None
    subject = f"{speaker}'s {whose['kin']}"
    begin, single = who.end(), whose["kin"] in ONE_OF_A_KIND
    rest = plain[begin:stop]
    return Clause(subject, Who.KIN, begin, begin, stop, rest, single, opening=whose["all"])


def _is_several(clause: Clause) -> bool:
    """Whether verbs stand behind its subject as behind "I" and "we"."""
    if clause.who is Who.KIN:
        return clause.subject.rpartition(" ")[2] in SEVERAL_OF_KIN
    return clause.who in (Who.SELF, Who.WE)

"""What clauses say of their subjects: verbs, each with its attribute and how its value is read."""

import re
from collections.abc import Iterable, Sequence

from app.distil.facts.choosing import chosen, given_up, gone_with, resolved
from app.distil.facts.clauses import Who
from app.distil.facts.fact import Tense
from app.distil.facts.figures import age
from app.distil.facts.homes import home_in, village
from app.distil.facts.living import allergen, lacked, venture
from app.distil.facts.persons import named
from app.distil.facts.places import known_place
from app.distil.facts.predicates import FAMILY, OF_US, ONE, TOOL, US, WE_DECIDED, Predicate, saying
from app.distil.facts.regions import somewhere
from app.distil.facts.tools import upgraded
from app.distil.facts.trades import occupation, workplace
from app.distil.facts.values import (
    choice,
    known_tool,
    languages,
    owned,
    played,
    possession,
    proper,
    spouse,
    thing,
    tool,
)
from app.distil.language.lexicon import DIETS, KIND_OF_TOOL, PROGRAMS

_FROM_WHAT = r" (?:away )?from (?P<against>[^\s,]{1,40}(?: [^\s,]{1,20}){0,2}?)"
_FROM = rf"(?:{_FROM_WHAT})?"


def _from_one_of(names: Iterable[str]) -> str:
    one = "|".join(rf"(?i:{re.escape(each)})" for each in sorted(names) if " " not in each)
    return rf"(?:away )?from (?P<from_tool>{one})"


_FROM_TOOL = _from_one_of(KIND_OF_TOOL)
_FROM_PROGRAM = _from_one_of(KIND_OF_TOOL.keys() | PROGRAMS)

_CHANGING = "(?:switching|migrating|changing)(?: over)?"
_SOON = (
    r"(?=.{1,80}\b(?:next|soon|tomorrow|later|once|in (?:\d+|an?|two|three|four|six) [a-z]+"
    r"|in [A-Z][a-z]+|by the end)\b)"
)
_OUT_OF = r"(?: (?:back|(?:from|out of) [^,;.!?]{1,50}?))?"
_WITH_WHOM = r"(?: (?:alone|with (?:my|our|his|her|their) [a-z]+(?: and [a-z]+)?))?"
_HOURS = r"(?:(?:night|day|early|late) shifts|nights|part[- ]time|full[- ]time|remotely)"
_HAVE = r"(?:'ve got|have got|has got|have|has)"
_HOW_ONE_STANDS = r" (?:up|still|straight|upright|back|by|aside|around|here|there|in|on|at|near)\b"
_HOW_ONE_STUDIES = (
    r" (?:at|in|on|for|with|from|by|near|under|during|after|before|until|hard|abroad|online|late"
    r"|alone|together|every|all|best|better|more|there|here|remotely|part[- ]time|full[- ]time)\b"
)

VERBS: Sequence[Predicate] = [
    Predicate(
        saying(rf"(?:lives?|resides?|(?P<was>lived|resided)){_WITH_WHOM} in"), "lives_in", somewhere
    ),
    Predicate(
        saying(
            r"(?:moved?|moves|relocated?|relocates)(?: back)?"
            r"(?: from [^\s,]{1,40}(?: [A-Z][^\s,]{1,20}){0,2}(?:, [A-Z][\w.]{1,20})?)? to"
        ),
        "lives_in",
        somewhere,
    ),
    Predicate(saying(r"(?:moved|relocated)(?: back)? to"), "lives_in", village, of=OF_US),
    Predicate(saying(rf"(?:moved|relocated){_OUT_OF} (?:in)?to"), "lives_in", home_in, of=FAMILY),
    Predicate(saying(r"(?:lives?|(?P<was>lived)) in"), "lives_in", home_in, of=FAMILY),
    Predicate(saying(r"(?P<was>lived) in"), "lives_in", known_place, of=OF_US),
    Predicate(
        saying(rf"(?:works?|(?P<was>worked))(?: {_HOURS})? (?:at|for)"), "works_at", workplace
    ),
    Predicate(
        saying(
            r"(?:runs?|leads?|manages?|heads?) [^,;.]{1,40} (?:team|group|department) (?:at|of)"
        ),
        "works_at",
        proper,
        of=ONE,
    ),
    Predicate(saying(r"(?:works?|(?P<was>worked)) as"), "job", occupation),
    Predicate(saying(r"(?:comes? from|grew up in)"), "from", somewhere, of=ONE),
    Predicate(saying(r"prefers?"), "prefers", choice, of=ONE),
    Predicate(saying(r"(?:likes?|loves?|enjoys?|adores?)"), "likes", thing, of=ONE),
    Predicate(
        saying(
            rf"(?:hates?|dislikes?|despises?|detests?|(?:can't|cannot) stand(?!{_HOW_ONE_STANDS}))"
        ),
        "dislikes",
        thing,
        of=ONE,
    ),
    Predicate(saying(r"speaks?"), "speaks", languages),
    Predicate(saying(r"plays?"), "plays", played, of=ONE),
    Predicate(saying(rf"stud(?:y|ies)(?!{_HOW_ONE_STUDIES})"), "studies", thing, of=ONE),
    Predicate(saying(rf"{_HAVE} no"), "has", lacked, of=FAMILY, positive=False),
    Predicate(saying(rf"{_HAVE}(?! (?:no|any)(?![\w']))"), "has", possession, of=ONE),
    Predicate(saying(r"owns?"), "runs", venture, of=ONE),
    Predicate(saying(r"(?:owns?|drives?(?! a hard bargain))"), "has", owned, of=ONE),
    Predicate(re.compile(r"(?:have|has)\s+(?=co?eliac\b)"), "diet", thing, of=ONE),
    Predicate(saying(r"goes? by"), "called", proper),
    Predicate(saying(r"uses?"), TOOL, tool, of=US),
    Predicate(
        saying(
            r"(?:(?:have )?(?:decided|settled|agreed|opted|standardi[sz]ed)"
            r" (?:on|for|to use|to go with|upon))"
        ),
        TOOL,
        choice,
        of=US,
        decides=True,
        else_attribute="decision",
        confidence=0.95,
    ),
    Predicate(
        saying(r"(?:went|gone) with"),
        TOOL,
        gone_with,
        of=US,
        decides=True,
        else_attribute="decision",
        confidence=0.95,
    ),
    Predicate(
        saying(r"(?:chose|chosen|picked(?! up| out)|selected|adopted)"),
        TOOL,
        chosen,
        of=US,
        decides=True,
        else_attribute=WE_DECIDED,
        confidence=0.95,
    ),
    Predicate(
        saying(r"(?:go with|choose|adopt)"),
        TOOL,
        gone_with,
        of=US,
        tense=Tense.PLANNED,
        else_attribute="decision",
    ),
    Predicate(
        saying(r"(?:decided|agreed|voted) to replace (?P<against>[^\s,]{1,40}) (?:with|by)"),
        TOOL,
        known_tool,
        of=US,
        decides=True,
        confidence=0.95,
    ),
    Predicate(
        saying(rf"(?:decided|agreed|voted) to (?:switch|migrate|change|move){_FROM} to"),
        TOOL,
        known_tool,
        of=US,
        decides=True,
        confidence=0.95,
    ),
    Predicate(
        saying(r"(?:upgraded|updated|bumped|migrated)"),
        TOOL,
        upgraded,
        of=US,
        confidence=0.95,
    ),
    Predicate(
        saying(rf"moved {_FROM_PROGRAM} to"), TOOL, tool, of=OF_US, decides=True, confidence=0.95
    ),
    Predicate(
        saying(r"(?:decided|agreed) (?:to|that)"),
        "decision",
        resolved,
        of=US,
        decides=True,
        confidence=0.9,
    ),
    Predicate(
        saying(r"(?:decided|voted) against"),
        "decision",
        choice,
        of=US,
        positive=False,
        decides=True,
    ),
    Predicate(
        saying(rf"(?:(?:switch|switched|migrated?|changed?){_FROM}|moved? {_FROM_TOOL}) to"),
        TOOL,
        tool,
        of=US,
        decides=True,
        confidence=0.95,
    ),
    Predicate(saying(rf"moved?{_FROM} to"), TOOL, known_tool, of=US, decides=True, confidence=0.95),
    Predicate(
        saying(r"(?:replaced?) (?P<against>[^\s,]{1,40}) (?:with|by)"),
        TOOL,
        tool,
        of=US,
        decides=True,
        confidence=0.95,
    ),
    Predicate(
        saying(r"(?:stopped using|dropped|got rid of|abandoned|ditched)"),
        "uses",
        given_up,
        of=US,
        positive=False,
    ),
]

ONLY_DENIED: Sequence[Predicate] = [
    Predicate(saying(r"eats?"), "eats", thing, of=FAMILY),
    Predicate(saying(r"drinks?"), "drinks", thing, of=FAMILY),
    Predicate(saying(rf"{_HAVE}(?: any)?"), "has", lacked, of=FAMILY),
]
"""What says something durable of somebody only where it is denied: "I don't eat fish"."""

BEING: Sequence[Predicate] = [
    Predicate(saying(r"(?:called|named)"), "name", proper, confidence=0.95),
    Predicate(saying(r"(?:living|based|located) in"), "lives_in", somewhere),
    Predicate(saying(r"living in"), "lives_in", known_place, of=OF_US),
    Predicate(saying(r"(?:living|settled) in"), "lives_in", home_in, of=FAMILY),
    Predicate(
        saying(r"(?:moving|relocating)(?: back)? to"), "lives_in", somewhere, tense=Tense.PLANNED
    ),
    Predicate(
        saying(r"(?:moving|relocating)(?: back)? to"),
        "lives_in",
        village,
        of=OF_US,
        tense=Tense.PLANNED,
    ),
    Predicate(
        saying(rf"(?:moving|relocating){_OUT_OF} (?:in)?to"),
        "lives_in",
        home_in,
        of=FAMILY,
        tense=Tense.PLANNED,
    ),
    Predicate(saying(r"(?:working|employed) (?:at|for|by)"), "works_at", workplace),
    Predicate(saying(r"(?:originally |actually )?from"), "from", somewhere, of=ONE),
    Predicate(
        saying(r"(?:(?:mildly|slightly|severely|highly|badly|deathly|terribly|very) )?allergic to"),
        "allergic_to",
        allergen,
        confidence=0.95,
    ),
    Predicate(saying(r"(?:married|engaged) to"), "married_to", spouse),
    Predicate(saying(rf"(?:studying|learning)(?!{_HOW_ONE_STUDIES})"), "studies", thing, of=ONE),
    Predicate(saying(r"going with"), TOOL, known_tool, of=US, decides=True),
    Predicate(saying(r"using"), TOOL, tool, of=US),
    Predicate(saying(r"(?:still )?(?:running )?on"), TOOL, known_tool, of=US),
    Predicate(
        saying(rf"{_SOON}(?:{_CHANGING}{_FROM_WHAT}|moving(?: over)? {_FROM_PROGRAM}) to"),
        TOOL,
        tool,
        of=OF_US,
        tense=Tense.PLANNED,
    ),
    Predicate(
        saying(rf"{_CHANGING}{_FROM_WHAT} to"),
        TOOL,
        tool,
        of=US,
        decides=True,
        else_attribute="decision",
    ),
    Predicate(
        saying(rf"moving(?: over)? {_FROM_PROGRAM} to"),
        TOOL,
        tool,
        of=OF_US,
        decides=True,
        else_attribute="decision",
    ),
    Predicate(saying(r"(?:switching|migrating) to"), TOOL, tool, of=US, tense=Tense.PLANNED),
    Predicate(saying(r"moving to"), TOOL, known_tool, of=US, tense=Tense.PLANNED),
    Predicate(re.compile(rf"(?=(?:a\s+)?(?:{DIETS})\b)"), "diet", choice, of=ONE, confidence=0.95),
    Predicate(re.compile(r"(?:an?\s+)?(?=\d)"), "age", age, of=ONE),
    Predicate(re.compile(r"(?P<was>an?\s+(?:former\s+|ex[\s-]+))"), "job", occupation),
    Predicate(re.compile(r"(?=an?\s)"), "job", occupation),
    Predicate(re.compile(r"(?=[^\W\d_a-z])"), "name", named, of=frozenset({Who.KIN})),
]
"""Behind "is", "am", "are"."""

"""The parts that a clause is read by: predicates, auxiliaries, adverbs."""

import re
from dataclasses import KW_ONLY, dataclass

from app.distil.facts.clauses import Who
from app.distil.facts.fact import Tense
from app.distil.facts.values import Read
from app.distil.language.lexicon import DIETS

PERSON = frozenset({Who.SELF, Who.KIN, Who.NAMED})
SPEAKER = frozenset({Who.SELF})
US = frozenset({Who.SELF, Who.WE})
ONE = frozenset({Who.SELF, Who.KIN})
"""Of whom rules may say more: "Sounds like fun" is about nobody who is called Sounds."""

FAMILY = frozenset({Who.SELF, Who.KIN, Who.WE})
"""Of whom daily life is told."""

OF_KIN = frozenset({Who.KIN})
"""Of whom more stands behind "'s" than behind "is": "my mother's birthday is …"."""

OF_US = frozenset({Who.WE})
"""What "we" say may be of a firm: so a place has to be one that all know."""

TOOL = "tool"
"""Stands for the kind of the tool that is the value."""

WE_DECIDED = "decision by us"
"""Stands for a decision of several; what one alone picks is mostly of the moment."""

CAN_BE_PLANNED = frozenset({"lives_in", "works_at", "job", "married_to", "decision", "plans", TOOL})

LISTED = frozenset(
    f"""likes dislikes prefers eats drinks allergic_to plays has studies does collects teaches
    works_in condition visited {TOOL}""".split()
)
"""Attributes of which several values may be told at once."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """
    What a verb with what follows says.

    A group `was` in the pattern makes it past. `decides` is what "we" can say through an assistant
    too. A tool of which no kind is known is told under `else_attribute`.
    """

    says: re.Pattern[str]
    attribute: str
    read: Read
    _: KW_ONLY
    of: frozenset[Who] = PERSON
    tense: Tense = Tense.NOW
    positive: bool = True
    decides: bool = False
    else_attribute: str = "uses"
    confidence: float = 0.85
    lasting: bool = False
    """What was so once is so for good, as "was born in"."""


def saying(pattern: str) -> re.Pattern[str]:
    """Words as they begin, up to the next one; a blank stands for several."""
    return re.compile(pattern.replace(" ", r"\s+") + r"(?![\w'])\s*")


AUXILIARY = re.compile(
    rf"""
    (?P<past>\s+used\s+to(?=\s))
    | (?P<planned>(?:'ll|\s+will|(?:'?m|'re|'s|\s+am|\s+are|\s+is)\s+(?:going|planning)\s+to
        |\s+plans?\s+to|\s+intends?\s+to)(?=\s))
    | (?P<denied>\s+(?:don'?t|do\s+not|doesn'?t|does\s+not|no\s+longer|never)(?=\s))
    | (?P<unable>\s+(?:can'?t|cannot|can\s+not)(?=\s+(?:eat|have|drink|digest)\b))
    | (?P<stopped>(?:'?ve|'s|\s+have|\s+has)?\s+(?:stopped|quit|gave\s+up|given\s+up)
        (?=\s+(?!using\b)\w+ing\b))
    | (?P<has>(?:'?ve|'s|\s+have|\s+has)(?=\s+(?:\w+ly\s+|just\s+|now\s+|also\s+)?
        (?:moved|relocated|lived|worked|decided|settled|agreed|opted|chosen|picked|selected|adopted
        |switched|migrated|replaced|upgraded|updated|bumped|stopped|dropped|standardi[sz]ed|gone|ditched)\b))
    | (?P<doing>(?:'?ve|'s|\s+have|\s+has)\s+been(?=\s+(?:\w+ly\s+)?\w+ing\b))
    | (?P<isnt>(?:'?m|'re|'s|\s+am|\s+are|\s+is)\s+(?:not|no\s+longer)|\s+(?:isn't|aren't)(?=\s))
    | (?P<been>\s+(?:was|were)(?=\s))
    | (?P<is>(?:'?ve|'s|\s+have|\s+has)\s+been(?=\s+(?:an?\s+)?(?:{DIETS})\b)
        |(?:'?m|'re|'s|\s+am|\s+are|\s+is)(?=\s))
    """,
    re.VERBOSE,
)
ADVERBS = re.compile(
    r"(?:\s+(?:now|currently|actually|really|also|still|just(?!\s+(?:like|love|enjoy|left|started\s+at)\b)|recently(?!\s+started\s+at\b)|finally|already|officially"
    r"|all|both|generally|usually|strongly|absolutely|simply|always|only|mostly|permanently"
    r"|even|ever))*(?![\w'])\s*"
)
DENIED_IN_PART = re.compile(
    r"\b(?:only|just|simply|always|all|both|mostly|usually|generally|permanently)\b", re.IGNORECASE
)
"""Adverbs that alone are denied: who does not only use Redis uses it."""

"""Which plan of a service somebody has, by what they say or are told: "we upgraded to Pro"."""

import re

from app.distil.facts.clauses import Clause, Who
from app.distil.facts.retelling import quoted, retold
from app.distil.facts.statement import Statement
from app.distil.facts.values import ENDS_PHRASE, proper

MAY_TELL_PLAN = re.compile(
    r"\b(?:plan|tier|subscription|package|upgraded|downgraded)\b", re.IGNORECASE
)
"""Without any of these a clause tells none."""

_USER = "User"
"""Whom "you" means, as what callers tell of "the customer" calls them."""

_TIER = (
    r"(?:free|basic|starter|standard|plus|pro|professional|premium|business|enterprise|teams?|growth"
    r"|scale|gold|silver|bronze|platinum|diamond|ultimate|advanced|essentials?|lite|hobby|personal"
    r"|individual|family|unlimited|max)"
)
_PLAN = r"(?:plan|tier|subscription|package)"
_TIERS = rf"(?P<tier>{_TIER}(?:\s+{_TIER}){{0,2}})"
_ON = rf"(?:(?:the|an?|your|our)\s+)?{_TIERS}\s+{_PLAN}"
_TO_ANY = rf"(?:{_ON}|(?:the\s+)?{_TIERS.replace('tier>', 'alone>')})"
_TO_NAMED = rf"(?:the|an?|your|our)\s+(?P<named>(?-i:[A-Z])[\w+-]{{1,20}})\s+{_PLAN}"
_HOW = r"(?:\s+(?:just|now|recently|finally|already|also|both|all|currently|still|successfully))*"
_BECAME = rf"(?:'ve|\s+have|\s+were|\s+was|\s+got)?{_HOW}(?:\s+been)?{_HOW}"
_FROM = r"(?:\s+from\s+[^,.;]{1,30}?)?"
_UP = r"\s+(?:upgraded|downgraded)"
_MOVED = r"\s+(?:switched|moved|changed)"
_IT = r"(?:plan|subscription|account|workspace|team|organi[sz]ation|license|licence)"


def _forms(who: str, whose: str) -> str:
    """What who has a plan says of it, or is told, whose pronouns are these."""
    own = rf"(?:\s+(?:{whose}|the)\s+{_IT})?"
    return rf"""
        (?:{who}){_BECAME}{_UP}{own}{_FROM}\s+to\s+(?:{_TO_ANY}|{_TO_NAMED})
        | (?:{who}){_BECAME}{_MOVED}{own}{_FROM}\s+(?:on)?to\s+{_ON}
        | (?:{who})(?:'m|'re|\s+am|\s+are){_HOW}\s+(?:on|subscribed\s+to)\s+{_ON}
        | (?:{who}){_BECAME}\s+subscribed\s+to\s+{_ON}
        | (?:{whose})\s+(?:current\s+|new\s+)?{_PLAN}\s+is{_HOW}\s+{_TO_ANY}
        | (?:{whose})\s+{_IT}\s+is{_HOW}\s+on\s+{_ON}
        | (?:{whose})\s+{_IT}\s+(?:was|is|has\s+been|got){_HOW}(?:{_UP}|{_MOVED}){_FROM}\s+to\s+
          {_TO_ANY}
    """


def _read(forms: str) -> re.Pattern[str]:
    """One pattern of them, in which each group has a name of its own."""
    at = iter(range(forms.count("(?P<")))
    numbered = re.sub(
        r"\(\?P<(tier|alone|named)>", lambda found: f"(?P<{found[1]}{next(at)}>", forms
    )
    return re.compile(rf"(?:{numbered})", re.VERBOSE | re.IGNORECASE)


_BY_USER = _read(_forms("I|we", "my|our"))
_BY_HOST = _read(
    rf"""{_forms("you", "your")}
    | (?:I|we)(?:'ve|\s+have)?{_HOW}(?:{_UP}|{_MOVED})\s+(?:you|your\s+{_IT}){_FROM}\s+to\s+
      {_TO_ANY}
    """
)
_HANGS_ON = re.compile(
    r"\b(?:if|when|whenever|once|after|as\s+soon\s+as|until|unless|before|assuming|imagine|should|would"
    r"|could|next|tomorrow|starting|from(?!\s+now)|example)\b",
    re.IGNORECASE,
)
_LATER = re.compile(
    r"\s+(?:from|starting|next|tomorrow|if|when|once|unless|as\s+soon\s+as|after|in\s+(?:an?|two|\d+)"
    r"|for\s+(?:free|an?|the|one|two|\d+)\s+(?:trial|days?|weeks?|months?)"
    r"|and\s+(?:their|his|her|its))\b",
    re.IGNORECASE,
)
"""Behind a plan that somebody has not, or not for long, or that is told with what is another's."""

_AS_USER = {
    "you've": "has", "you have": "has", "you're": "is", "you are": "is", "you were": "was",
    "you got": "got", "you": "",
}  # fmt: skip
_CONFIDENCE = 0.85


def plan_told(plain: str, start: int, stop: int, *, by_host: bool) -> Statement | None:
    """
    Which plan a clause says that its speaker has, or, `by_host`, that the user has.

    Nothing that hangs on what comes before it, or is so only later.
    """
    found = (_BY_HOST if by_host else _BY_USER).match(plain, start, stop)
    name = next((each for each in found.groups() if each), None) if found else None
    if found is None or name is None or _HANGS_ON.search(plain, 0, start):
        return None
    if not ENDS_PHRASE.match(plain, found.end()) or _LATER.match(plain, found.end()):
        return None
    value = name if name[0].isupper() and proper(name) else name.title()
    subject = _USER if by_host else None
    return Statement(subject=subject, attribute="plan", value=value, confidence=_CONFIDENCE)


def plan_retold(words: str, speaker: str, *, by_host: bool) -> str:
    """Such words as somebody else would tell them."""
    if not by_host:
        clause = Clause(speaker, Who.SELF, 0, 1, len(words), "")
        return retold(clause, words, speaker) if words.startswith("I") else quoted(words, speaker)
    told = words.replace("\u2019", "'").strip().rstrip(" .!;:,")
    if told[:5].casefold() == "your ":
        return f"{_USER}'s {told[5:]}"
    said = re.match(r"you(?:'\w+| have| are| were| got)?(?=\s)", told, re.IGNORECASE)
    if said is None:
        return quoted(words, speaker)
    verb = _AS_USER.get(said[0].casefold(), "")
    return " ".join(f"{_USER} {verb} {told[said.end() :]}".split())

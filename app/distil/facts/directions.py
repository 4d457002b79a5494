"""Statements without a subject of their own: rules, what to be called, "the … is …"."""

import re

from app.distil.facts.addresses import address
from app.distil.facts.clauses import WE
from app.distil.facts.figures import date, email, phone, pronouns, telling, timezone
from app.distil.facts.german import work_in_german
from app.distil.facts.listing import listed, phrase_of
from app.distil.facts.standing import modal_of_rule
from app.distil.facts.statement import Statement
from app.distil.facts.tools import attribute_of
from app.distil.facts.values import (
    ASIDE,
    Read,
    choice,
    is_undecided,
    kind_of,
    known_tool,
    proper,
    tool,
    whole,
)
from app.distil.facts.working import day_at_work
from app.distil.language.lexicon import (
    MEASURES,
    TOLD_NOUNS,
    TOOL_KINDS,
    VERBS_OF_ONE_OFF_RULES,
    VERBS_OF_RULES,
)

_RULE = re.compile(
    r"(?:from now on,?\s+)?(?:(?:please|pls|plz)\s+)?"
    r"(?:make sure (?:to|you)\s+|remember to\s+|i want you to\s+)?"
    r"(?:(?P<do>always)|(?P<never>never)|(?P<dont>don'?t|do not))(?:\s+ever)?"
    r"\s+(?P<verb>[a-z]+)\b",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"(?:(?:please|pls|plz)\s+)?(?P<verb>[a-z]+)\b[^.!?\n]*?"
    r"(?P<since>,?\s+(?:from now on|going forward))?\W*\Z",
    re.IGNORECASE,
)
_AT_THIS_MOMENT = re.compile(
    r"\b(?:now|yet|today|tonight|tomorrow|this (?:time|once|one|morning|week)|(?<![a-z]s )that"
    r"|it|me|again|anything|for the moment|here)\b",
    re.IGNORECASE,
)
_ONCE_MORE = re.compile(r"\A(\w+\s+\S.*\S)\s+again\Z", re.IGNORECASE)
"""Who wants no tabs again wants none at all."""

_OF_THEMSELVES = re.compile(r"\A(?:call|contact|address)\s+me\b", re.IGNORECASE)

_CALL = re.compile(
    r"(?:(?:you can|just|everyone|everybody|people|(?:all )?my friends|they all)\s+)?calls? me\s+",
    re.IGNORECASE,
)
_AND_NOT = re.compile(r"(?:,?\s+(?:please|instead(?:\s+of\s+[\w-]+)?|not\s+[A-Z][\w-]*))+\W*\Z")
_REACHED_AT = re.compile(
    r"(?:(?:you|u)\s+can\s+)?(?:reach|contact|email|e-mail|mail)\s+me\s+(?:at|on|under|via)\s+",
    re.IGNORECASE,
)
_LET_US = re.compile(r"let's (?:go with|settle on|stick with)\s+", re.IGNORECASE)
_THE = re.compile(
    r"(?:(?P<whose>[Tt]he|[Oo]ur|[Mm]y)\s+)?(?P<noun>(?:[\w-]{1,30}\s+){0,2}?[\w-]{1,30})"
    r"(?:\s+(?:for|of)\s+(?:the\s+)?(?P<of>[A-Z][\w-]*(?:\s[A-Z][\w-]*)?))?"
    r"(?:(?<=\bname)'s|\s+(?:is|are|will\s+be|(?:was|got|has\s+been)?\s*(?:moved|changed"
    r"|pushed(?:\s+back)?|postponed|delayed|rescheduled)\s+(?:to|until)"
    r"|(?:runs|stays)\s+on))"
    r"\s+(?!not\b|no\b)"
)
_BUILT = re.compile(
    r"(?:[Tt]he|[Oo]ur|[Mm]y)\s+(?P<part>[a-z][\w-]*(?:\s[a-z]+)?)"
    r"\s+(?:(?:is|are)\s+(?:now\s+)?(?:written|built|implemented|coded)\s+(?:in|with|on|using)"
    r"|(?:uses|runs\s+on))\s+"
)
_AS_IT_IS_NOW = re.compile(r"\A(?:new|current|present)\s+(?=\w)")
_OF_BEFORE = re.compile(r"(?:old|former|previous|other)\s")


def _goal(text: str) -> str | None:
    """What is to be done: "to run a marathon in May"."""
    begin = re.match(r"to\s+", text)
    return whole(text[begin.end() :]) if begin else None


SPELLED = {
    "number": "phone", "phone number": "phone", "mobile number": "phone",
    "e-mail": "email", "email address": "email",
    "e-mail address": "email", "time zone": "timezone", "full name": "name", "first name": "name",
    "nickname": "called", "repo": "repository",
}  # fmt: skip
_READ: dict[str, Read] = {
    "address": lambda text: address(text) or telling(text),
    "email": email,
    "phone": phone,
    "birthday": date,
    "name": proper,
    "called": proper,
    "pronouns": pronouns,
    "timezone": timezone,
    "goal": _goal,
}
SAYS_NOTHING_ALONE = frozenset({"number", "code", "rate", "room", "runner"})
_OF_WHAT_WAS_SAID = frozenset("part thing moment memory one ones bit aspect way time".split())
"""One's favourite part is of something that is named elsewhere."""

_ABOUT_PEOPLE = MEASURES | {
    *("name", "called", "birthday", "pronouns", "phone", "email", "goal", "anniversary"),
    "wedding anniversary",
}


def statement_at(clause: str, *, first: bool, from_now_on: bool = False) -> Statement | None:
    """
    What the clause says; `first` if a sentence begins with it, as a rule has to.

    What is asked for `from_now_on` is a rule without "always", too.
    """
    begun = _at_first(clause, from_now_on=from_now_on) if first else None
    return (
        begun
        or _called(clause)
        or _reached(clause)
        or (day_at_work(clause) if " day" in clause else None)  # a call for most is spared
        or _agreed(clause)
        or _told(clause, first=first)
        or _built(clause)
    )


def _at_first(clause: str, *, from_now_on: bool) -> Statement | None:
    """What only a sentence that begins with it says."""
    rule = _rule(clause) or _lasting(clause, from_now_on=from_now_on)
    return rule or work_in_german(clause)


def _rule(clause: str) -> Statement | None:
    if modal_of_rule(clause) and (asked := whole(clause)):
        return Statement(subject=None, attribute="rule", value=asked, confidence=0.9)
    found = _RULE.match(clause)
    value = whole(clause[found.start("verb") :]) if found else None
    if not found or not value:
        return None
    known = VERBS_OF_ONE_OFF_RULES if found["dont"] else VERBS_OF_RULES
    lasting = _OF_THEMSELVES.sub("", _ONCE_MORE.sub(r"\1", value))
    of_the_moment = not found["do"] and _AT_THIS_MOMENT.search(lasting)
    if found["verb"].casefold() not in known or of_the_moment:
        return None
    return Statement(
        subject=None, attribute="rule", value=value, confidence=0.9, positive=bool(found["do"])
    )


def _lasting(clause: str, *, from_now_on: bool) -> Statement | None:
    """What is asked for from now on, whether that is said before it or behind."""
    found = _ASKED.match(clause)
    if not found or not (from_now_on or found["since"]) or _CALL.match(clause):
        return None
    stop = found.start("since") if found["since"] else len(clause)
    value = whole(clause[found.start("verb") : stop])
    if not value or found["verb"].casefold() not in VERBS_OF_RULES:
        return None
    return Statement(subject=None, attribute="rule", value=value, confidence=0.9)


def _called(clause: str) -> Statement | None:
    found = _CALL.match(clause)
    said = _AND_NOT.sub("", clause[found.end() :]).rstrip(" .!") if found else ""
    name = proper(said)
    if not name or name != said:
        return None
    return Statement(subject=None, attribute="called", value=name, confidence=0.95)


def _reached(clause: str) -> Statement | None:
    found = _REACHED_AT.match(clause)
    address = email(clause[found.end() :]) if found else None
    if not address:
        return None
    return Statement(subject=None, attribute="email", value=address, confidence=0.85)


def _agreed(clause: str) -> Statement | None:
    found = _LET_US.match(clause)
    value = choice(clause[found.end() :]) if found else None
    if not value or is_undecided(clause, value) or not re.search(r"[^\W\d_]", value):
        return None
    attribute = attribute_of(value, clause, "decision")
    return Statement(subject=WE, attribute=attribute, value=value, confidence=0.85)


def _built(clause: str) -> Statement | None:
    """With what a part is made: "our backend is written in Go"."""
    found = _BUILT.match(clause)
    value = known_tool(clause[found.end() :]) if found else None
    if not found or not value or is_undecided(clause, value):
        return None
    attribute = f"{kind_of(value)} for {found['part']}"
    return Statement(subject=WE, attribute=attribute, value=value, confidence=0.85)


def _told(clause: str, *, first: bool) -> Statement | None:
    """What "the … is …" says; at the beginning "Deadline is …" says as much."""
    found = _THE.match(clause)
    if not found or not (found["whose"] or (first and found["noun"].istitle())):
        return None
    noun = " ".join(found["noun"].casefold().split()).replace("favorite", "favourite")
    mine = (found["whose"] or "").casefold() == "my"
    noun = _AS_IT_IS_NOW.sub("", noun) if mine else noun
    attribute = SPELLED.get(noun, noun)
    if _OF_BEFORE.match(noun) or not _is_told(attribute, mine=mine):
        return None
    value = _reader(attribute)(ASIDE.sub("", clause[found.end() :]))
    if not value:
        return None
    subject = found["of"] or (None if mine else WE)
    return Statement(subject=subject, attribute=attribute, value=value, confidence=0.85)


def _reader(attribute: str) -> Read:
    if attribute.startswith("favourite "):
        return _choices
    return tool if attribute in TOOL_KINDS else _READ.get(attribute, telling)


def _choices(text: str) -> str | None:
    """What is chosen, though it be several things, "red, green and blue", but no "or"."""
    said = phrase_of(text).strip(" ,.!")
    value = said if len(listed(said)) > 1 else choice(text)
    return None if value is None or is_undecided(text, value) else value


def _is_told(attribute: str, *, mine: bool) -> bool:
    if attribute.startswith("favourite ") or attribute in _ABOUT_PEOPLE:
        return mine and attribute.partition(" ")[2] not in _OF_WHAT_WAS_SAID
    words = attribute.split()
    return words[-1] in TOLD_NOUNS and attribute not in SAYS_NOTHING_ALONE

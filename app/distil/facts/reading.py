"""What a clause with a subject states: its auxiliary, its verb, its value."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.distil.facts.choosing import gone_with
from app.distil.facts.clauses import Clause, Who
from app.distil.facts.endings import ENDED, ENDINGS
from app.distil.facts.fact import Tense, kind_in
from app.distil.facts.figures import aged
from app.distil.facts.habits import GOING_ON, HABITS, STATES, UNABLE
from app.distil.facts.listing import is_one, listed
from app.distil.facts.living import allergen, collection, held, liked
from app.distil.facts.places import place
from app.distil.facts.predicates import (
    ADVERBS,
    AUXILIARY,
    CAN_BE_PLANNED,
    DENIED_IN_PART,
    LISTED,
    TOOL,
    WE_DECIDED,
    Predicate,
)
from app.distil.facts.statement import Statement
from app.distil.facts.tools import attribute_of
from app.distil.facts.trades import employer, occupation
from app.distil.facts.values import (
    Read,
    choice,
    ends_name,
    is_undecided,
    kind_of,
    thing,
    tool,
)
from app.distil.facts.verbs import BEING, ONLY_DENIED, VERBS
from app.distil.language.given_names import GIVEN_NAMES
from app.distil.language.lexicon import DEPARTMENTS, PROGRAMS, STATES_OF_MIND, TOOL_KINDS

_LASTING = re.compile(r"\b(?:since|for)\b", re.IGNORECASE)
_OVER = re.compile(r"\b(?:over|to|instead of|rather than)\s+(?P<against>[^,;.]{1,60})")
_GIVEN_UP = re.compile(
    r"(?:replace|drop|ditch|abandon|stop\s+using|get\s+rid\s+of"
    r"|(?:switch|move|migrate|change)(?:\s+away)?\s+from)\s+"
    r"(?P<against>[A-Z][^\s,]{0,40}(?:\s[A-Z][^\s,]{0,20})?)(?=\W|\Z)"
)
"""What is decided to be no more: "replace Stripe with Adyen"."""

_ALLERGIC = re.compile(r"\band\s+allergic\s+to\s+")
_NO_HOMES = PROGRAMS | DEPARTMENTS | STATES_OF_MIND
_BOTH = re.compile(r"\Aboth\s+")
_ANY_WORDS = (thing, choice, gone_with, liked, collection, allergen)
_ANY_NAMES = (place, tool)
"""Readers that know no end of what they read, as those of closed lists do."""

_OF_MORE: Mapping[str, Read] = {TOOL: tool, "has": held}
"""How a further thing is read, where it is by less than the first."""

_FOR_NOW = re.compile(
    r"\b(?:at|when|whenever|while|until|to|for|again|briefly|early|today|tonight|yesterday|halfway"
    r"|midway|this (?:morning|evening)|last night)\b",
    re.IGNORECASE,
)
"""What goes on later: "I stopped playing at ten"."""

_CONSUMED = frozenset({"eats", "drinks"})
_AT_TIMES = re.compile(
    r"\s(?:after|before|during|until|till|when|whenever|while|unless|except|with|today|tonight"
    r"|tomorrow|this|at(?!\s+all\b)|in(?!\s+general\b)|on(?!\s+(?:principle|account)\b))\b",
    re.IGNORECASE,
)
"""Who drinks no coffee "after three", or "on an empty stomach", drinks coffee."""

_AT_ONCE = re.compile(r"'ll\b|\s+will\b")
_SAYS_LITTLE = re.compile(
    r"(?:[\d\W]+|version\s+[\d.]+|(?:two|three|four|five|six|several|\d+)\s+(?:\w+\s+)?(?:components|parts"
    r"|options|steps|phases|sections|categories|modules|features|approaches)"
    r"|.*\s(?:going|being|getting|having))\Z",
    re.IGNORECASE,
)
"""Of what is chosen: what it is of, or what they are, stands elsewhere."""

_TOLD_BY_NAME = frozenset({"diet", "age", "eats", "prefers"})
"""What is told of somebody with a name that is known as one, as of one's kin."""

_LESS_SURE = 0.9
"""Of what is said of a third person."""


@dataclass(frozen=True, slots=True)
class _Form:
    """What stands between a subject and its verb: the kind of the auxiliary, what follows it."""

    kind: str | None
    adverbs: str
    said: str

    @property
    def denied(self) -> bool:
        return self.kind in ("denied", "isnt", "unable")

    @property
    def predicates(self) -> Sequence[Predicate]:
        """Those that may fit; none where only an adverb is denied."""
        if self.denied and DENIED_IN_PART.search(self.adverbs):
            return []
        if self.kind in ("is", "isnt", "been"):
            return [*BEING, *STATES, *(ENDED if self.kind == "is" else [])]
        if self.kind in ("doing", "stopped"):
            return GOING_ON
        if self.kind == "unable":
            return UNABLE
        if self.denied:
            return [*VERBS, *ONLY_DENIED]
        return [*VERBS, *HABITS, *(ENDINGS if self.kind in (None, "has") else [])]


def statements_of(clause: Clause, *, by_program: bool) -> Sequence[Statement]:
    """What the first predicate that fits says; of a program only what "we" decided."""
    form = _form(clause.rest)
    for predicate in form.predicates:
        found = predicate.says.match(form.said)
        if found and _may_say(predicate, clause, by_program=by_program):
            statements = list(_read(clause, form, predicate, found))
            if statements:
                return statements
    return []


def _form(rest: str) -> _Form:
    auxiliary = AUXILIARY.match(rest)
    behind = auxiliary.end() if auxiliary else 0
    adverbs = ADVERBS.match(rest, behind)
    begin = adverbs.end() if adverbs else behind
    return _Form(auxiliary.lastgroup if auxiliary else None, rest[behind:begin], rest[begin:])


def _may_say(predicate: Predicate, clause: Clause, *, by_program: bool) -> bool:
    decides = predicate.decides and clause.who is Who.WE
    named = clause.who is Who.NAMED and predicate.attribute in _TOLD_BY_NAME
    known = named and Who.KIN in predicate.of and clause.subject.casefold() in GIVEN_NAMES
    return (clause.who in predicate.of or known) and (decides or not by_program)


def _read(
    clause: Clause, form: _Form, predicate: Predicate, found: re.Match[str]
) -> Iterator[Statement]:
    tense = _tense(predicate, found, form, clause)
    said = found.string[found.end() :]
    if tense is None or _is_passing(form, predicate, said):
        return
    values = [
        each
        for each in _values(predicate, said, denied=form.denied or not predicate.positive)
        if _is_plain(predicate, tense, each, clause.who)
        and not (predicate.attribute == TOOL and _is_of_the_moment(clause, each))
        and (form.denied or not is_undecided(said, each))
    ]
    positive = predicate.positive and not form.denied
    pairs = [
        pair
        for each in values
        for pair in _pairs(
            _attribute(predicate, each, said, positive=positive), each, "" if form.denied else said
        )
    ]
    several = Counter(attribute for attribute, _ in pairs)
    groups = found.groupdict()
    single = clause.single and (predicate.decides or predicate.attribute != TOOL)
    for attribute, value in pairs:
        against = groups.get("against") or groups.get("from_tool") or _against(attribute, said)
        yield Statement(
            subject=clause.subject,
            attribute=attribute,
            value=value,
            confidence=predicate.confidence * (_LESS_SURE if clause.who is Who.NAMED else 1.0),
            positive=positive,
            tense=tense,
            against=against,
            single=single and several[attribute] == 1,
        )


def _is_passing(form: _Form, predicate: Predicate, said: str) -> bool:
    """Whether what is over goes on later, or what is not eaten is so at other times."""
    if form.kind == "stopped":
        return bool(_FOR_NOW.search(said))
    return form.denied and predicate.attribute in _CONSUMED and bool(_AT_TIMES.search(said))


def _values(predicate: Predicate, said: str, *, denied: bool) -> Sequence[str]:
    """What is read of `said`: of several things each, where there may be several at a time."""
    said = _BOTH.sub("", said)
    several = predicate.attribute in LISTED and not (predicate.read in _ANY_WORDS and is_one(said))
    first, *others = listed(said, denied=denied) if several else [said]
    value = predicate.read(first if predicate.read in (*_ANY_WORDS, *_ANY_NAMES) else said)
    if value is None:
        return []
    return [value, *(each for each in (_all_of(predicate, item) for item in others) if each)]


def _all_of(predicate: Predicate, item: str) -> str | None:
    """A further thing, if nothing goes on behind its name: no "Anna maintains Kafka"."""
    value = _OF_MORE.get(predicate.attribute, predicate.read)(item)
    return value if value and ends_name(item, item.find(value) + len(value)) else None


def _tense(predicate: Predicate, found: re.Match[str], form: _Form, clause: Clause) -> Tense | None:
    """When it holds; None if that is not clear, as of "I have worked at …"."""
    was = "was" in predicate.says.groupindex and bool(found["was"])
    if form.kind == "planned":
        return Tense.PLANNED
    if form.kind == "has" and was:
        return Tense.NOW if _LASTING.search(clause.rest) else None
    if predicate.lasting:
        return Tense.NOW
    if form.kind in ("past", "been", "stopped") or was:
        return Tense.PAST
    return predicate.tense


def _is_plain(predicate: Predicate, tense: Tense, value: str, who: Who) -> bool:
    """No plan of what nobody plans, no tool as a place to live, nothing one picks but tools."""
    if predicate.else_attribute == WE_DECIDED and who is not Who.WE and kind_of(value) is None:
        return False
    if predicate.attribute == TOOL and _SAYS_LITTLE.match(value):
        return False
    if tense is Tense.PLANNED and predicate.attribute not in CAN_BE_PLANNED:
        return False
    return predicate.attribute not in ("lives_in", "from") or _is_place(value)


def _is_of_the_moment(clause: Clause, value: str) -> bool:
    """Whether one alone will take it next, "I'll go with the latter", and it is no known tool."""
    at_once = clause.who is Who.SELF and _AT_ONCE.match(clause.rest)
    return bool(at_once) and kind_of(value) is None


def _is_place(value: str) -> bool:
    """Whether somebody may live in it: not in Redis, Excel, Accounting, Team Blue or Room Four."""
    folded = value.casefold()
    no_place = folded in _NO_HOMES or folded.startswith(("team ", "room "))
    return kind_of(value) is None and not no_place


def _attribute(predicate: Predicate, value: str, said: str, *, positive: bool) -> str:
    """Of a tool its kind; what is used no more is "uses", whatever it was used as."""
    if predicate.attribute != TOOL:
        return predicate.attribute
    otherwise = "decision" if predicate.else_attribute == WE_DECIDED else predicate.else_attribute
    attribute = attribute_of(value, said, otherwise)
    kind = kind_in(attribute)
    is_over = kind in TOOL_KINDS and not positive
    return attribute.replace(kind, "uses", 1) if is_over else attribute


def _against(attribute: str, said: str) -> str | None:
    if attribute == "decision" and (gone := _GIVEN_UP.match(said)):
        return choice(gone["against"])
    found = _OVER.search(said) if attribute in ("prefers", "decision") else None
    return choice(found["against"]) if found else None


def _pairs(attribute: str, value: str, said: str) -> Iterator[tuple[str, str]]:
    """
    Attributes with values: each language, a job and the place of work, "and allergic to …".

    `said` is empty where it is denied: who is no designer at Google may be something else there.
    """
    if attribute == "speaks":
        for language in value.split(", "):
            yield attribute, language
        return
    yield attribute, value
    if attribute == "age" and (trade := occupation(aged(said))):
        yield "job", trade
    if attribute == "job" and (at := employer(said, value)):
        yield "works_at", at
    if attribute == "diet" and (allergy := _ALLERGIC.search(said)):
        things = map(thing, listed(said[allergy.end() :]))
        yield from (("allergic_to", to) for to in things if to)
    job = occupation(said.partition(" as ")[2]) if attribute == "works_at" else None
    if job:
        yield "job", job

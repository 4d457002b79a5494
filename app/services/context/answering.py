"""Whom or what the assistant named where it was asked for: "Alasdair Crane, he limps."."""

import re
from collections.abc import Sequence

from app.distil.entities.capitals import FIRST_WORDS
from app.distil.entities.entity import Mention, normal_form
from app.distil.entities.finding import mentions_of
from app.distil.language.sentences import sentences_of
from app.domain.entities import EntityType
from app.text.scripts import fold

_READ = 300
"""Characters of a reply: its first sentence answers."""

_MOST = 2
"""Names of an answer; what names more lists them."""

_ASKED_FOR = re.compile(r"\b(?:who|whom|whose|which|where)\b", re.IGNORECASE)
_WHO = re.compile(r"\b(?:who|whom|whose)\b", re.IGNORECASE)

_OPENING = re.compile(
    r"(?P<name>[^\W\d_a-z][\w-]+(?: [^\W\d_a-z][\w-]+){0,2})"
    r"(?=(?P<of>, (?:s?he|who|his|her|your|our|my|the|an?)\b)|\W*\Z"
    r"|,? (?:is|was|does|did|has|had|and|or|at|in|as|on|from)\b)"
)
"""The name that a reply begins with, which no capital tells from another word."""


def answer_named(question: str, reply: str) -> Mention | None:
    """
    The name that a reply to a question for one begins with; a person where it was asked who, or
    where that is said of them.
    """
    found = _OPENING.match(reply[:_READ]) if _ASKED_FOR.search(question) else None
    if found is None or fold(found["name"].split(" ")[0]) in FIRST_WORDS:
        return None
    person = _WHO.search(question) or (found["of"] or "").endswith((" he", " she", " who"))
    kind = EntityType.PERSON if person else EntityType.UNKNOWN
    return Mention(
        normal=normal_form(found["name"], kind),
        name=found["name"],
        type=kind,
        start=0,
        stop=found.end("name"),
    )


def answered(question: str, reply: str) -> Sequence[str]:
    """The names that answer a question for one, which it does not hold; none, if many are told."""
    if not _ASKED_FOR.search(question):
        return []
    sentence = next((each.text for each in sentences_of(reply[:_READ])), "")
    first = answer_named(question, sentence)
    names = [first.name] if first else []
    names += [each.name for each in mentions_of(sentence) if first is None or each.start]
    new = [each for each in dict.fromkeys(names) if each.casefold() not in question.casefold()]
    return new if len(new) <= _MOST else []

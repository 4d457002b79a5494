"""What the words of a question and of a memory give away, by rules that can be read."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import NamedTuple

from app.text.names import NOTHING_NAMED, Named, named_in
from app.text.patterns import CODE
from app.text.requesting import requests
from app.text.small_talk import is_small_talk
from app.text.terms import STOP_WORDS
from app.text.topic import words_sought

_WHEN = re.compile(
    r"\b(?:when|what (?:date|day|month|year|time)|how long|how (?:many|often))\b", re.IGNORECASE
)
_ASKER = re.compile(r"\b(?:i|me|my|mine|i've|i'm|we|our|us)\b", re.IGNORECASE)
_QUESTIONS = re.compile(r"\b(?:ask(?:ed|ing|s)?|questions?|quer(?:y|ies))\b", re.IGNORECASE)
_WANTS_ADVICE = re.compile(
    r"\b(?:should|shall|may|might|must|ought|can|could)\s+(?:i|we)\b"
    r"|\bhow\s+(?:do|would)\s+(?:i|we)\b(?!\s+(?:like|love|take|drink|feel|know|earn|spell)\b)"
    r"|\A\W*(?:please\s+)?(?:explain|show|give|teach|tell|suggest|recommend|write|remind)\s"
    r".{0,60}?\b(?:me|us)\b",
    re.IGNORECASE,
)
"""What is asked for oneself: "How do I …?" may be answered by advice, or by what one likes."""
ADVISED = 0.4
"""How far that speaks of who asks."""
_OWN = re.compile(r"\b(?:my|mine|our)\b", re.IGNORECASE)
_ASSISTANT = re.compile(r"\b(?:you|your|yours)\b", re.IGNORECASE)
_CODE = re.compile(
    rf"(?=code\b)(?<!\berror )(?<!\bstatus )(?<!\bexit ){CODE}"
    r"|\b(?:snippets?|source code|implementations?|one-liners?)\b"
    r"|\b(?:show|give|write|paste|find|need|want|send)\b.{0,40}"
    r"\b(?:function|method|class|script|query|sql|command|regex|config(?:uration)?|example)\b",
    re.IGNORECASE,
)
_OF_PAST = re.compile(r"\b(?:did|was|were|had|has|have)\b", re.IGNORECASE)
_OWNS = re.compile(
    r"\b(?:do|does|can|could|should|must|will|may)(?:n['\u2019]?t)?\b[^.?!]{0,60}?\bhave\b"
    r"|\b(?:who|which \w+)(?: else)? ha(?:s|ve)(?: got)? (?:the|an?|my|our|his|her|their|to)\b",
    re.IGNORECASE,
)
"""What somebody has is no past: "Who has the key?", "How much do we have?"."""
_WHY_IT_WAS = re.compile(r"\bwhy\W+(?:did|was|were|had|has|have)\b", re.IGNORECASE)
_OF_COURSE = re.compile(
    r"\b(?:in (?:what |which |chronological )?order|order (?:in which|of)|between|throughout"
    r"|over time|summar(?:y|i[sz]e)|recap|overview|timeline|history|journey|evol\w+"
    r"|develop(?:ed|s)?|progress\w*|changed?|original(?:ly)?|initial(?:ly)?|first"
    r"|used to|previous(?:ly)?|before|old)\b",
    re.IGNORECASE,
)
"""What is asked for is not only what holds now."""
TIME_WORDS = (
    *"""
    yesterday today tonight tomorrow ago last next week weekend month year morning monday tuesday
    wednesday thursday friday saturday sunday january february march april may june july august
    september october november december
    """.split(),
    *map(str, range(2_101)),
    *(f"{day:02}" for day in range(10)),
    *(f"{day}{ending}" for day in range(1, 32) for ending in ("st", "nd", "rd", "th")),
)
"""What a text holds that names a time or a number: words, numbers up to that of a year, days."""

_ENDS_ASKING = re.compile(r"[?\uff1f\u061f\u037e\u055e]\W*\Z")
_ENDING = 100
"""Characters at the end of a memory that are looked at for a question."""

_BE = "(?:is|are|r|was|were|do|does|did|has|have|had|can|could|will|would|should)"
_SUBJECT = (
    "(?:i|you|u|we|they|he|she|it|that|this|there|the|my|your|ur|our|his|her|their|these|those)"
)
_ASKS_UNMARKED = re.compile(
    rf"""
    \s* (?:(?:and|but|so|ok|okay|oh|no|wait|omg|lol|haha|hey|btw|wow|yeah|hmm+|then|also)\b[\s,]*)*
    (?: (?:what|which|how|where|when|why|who|whose|wat|wht) (?:\s(?!{_SUBJECT}\s)\S+){{0,2}}?
        \s{_BE}\s{_SUBJECT}\b .*
    | (?!do\s(?:it|there)\b) {_BE}\s(?:i|you|u|we|they|he|she|it|there)\s .+
    | how\s(?:much|many)\s\S+\s{_BE}\b .*
    | what\s(?:happened|happend|changed|went\swrong)\b .*
    | (?:what|how|where|when|who)'?s\s .+
    | (?:how\s(?:much|many|long|far|often|come) | what\stime | (?:which|what)\s(?:one|thing|kind)
        | what\sfor | since\swhen | why(?:\snot)? | who | where | when) (?:\s\S+){{0,2}}
    )
    \s*
    """,
    re.IGNORECASE | re.VERBOSE,
)
_AT_MOST_UNMARKED = 80
"""Characters of a question without its mark, as in a chat: what is longer is prose."""
_ENDS_OTHERWISE = re.compile(r"[.!:;,\u3002]\W*\Z|\n")
_EXCLAIMS = re.compile(r"\W*(?:what an?|how (?:nice|cool|sweet|cute|lovely))\b", re.IGNORECASE)


_FOR_WHAT = re.compile(
    r"\b(?:who|whose|where|when|why|how (?:much|many|long|often|old|far|big|tall)"
    r"|wer|wo|wann|warum|où|quand|pourquoi|quién|dónde|cuándo|cuánt[oa]s?)\b",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"(?:who|whose|what|where|when|why|which|how)\b[^.!:\n]*\Z", re.IGNORECASE)
_TAGGED = re.compile(r",\s*\w+(?:n't)?\s(?:i|you|he|she|it|we|they)\s*\?\W*\Z", re.IGNORECASE)
"""What is told though it asks: "Ann eats meat, doesn't she?"."""

_WORD = re.compile(r"\w+")
_READ = 1_000
"""Characters of a question that are looked at for code and for phrases."""
_MOST_PHRASES = 24
"""Of a question, which seldom has as many words; each is looked for in every candidate."""


class Phrase(NamedTuple):
    """Two words side by side, in lower case; `telling` where neither is a stop word."""

    words: str
    telling: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """
    Whether a query asks, or requests, at all; for a time or a number; how far it speaks of who
    asks, and whether of the assistant, of what was, and of how things went; wants to see code, or
    what was asked; which of its words stand side by side, what it calls by name, and the word that
    asks; and whether it is small talk, which somebody looks up.
    """

    asks: bool = False
    asks_when: bool = False
    of_asker: float = 0.0
    of_assistant: bool = False
    of_past: bool = False
    of_course: bool = False
    asks_code: bool = False
    of_questions: bool = False
    phrases: Sequence[Phrase] = ()
    named: Named = NOTHING_NAMED
    for_what: str | None = None
    in_passing: bool = False


PLAIN = Wording()


def wording_of(query: str, question: str | None = None) -> Wording:
    """That of a query; what it asks is told by the `question` in it, where there is one apart."""
    sought, asked = words_sought(query), question or query
    return Wording(
        asks=is_question(asked) or requests(asked),
        asks_when=bool(_WHEN.search(asked)),
        of_asker=_speaks_of_asker(asked),
        of_assistant=bool(_ASSISTANT.search(asked)),
        of_past=bool(_OF_PAST.search(_OWNS.sub("", asked[:_READ]))),
        of_course=bool(_OF_COURSE.search(query[:_READ]) or _WHY_IT_WAS.search(asked[:_READ])),
        of_questions=bool(_QUESTIONS.search(asked)),
        asks_code=bool(_CODE.search(query[:_READ])),
        phrases=phrases_of(sought),
        named=named_in(sought),
        for_what=question_word(asked),
        in_passing=is_small_talk(query),
    )


def question_word(text: str) -> str | None:
    """
    The first word that asks for what a question itself cannot tell: whom, where, when, why or how
    many; None where there is none, as in "What did you think of the bike?", which tells of a bike.
    """
    found = _FOR_WHAT.search(text[:_READ])
    return " ".join(found[0].casefold().split()) if found else None


def _speaks_of_asker(asked: str) -> float:
    if not _ASKER.search(asked):
        return 0.0
    return ADVISED if _WANTS_ADVICE.search(asked) and not _OWN.search(asked) else 1.0


def phrases_of(query: str) -> Sequence[Phrase]:
    """The pairs of neighbouring words, but those of two stop words; the first _MOST_PHRASES."""
    words = _WORD.findall(query[:_READ].lower())
    pairs = ((pair, [word not in STOP_WORDS for word in pair]) for pair in pairwise(words))
    found = (Phrase(" ".join(pair), all(telling)) for pair, telling in pairs if any(telling))
    return tuple(islice(found, _MOST_PHRASES))


def asks(content: str) -> bool:
    """Whether a memory ends with a question, or is one without its mark: "how much was it"."""
    return bool(_ENDS_ASKING.search(content[-_ENDING:])) or _asks_unmarked(content)


def is_question(said: str) -> bool:
    """Whether all of it asks, also without its mark, and tells nothing by it."""
    return bool(asks(said) or _QUESTION.match(said)) and not _tells(said)


def _tells(said: str) -> bool:
    """Whether it tells though it asks: "Ann eats meat, doesn't she?", "Who is it: Ann"."""
    _, _, behind = said.rpartition("?")[2].partition(":")
    return bool(_WORD.search(behind) or _TAGGED.search(said))


def _asks_unmarked(content: str) -> bool:
    if len(content) > _AT_MOST_UNMARKED or _ENDS_OTHERWISE.search(content):
        return False
    return bool(_ASKS_UNMARKED.fullmatch(content)) and not _EXCLAIMS.match(content)

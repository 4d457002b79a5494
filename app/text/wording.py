"""What the words of a question and of a memory give away, by rules that can be read."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import NamedTuple

from app.text.names import NOTHING_NAMED, Named, named_in
from app.text.patterns import CODE
from app.text.terms import STOP_WORDS
from app.text.topic import words_sought

_WHEN = re.compile(
    r"\b(?:when|what (?:date|day|month|year|time)|how long|how (?:many|often))\b", re.IGNORECASE
)
_ASKER = re.compile(r"\b(?:i|me|my|mine|i've|i'm|we|our|us)\b", re.IGNORECASE)
_ASSISTANT = re.compile(r"\b(?:you|your|yours)\b", re.IGNORECASE)
_CODE = re.compile(
    rf"(?<!\berror )(?<!\bstatus )(?<!\bexit ){CODE}"
    r"|\b(?:snippets?|source code|implementations?|one-liners?)\b"
    r"|\b(?:show|give|write|paste|find|need|want|send)\b.{0,40}"
    r"\b(?:function|method|class|script|query|sql|command|regex|config(?:uration)?|example)\b",
    re.IGNORECASE,
)
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
    Whether a question asks for a time or a number, speaks of who asks, or of the assistant, or
    wants to see code; which of its words stand side by side, and what it calls by name.
    """

    asks_when: bool = False
    of_asker: bool = False
    of_assistant: bool = False
    asks_code: bool = False
    phrases: Sequence[Phrase] = ()
    named: Named = NOTHING_NAMED


PLAIN = Wording()


def wording_of(query: str) -> Wording:
    sought = words_sought(query)
    return Wording(
        asks_when=bool(_WHEN.search(query)),
        of_asker=bool(_ASKER.search(query)),
        of_assistant=bool(_ASSISTANT.search(query)),
        asks_code=bool(_CODE.search(query[:_READ])),
        phrases=phrases_of(sought),
        named=named_in(sought),
    )


def phrases_of(query: str) -> Sequence[Phrase]:
    """The pairs of neighbouring words, but those of two stop words; the first _MOST_PHRASES."""
    words = _WORD.findall(query[:_READ].lower())
    pairs = ((pair, [word not in STOP_WORDS for word in pair]) for pair in pairwise(words))
    found = (Phrase(" ".join(pair), all(telling)) for pair, telling in pairs if any(telling))
    return tuple(islice(found, _MOST_PHRASES))


def asks(content: str) -> bool:
    """Whether a memory ends with a question, or is one without its mark: "how much was it"."""
    return bool(_ENDS_ASKING.search(content[-_ENDING:])) or _asks_unmarked(content)


def _asks_unmarked(content: str) -> bool:
    if len(content) > _AT_MOST_UNMARKED or _ENDS_OTHERWISE.search(content):
        return False
    return bool(_ASKS_UNMARKED.fullmatch(content)) and not _EXCLAIMS.match(content)

"""
Several questions in one message: "When did Ann move? And what is Ben's dog called?".

The vector of both lies near neither, and the words of one keep out what answers the other. So each
is asked by itself, with what the message says besides, if it is understood without the others: what
points at anything stays with the question before it. Decision 84 of docs/decisions.md has the
figures.
"""

import re
from collections.abc import Iterator, Sequence

from app.distil.language.question import FENCE, is_whole
from app.distil.language.sentences import sentences_of
from app.text.remembered import remembered
from app.text.scripts import fold
from app.text.somebody import NAMED
from app.text.topic import MAX_CHARACTERS
from app.text.wording import asks

MOST = 4
"""Questions of a message that are asked apart; a longer list is one matter."""

_WH = r"(?:what|when|where|who|whom|whose|why|how|which)\b"
_DIRECT = re.compile(
    rf"{_WH}(?:\s+[\w'-]+){{0,3}}?\s+(?:is|are|was|were|do|does|did|has|had|can|could|will|would"
    r"|should|must)\b",
    re.IGNORECASE,
)
"""A question in its own right: "what does Ben paint", not "when I came home"."""

_GOES_ON = re.compile(rf",?\s+and\s+(?={_WH})", re.IGNORECASE)
"""Where a sentence may ask something else."""

_BEGINS = re.compile(r"(?:and|also|but|then|so|plus)\b,?\s+", re.IGNORECASE)

_SOMEBODY = re.compile(r"\b(?:he|she|him|her|his|hers|they|them|their|theirs)\b", re.IGNORECASE)
_POINTS = re.compile(
    r"\b(?:about|after|before|by|for|from|in|is|of|on|to|was|with)\s+(?:that|this|these|those)\b"
    r"|\b(?:that|this|these|those|then)\W*\Z|(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )\bthere\b"
    r"|\b(?:both|such|the (?:same|other|others|former|latter|ones?)|others|another)\b",
    re.IGNORECASE,
)
_DEFINITE = re.compile(r"\bthe\s+(\w+)(?:\s+(\w+))?", re.IGNORECASE)
_WORD = re.compile(r"\w+")


@remembered
def questions_in(message: str) -> Sequence[str]:
    """
    The message once for each of its questions, without the others; itself, where there are not
    several that are understood by themselves.
    """
    if len(message) > MAX_CHARACTERS or FENCE in message:
        return [message]
    told = list(_numbered(message))
    most = max((number for _, number in told), default=0)
    if not 1 < most <= MOST:
        return [message]
    return [
        " ".join(text for text, number in told if number in (0, each))
        for each in range(1, most + 1)
    ]


def _numbered(message: str) -> Iterator[tuple[str, int]]:
    """What a message says in turn, with the number of the question that it belongs to, or 0."""
    number, before = 0, ""
    for sentence in sentences_of(message):
        asking = asks(sentence.text)
        for part in _parts(sentence.text) if asking else [sentence.text]:
            alone = asking and _stands_alone(part, before)
            number += alone
            yield _BEGINS.sub("", part, count=1) if alone else part, number if asking else 0
            before = f"{before} {part}"


def _parts(sentence: str) -> Sequence[str]:
    """The questions of a sentence, where all that "and" joins are such in their own right."""
    parts = _GOES_ON.split(sentence)
    if len(parts) == 1 or not all(map(_DIRECT.match, parts)):
        return [sentence]
    return [part if part.endswith("?") else f"{part}?" for part in parts]


def _stands_alone(question: str, before: str) -> bool:
    """Whether a question is understood without what was said `before` in the same message."""
    if not is_whole(question) or (before and _POINTS.search(question)):
        return False
    somebody = _SOMEBODY.search(question)
    if somebody and not NAMED.search(question, 0, somebody.start()):
        return False
    said = set(_WORD.findall(fold(before)))
    definite = (fold(word) for found in _DEFINITE.findall(question) for word in found)
    return said.isdisjoint(definite)

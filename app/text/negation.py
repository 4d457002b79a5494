"""
What a query says that it does not want.

Only what is meant as an operator counts: `NOT word`, `NOT "a phrase"` and `-"a phrase"`. A "not" in
small letters never does, nor do "without" and "except": the cake without nuts is what "without
nuts" looks for. A bare `-word` does not either, since it is an option in every other command line.
Before a bare word NOT may stress a verb ("does the server NOT start"): behind an auxiliary and its
subject it does.
"""

import re
from collections.abc import Sequence

from app.text.terms import STOP_WORDS

_PHRASE = re.compile(r'(?<!\S)(?:NOT\s+|-)"([^"]{1,200})"')
_WORD = re.compile(
    r"""
    (?:\A|(?<=\S)\s+(?P<joined>(?:AND|OR|BUT|and|or|but)\s+)?)
    NOT\s+(?!(?:NULL|EXISTS|IN|LIKE|BETWEEN|NOT|AND|OR)\b)
    (?P<word>\w(?:[\w.+\#/-]*[\w+\#])?)
    (?=[\s,;:.!?)\]\u3001\u3002\uff01\uff09\uff0c\uff1a\uff1b\uff1f\u300d]|\Z)
    """,
    re.VERBOSE,
)
_STRESSED = re.compile(
    r"""
    (?:\b(?:am|is|are|was|were|be|been|do|does|did|has|have|had|can|could|may|might|must|shall|should
    |will|would)(?:\s+(?:i|you|we|they|he|she|it|that|this|these|those|there|everybody|anybody
    |(?:the|a|an|my|your|our|their|his|her|its|this|that|these|those)\s+\S+|(?-i:[A-Z])\w+))?
    |\b(?:i|you|we|they|he|she|it|to|if|why))
    \s*\Z
    """,
    re.VERBOSE | re.IGNORECASE,
)


_OPERATORS = re.compile(r"\b(?:AND|OR|BUT|NOT)\b")

MAX_CHARACTERS = 2_000
"""A longer query is a text, not a line of search."""

_NEAR = 60
"""Characters before a NOT in which an auxiliary may stand."""


def split_exclusions(query: str) -> tuple[str, Sequence[str]]:
    """
    The query without its exclusions, and what they exclude.

    A query that would be nothing else keeps them as words, as does one that is all in capitals.
    """
    if len(query) > MAX_CHARACTERS:
        return query, []
    excluded = [found[1] for found in _PHRASE.finditer(query)]
    rest = _PHRASE.sub(" ", query)
    if not _OPERATORS.sub("", rest).isupper():
        words = [found for found in _WORD.finditer(rest) if _is_operator(rest, found)]
        excluded += [found["word"] for found in words]
        for found in reversed(words):
            rest = rest[: found.start()] + " " + rest[found.end() :]
    rest = " ".join(rest.split()) if excluded else query
    return (rest, excluded) if any(map(str.isalnum, rest)) else (query, [])


def _is_operator(query: str, found: re.Match[str]) -> bool:
    if found["word"].lower() in STOP_WORDS:
        return False
    before = query[max(0, found.start() - _NEAR) : found.start()]
    return bool(found["joined"]) or not _STRESSED.search(before)

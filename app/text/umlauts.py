"""
German umlauts that a keyboard has or has not: "kueche" finds what says "Küche", and the other way.

What is folded has no dots, so the two have no letters in common there that full text would know.
"""

import re
from collections.abc import Mapping

from app.text.scripts import fold
from app.text.spelling import READ, STANDING_ALONE, Knows, rewritten

_UMLAUTS = {"ae": "ä", "oe": "ö", "ue": "ü", "Ae": "Ä", "Oe": "Ö", "Ue": "Ü"}

_WRITTEN_OUT = re.compile("(?<![aeqAEQ])(?:[AOao]e|[Uu]e)")
"""No umlaut is what ends "neue", "Frauen" and "Queue"."""

_LETTERS = str.maketrans({umlaut: written for written, umlaut in _UMLAUTS.items()})


def other_spellings(query: str, knows: Knows) -> Mapping[str, str]:
    """
    The words of a query that may have been said in the other spelling, each with that one.

    Args:
        query: As it was asked.
        knows: Whether a folded word is an English one, which has no umlauts: "does", "blue". A name
            may be one as well ("Mueller").
    """
    found = STANDING_ALONE.finditer(query[:READ])
    words = dict.fromkeys(each[1] for each in found if not _is_english(each, knows))
    others = {word: _other(word) for word in words}
    return {word: other for word, other in others.items() if other != word}


def _is_english(found: re.Match[str], knows: Knows) -> bool:
    word = found[1]
    names = word[:1].isupper() and found.start() > 0
    return word.isascii() and not names and knows(fold(word))


def _other(word: str) -> str:
    if word.isascii():
        return _WRITTEN_OUT.sub(lambda found: _UMLAUTS[found[0]], word)
    return word.translate(_LETTERS)


def spelled_otherwise(query: str, spellings: Mapping[str, str]) -> str:
    """`query` with the other spelling of these words."""
    return rewritten(query, lambda word: spellings.get(word, word))

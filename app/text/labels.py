"""What the label of a conversation says, as terms: for who judges it, and for its index."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from app.text import terms
from app.text.scripts import fold
from app.text.terms import MAX_TERM_CHARACTERS, terms_of

VERSION = f"{terms.VERSION}.1"
"""Changes with whatever gives a label other terms: its index is then made anew."""

MAX_TERMS = 64
"""Words of one label that are indexed, and as many numbers."""

_READ = 200
"""Characters of a label; numbers are looked for in all of it."""

_NUMBER = re.compile(r"\d{2,}")
_WITH_NUMBER = re.compile(r"\b[^\W\d]*\d\w*")
"""A commit, or what else is named by letters and figures."""

_SAY_NOTHING = frozenset(
    terms_of(
        "new old untitled chat conversation discussion session thread talk question help message"
    )
)
"""Words that labels have in common, whatever they stand over."""


@lru_cache(maxsize=4_096)
def terms_of_label(label: str) -> frozenset[str]:
    """What it says, but for what any label might."""
    return frozenset(terms_of(label[:_READ])) - _SAY_NOTHING


def indexed_terms(label: str) -> Sequence[str]:
    """By what a conversation with this label is found, distinct: its words, then its numbers."""
    folded = fold(label)
    words = (each for each in terms_of(label[:_READ]) if each not in _SAY_NOTHING)
    numbers = [*_NUMBER.findall(folded), *_WITH_NUMBER.findall(folded)]
    return list(dict.fromkeys([*_first(words), *_first(numbers)]))


def _first(found: Iterable[str]) -> Sequence[str]:
    distinct = dict.fromkeys(each for each in found if len(each) <= MAX_TERM_CHARACTERS)
    return list(distinct)[:MAX_TERMS]

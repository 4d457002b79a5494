"""
Words as full text knows them: folded, without stop words, stemmed.

Both databases index the terms that this module makes, so a query finds the same on each, and no
query string can reach a database's own query syntax: a term holds letters, digits and "_" only.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

import Stemmer

VERSION = "1"
"""Rises with every change that gives a text other terms: full text is then rebuilt."""

MAX_QUERY_TERMS = 64
"""A longer query keeps its longest terms, which tend to be its rarest."""

MAX_TERM_CHARACTERS = 64
"""Longer runs (base64, hashes) are cut: their beginning still finds them."""

_WORD = re.compile(r"\w+")
_STOP_WORDS = frozenset(
    """
    a about after all also am an and any are as at be because been before being but by can could
    did do does doing down for from had has have having he her here hers him his how i if in into
    is it its itself just me more most my myself no nor not of off on once only or other our ours
    out over own same she should so some such than that the their theirs them then there these
    they this those through to too under until up very was we were what when where which while
    who whom why will with would you your yours s t re ve ll d m don didn isn wasn
    """.split()
)
_stemmer = Stemmer.Stemmer("english")


def terms_of(text: str) -> list[str]:
    """The terms of `text`, in order, repeats included; empty if it holds stop words only."""
    return [_stem(word[:MAX_TERM_CHARACTERS]) for word in _words(text) if word not in _STOP_WORDS]


def query_terms(query: str) -> list[str]:
    """The distinct terms of a query, in order, at most MAX_QUERY_TERMS."""
    distinct = list(dict.fromkeys(terms_of(query)))
    if len(distinct) <= MAX_QUERY_TERMS:
        return distinct
    longest = set(sorted(distinct, key=lambda term: (-len(term), term))[:MAX_QUERY_TERMS])
    return [term for term in distinct if term in longest]


def indexed_text(content: str, speaker: str | None) -> str:
    """What goes into the indexes of a message: "Name: text", since who said it is searched for."""
    return f"{speaker}: {content}" if speaker else content


def _words(text: str) -> Sequence[str]:
    return _WORD.findall(fold(text))


def fold(text: str) -> str:
    """Lower case without accents: "Ångström" becomes "angstrom"."""
    folded = text.casefold()
    if folded.isascii():
        return folded
    decomposed = unicodedata.normalize("NFKD", folded)
    bare = "".join(each for each in decomposed if not unicodedata.combining(each))
    return bare.casefold()  # "™" has become "TM" only now


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    return str(_stemmer.stemWord(word))


def exclusion(excluded: Sequence[str]) -> re.Pattern[str] | None:
    """What finds any of the excluded words or phrases in a folded text; None for none."""
    phrases = [r"\W+".join(map(re.escape, _words(phrase))) for phrase in excluded]
    either = "|".join(phrase for phrase in phrases if phrase)
    return re.compile(rf"\b(?:{either})\b") if either else None

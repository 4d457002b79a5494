"""What might be the name of something known: looked up before a text is read for entities."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from app.distil.entities.entity import Mention, bare_name
from app.distil.entities.finding import MAX_CHARACTERS, mentions_of
from app.distil.entities.kinds import is_given
from app.distil.entities.titles import titled_in
from app.distil.language.lexicon import CALENDAR, NO_NAMES, SAME_NAME
from app.distil.language.world import WORLD
from app.text.scripts import fold

MOST_WORDS = 4
"""Of a name that is recognised however it is spelled."""

_WORD = r"[\w+#]+(?:[.&'\u2019-][\w+#]+){0,4}"
_RUN = re.compile(rf"{_WORD}(?:[ ]{_WORD})*")
_LONGEST = 80

_CAPITALISED = re.compile(r"\b[^\W\d_a-z][^\W\d_A-Z]+")
_INSIDE = re.compile(r"(?<=[\w,;] )[^\W\d_a-z][^\W\d_A-Z]+")
_ENTITLED = re.compile(r"\b(?:[Mm]rs?|[Mm]s|[Dd]r|[Pp]rof|Frau|Herr)\.? [^\W\d_a-z]")


def names_in(content: str) -> frozenset[str]:
    """
    The normal forms of all that stands in `content` as a name could: up to MOST_WORDS words.

    A name begins and ends with a word that could be one alone.
    """
    return frozenset(_grams(content[:MAX_CHARACTERS]))


def names_told(content: str) -> frozenset[str]:
    """The same with the names that are told by how they are spelled."""
    return names_in(content) | {mention.normal for mention in mentions_of(content)}


def names_asked(query: str) -> frozenset[str]:
    """The same of a query, which is not read again."""
    told = {mention.normal for mention in mentions_asked(query)}
    return names_in(query) | told | frozenset(titled_in(query, others=False))


@lru_cache(maxsize=32)
def mentions_asked(query: str) -> Sequence[Mention]:
    """The mentions in a query, of which several ask."""
    return mentions_of(query)


def names_somebody(text: str) -> bool:
    """Whether it has a given name, or a name behind a title: a glance, not a reading."""
    return bool(_ENTITLED.search(text)) or any(map(is_given, _CAPITALISED.findall(text)))


def names_anything(text: str) -> bool:
    """Whether it has a word with a capital that begins nothing: no day, month, place or people."""
    return any(map(_may_be_anything, _INSIDE.findall(text)))


def _may_be_anything(word: str) -> bool:
    folded = word.casefold()
    return folded not in NO_NAMES and folded not in CALENDAR and folded not in WORLD


def _grams(content: str) -> Iterator[str]:
    for run in _RUN.finditer(fold(content)):
        words = run[0].split(" ")
        for at, first in enumerate(words):
            if first not in NO_NAMES:
                yield from _beginning(words[at : at + MOST_WORDS])


def _beginning(words: Sequence[str]) -> Iterator[str]:
    for most, word in enumerate(words):
        last = bare_name(word) if "'" in word or "\u2019" in word else word
        gram = " ".join([*words[:most], last])
        if last not in NO_NAMES and len(gram) <= _LONGEST:
            yield SAME_NAME.get(gram, gram)

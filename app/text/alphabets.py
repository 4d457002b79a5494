"""
Which scripts a vocabulary of word pieces was made for, and whether a text is written in them.

A model without words of a script spells its texts letter by letter: then a cosine tells how alike
two texts are spelled, hardly what they mean.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from unicodedata import name

from app.text.scripts import fold

ENOUGH = 500
"""
Pieces of a script from which on a vocabulary is of it. That of the default model has 27,000 Latin
ones; of Chinese it has 244, of every other script fewer than 90, most of them single letters.
"""

_BYTES = "\u0120"
"""What vocabularies that are made of bytes begin words with: these can spell every script."""

_BEFORE = re.compile("##|\u2581")
_TOGETHER = {"HIRAGANA": "CJK", "KATAKANA": "CJK"}
"""Scripts that one language is written in; who reads one reads the others."""


def alphabets_of(vocabulary: Iterable[str]) -> frozenset[str] | None:
    """The scripts of a vocabulary, by their names in Unicode; None where it may be any."""
    pieces = {_BEFORE.sub("", piece) for piece in vocabulary}
    if any(piece.startswith(_BYTES) for piece in pieces):
        return None
    counts = dict[str, int]()
    for piece in pieces:
        if script := _script_of(piece[:1]):
            counts[script] = counts.get(script, 0) + 1
    return frozenset(script for script, count in counts.items() if count >= ENOUGH)


def is_written_in(text: str, alphabets: frozenset[str] | None) -> bool:
    """Whether at least half of the letters of `text` are of these scripts."""
    if alphabets is None or (text.isascii() and "LATIN" in alphabets):
        return True
    letters = [script for script in map(_script_of, fold(text)) if script]
    return 2 * sum(script in alphabets for script in letters) >= len(letters)


@lru_cache(maxsize=16_384)
def _script_of(character: str) -> str:
    """The first word of a letter's name; nothing for what is no letter."""
    if not character.isalpha():
        return ""
    script = re.split("[ -]", name(character, ""))[0]
    return _TOGETHER.get(script, script)

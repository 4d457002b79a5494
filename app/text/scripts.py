"""
What writing systems ask of an analyser: folding, words, n-grams where no spaces are, stems.

A word's stem is decided by its script alone, never by its neighbours, so a query of two words lands
on the stems that a page of text got. All that is written in plain Latin letters goes through the
English stemmer: it puts forms of German, Spanish, French, Italian and Portuguese words together
nearly as often as their own stemmers do (23 of 26 pairs of ours, 26 if each text's language were
known, 13 without any stemmer).
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache

import Stemmer

from app.text.irregular import irregular_forms

_LETTERS_MADE_BY_SIGNS = {7, 8, 9, *range(84, 133)}
"""Combining classes of nukta, voicing, virama and Thai or Lao vowels: no accents."""

_ARABIC = {
    "\u0649": "\u064a",  # alef maksura, yeh
    "\u06cc": "\u064a",  # Persian yeh
    "\u06a9": "\u0643",  # Persian keheh, kaf
}
_UNSEEN = "\u00ad\u0640\u200c\u200d"
"""Soft hyphen, tatweel and the joiners: they change how a word looks, not which one it is."""


class _Bare(dict[int, str | None]):
    """What `str.translate` makes of a character, found out once each."""

    def __missing__(self, code: int) -> str | None:
        character = chr(code)
        sign = unicodedata.combining(character)
        accent = sign and sign not in _LETTERS_MADE_BY_SIGNS
        dropped = accent or character in _UNSEEN
        self[code] = None if dropped else _ARABIC.get(character, character)
        return self[code]


_BARE = _Bare()
_BREVE = re.compile("([\u0418\u0423\u0438\u0443])\u0306")
"""Cyrillic short i and short u are letters of their own, not accented ones."""


def bare(text: str) -> str:
    """`text` without accents and in compatible letters, upper case kept: "Ångström", "Angstrom"."""
    if text.isascii():
        return text
    decomposed = _BREVE.sub(_composed, unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", decomposed.translate(_BARE))


def _composed(found: re.Match[str]) -> str:
    return unicodedata.normalize("NFC", found[0])


def fold(text: str) -> str:
    """Lower case without accents: "Ångström" becomes "angstrom"."""
    folded = bare(text).casefold()
    return folded if folded.isascii() else bare(folded)  # "ŉ" comes apart only now


# Vowel signs are no letters to `re`, so that an Indian word would fall to pieces at each of them.
_SIGNS = (
    "\u0900-\u0963\u0966-\u0df3\u0f18-\u0f3f\u0f71-\u0fbc\u1810-\u18aa\u1a20-\u1cff\ua880-\ua9ff"
)
_CHARACTERS = "\u1100-\u11ff\u3005-\u3007\u3041-\u309f\u30a1-\u30fa\u30fc-\u312f\u31f0-\u31ff"
_CHARACTERS += "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
_CHARACTERS += "\U0001b000-\U0001b16f\U00020000-\U0003ffff"
_LETTERS = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59\u0e81-\u0edf\u1000-\u1049\u1050-\u109f"
_LETTERS += "\u1780-\u17d3\u17d7\u17dc-\u17e9\ua9e0-\ua9fe\uaa60-\uaa7f"
WORD_CHARACTER = rf"[\w{_SIGNS}{_LETTERS}]"

_RUN = re.compile(
    rf"(?P<characters>[{_CHARACTERS}]+)|(?P<letters>[{_LETTERS}]+)"
    rf"|(?:(?![{_CHARACTERS}{_LETTERS}])[\w{_SIGNS}])+"
)
UNSPACED = re.compile(rf"[{_CHARACTERS}{_LETTERS}]")
"""A character of a script that is written without spaces between words."""

_GRAM: Mapping[str | None, int] = {"characters": 2, "letters": 3}


def runs(word: str) -> Sequence[tuple[str, int]]:
    """
    A word cut where its script changes between spaced and unspaced, with the size of its n-grams.

    The size is 2 for Chinese, Japanese and Korean, whose words mostly have two characters, 3 for
    Thai, Lao, Khmer and Burmese, and 0 for what is a word by itself. (Of 16 short queries of ours
    in the three languages bigrams find 16, trigrams 8; of 6 in Thai trigrams find 5, bigrams 4.)
    """
    if word.isascii() or not UNSPACED.search(word):
        return [(word, 0)]
    return [(found[0], _GRAM.get(found.lastgroup, 0)) for found in _RUN.finditer(word)]


def grams(run: str, size: int) -> list[str]:
    """Each `size` characters of `run` that stand together, in order; a shorter run is whole."""
    return [run[at : at + size] for at in range(max(len(run) - size, 0) + 1)]


_STEMMERS: Sequence[tuple[str, Stemmer.Stemmer]] = [
    ("[a-z]", Stemmer.Stemmer("english")),
    ("[\u0400-\u04ff]", Stemmer.Stemmer("russian")),
    ("[\u0370-\u03ff]", Stemmer.Stemmer("greek")),
    ("[\u0600-\u06ff]", Stemmer.Stemmer("arabic")),
    ("[\u0530-\u058f]", Stemmer.Stemmer("armenian")),
    ("[\u0900-\u097f]", Stemmer.Stemmer("hindi")),
    ("[\u0b80-\u0bff]", Stemmer.Stemmer("tamil")),
]
_OF_SCRIPT = [(re.compile(f"{letters}+"), stemmer) for letters, stemmer in _STEMMERS]


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The stem of a folded word; as it is where its letters belong to none of the stemmers."""
    return stem_anew(word)


def stem_anew(word: str) -> str:
    """The same of what is not said again, and not to be remembered."""
    begins = beginning(word)
    return _STEMS.get(begins, begins)


def beginning(word: str) -> str:
    """What a word begins with, without its ending."""
    if word.isascii():
        return str(_STEMMERS[0][1].stemWord(word))
    for letters, stemmer in _OF_SCRIPT:
        if letters.fullmatch(word):
            return fold(str(stemmer.stemWord(word))) or word
    return word


_STEMS = {beginning(form): beginning(word) for form, word in irregular_forms().items()}

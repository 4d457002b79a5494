"""Words and phrases that are not wanted: as terms of full text, and as found in a text."""

import re
from collections.abc import Sequence

from app.text.scripts import UNSPACED, fold
from app.text.terms import terms_of

_FOLDED_WORD = re.compile(r"\w+")


def excluded_terms(excluded: Sequence[str]) -> list[str]:
    """
    The terms that a document with one of these words holds, for words that make one term.

    A document may hold such a term without the word: it stands for other forms of it too.
    """
    analysed = map(terms_of, excluded)
    return list(dict.fromkeys(each[0] for each in analysed if len(each) == 1))


def exclusion(excluded: Sequence[str]) -> re.Pattern[str] | None:
    """What finds any of the excluded words or phrases in a folded text; None for none."""
    phrases = [_phrase(fold(phrase)) for phrase in excluded]
    either = "|".join(phrase for phrase in phrases if phrase)
    return re.compile(f"(?:{either})") if either else None


_ENDS_IN_SIGNS = re.compile(r"\w([+#]{1,2})\Z")


def _phrase(phrase: str) -> str:
    """
    Its words with anything but words between, and no word around where spaces part words.

    Signs that end it belong to it: "c++" is no "c".
    """
    words = _FOLDED_WORD.findall(phrase)
    if not words:
        return ""
    signs = _ENDS_IN_SIGNS.search(phrase.strip())
    before = "" if UNSPACED.match(words[0]) else r"\b"
    after = "" if UNSPACED.match(words[-1][-1]) else r"\b"
    return before + r"\W+".join(map(re.escape, words)) + (re.escape(signs[1]) if signs else after)

"""
Whether a question is understood only by what was said before it: "And the other one?".

By rules: a question that only goes on ("And Ann?"), that names nothing ("Why was that?"), or that
says little and points back ("How much does it cost?"). These are for English;
`app/text/leaning_abroad.py` has those for other languages.
"""

import re
from collections.abc import Sequence
from unicodedata import normalize

from app.text.leaning_abroad import TONGUES
from app.text.patterns import one_of
from app.text.terms import STOP_WORDS

_MAX_WORDS = 10
"""Who says more says what it is about."""

_LITTLE = 2
"""Words that tell what a question is about; with more it needs nothing else, wherever it points."""

_WORD = re.compile(r"[^\W_]+")

_GOES_ON = re.compile(
    r"(?:and|but|or|so|then|also)\b(?! (?:i|we)\b)|(?:what|how) about\b"
    r"|(?:the )?same (?:for|with)\b",
    re.IGNORECASE,
)
_TIMES = one_of(
    *("week", "weekend", "month", "year", "morning", "afternoon", "evening", "night", "time"),
    *("spring", "summer", "autumn", "fall", "winter", "quarter", "semester"),
)
_POINTS_BACK = re.compile(
    rf"\b(?:it|its|that|those|them|both|either|neither|former|latter|ones?|other|others|another"
    rf"|(?:this|these)(?! {_TIMES}\b)|there(?=\W*\Z))\b",
    re.IGNORECASE,
)
_SOMEBODY = re.compile(r"\b(?:he|him|his|she|hers?|they|their|theirs)\b", re.IGNORECASE)
_NAME = re.compile(r"(?<=[\w,;:] )(?!I\b)[A-Z]\w+")
"""Of somebody who is named may be what follows: "Where did Ann leave her keys?"."""

_NAMES_NOTHING = frozenset(
    """
    one ones other others another else same first second third last next previous former latter both
    either neither rest again please tell explain say said show give go continue ahead elaborate
    example details sure yes yeah yep no nope mean means meant happen happened think much
    many long far often exactly still really anybody anyone anything somebody someone something
    """.split()
)


def leans(query: str) -> bool:
    """Whether it does; a statement may, too."""
    query = normalize("NFC", query)
    words = _WORD.findall(query.casefold())[: _MAX_WORDS + 1]
    if not words or len(words) > _MAX_WORDS:
        return False
    return _leans_in_english(query, words) or any(each.leans(query, words) for each in TONGUES)


def _leans_in_english(query: str, words: Sequence[str]) -> bool:
    telling = sum(word not in STOP_WORDS and word not in _NAMES_NOTHING for word in words)
    if not telling:
        return True
    return telling <= _LITTLE and bool(
        _GOES_ON.match(query)
        or _POINTS_BACK.search(query)
        or (_SOMEBODY.search(query) and not _NAME.search(query))
    )

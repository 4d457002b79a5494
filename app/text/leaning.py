"""
Whether a question is understood only by what was said before it: "And the other one?".

By rules: a question that only goes on ("And Ann?"), that names nothing ("Why was that?"), or that
says little and points back ("How much does it cost?"). These are for English;
`app/text/leaning_abroad.py` has those for other languages.
"""

import re
from unicodedata import normalize

from app.text.leaning_abroad import TONGUES
from app.text.patterns import one_of
from app.text.remembered import remembered
from app.text.somebody import NAMED
from app.text.terms import STOP_WORDS

_MAX_WORDS = 10
"""Who says more says what it is about."""

_LITTLE = 2
"""Words that tell what a question is about; with more it needs nothing else, wherever it points."""

_WORD = re.compile(r"[^\W_]+")

_HEARD = re.compile(
    r"\A\s*(?:(?:ok(?:ay)?|oh|well|yes|yeah|alright|hm+)\b[\s,.!]+){1,3}", re.IGNORECASE
)
"""What answers what was said, before a question: "ok", "oh yes"."""

_GOES_ON = re.compile(
    r"(?:(?:and|but|so|then),? )?(?:(?:what|how) about\b|(?:the )?same (?:for|with)\b)"
    r"|(?:and|but|or|so|then|also)\b(?! (?:i|we)\b)",
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

_POINTS_AT_ALL = re.compile(r"\b(?:this|that|these|those)\b", re.IGNORECASE)
_POINTS_AT_ONE = re.compile(r"\b(?:its?|they|them|theirs?|there(?=\W*\Z))\b", re.IGNORECASE)

_IN_THE_END = re.compile(r"\b(?:in the end|after all|eventually)\b", re.IGNORECASE)
"""Points back at what went on before, where next to nothing else is said."""

_ASKS_ITSELF = re.compile(
    one_of(
        "who|whom|whose|what|where|when|why|how|which|is|are|was|were|do|does|did|has|have|had",
        "can|could|will|would|should|might|must",
        "ist|sind|war|waren|hat|haben|hatte|wird|est|sont|ont|son|fue|hay",
    )
    + r"(?:n['\u2019]?t)?\b",
    re.IGNORECASE,
)
"""What a question of its own begins with."""

_NAMES_NOTHING = frozenset(
    """
    one ones other others another else same first second third last next previous former latter both
    either neither rest again please tell explain say said show give go continue ahead elaborate
    example details suggest suggested recommend recommended propose proposed sure yes yeah yep no
    nope mean means meant happen happened think much many long far often exactly still really
    anybody anyone anything somebody someone something
    """.split()
)
_SAY_NOTHING = STOP_WORDS.union(_NAMES_NOTHING, *(each.say_nothing for each in TONGUES))


@remembered
def leans(query: str) -> bool:
    """Whether it does; a statement may, too."""
    query = _unheard(query)
    words = _WORD.findall(query.casefold())[: _MAX_WORDS + 1]
    if not words or len(words) > _MAX_WORDS:
        return False
    return _leans_in_english(query) or any(each.leans(query, words) for each in TONGUES)


def gone_on_with(query: str) -> str | None:
    """
    What is named, to ask the same of it as was asked before: "Ann?" in "And what about Ann?".

    None where it asks something itself, or points back: "And did Ann like it?".
    """
    query = _unheard(query).lstrip()
    going_on = (_GOES_ON, *(tongue.goes_on for tongue in TONGUES))
    begun = max((found.end() for each in going_on if (found := each.match(query))), default=0)
    rest = query[begun:].lstrip(" ,")
    asks = [_ASKS_ITSELF, *(tongue.asks for tongue in TONGUES)]
    if not begun or _POINTS_BACK.search(rest) or any(each.match(rest) for each in asks):
        return None
    return rest


def points_at_answer(query: str) -> bool:
    """
    Whether what it points at may be what was answered before, not all that was told: "And when?",
    "How much was it?", not "And after that?".
    """
    return not _POINTS_AT_ALL.search(query) and (
        _POINTS_AT_ONE.search(query) is not None or says_nothing(query)
    )


def says_nothing(text: str) -> bool:
    """Whether no word of it tells what it is about."""
    return all(word in _SAY_NOTHING for word in _WORD.findall(text.casefold()))


def _unheard(query: str) -> str:
    """A query without "ok" before it, unless that is all it says."""
    query = normalize("NFC", query)
    return _HEARD.sub("", query) or query


def _leans_in_english(query: str) -> bool:
    rest, ends = _IN_THE_END.subn("", query)
    words = _WORD.findall(rest.casefold())
    telling = sum(word not in STOP_WORDS and word not in _NAMES_NOTHING for word in words)
    if not telling:
        return True
    somebody = _SOMEBODY.search(query) or (ends and telling < _LITTLE)
    return telling <= _LITTLE and bool(
        _GOES_ON.match(query)
        or _POINTS_BACK.search(query)
        or (somebody and not NAMED.search(query))
    )

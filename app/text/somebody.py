"""
Who is meant by "she": questions about somebody who was named before, not in them.

By rules, for English, and only where a pronoun can mean nobody whom the question speaks of: as its
first word, as the subject of what is asked ("Where did she go?"), behind "is" ("What is her job?"),
where "I", "we" or "you" did something ("Did I call her?"), and in "What inspired her?".
"""

import re
from collections.abc import Sequence

from app.text.patterns import one_of

_SOMEBODY = re.compile(
    r"\b(?:(?P<does>she|he)|(?P<him>him)|(?P<whose>hers|his)|(?P<her>her))\b", re.IGNORECASE
)
_READ = 500
"""Characters of a question: who says more names whom it is about."""

NAMED = re.compile(r"(?<=[\w,;:] )(?!I\b)[A-Z]\w+")
"""Of somebody who is named may be what follows: "Where did Ann leave her keys?"."""

_MEANS_NOBODY = re.compile(
    r"['\u2019](?!(?:s|d|ll)\b)|[-/@\"\u201d)\]]|[.:]\w"
    r"|\s*(?:/|(?:and|or)\b)\s*(?:s?he|hers?|him|his)\b"
    r"|(?<=\bhe)\s\w*(?:[ai]do|cho|[iru]?sto|rito|elto)\b",
    re.IGNORECASE,
)
"""What follows "he" in "he-man", "'he'", "he or she", and in Spanish ("he comido")."""

_IN_A_TITLE = re.compile(r"\s+(?!I\b)[^\W\d_a-z]")
"""What follows "His" in "His Dark Materials"."""

CALLED_SO = one_of(
    "mom(?:my)?", "mum(?:my)?", "mama", "dad(?:dy)?", "papa", "grand?ma", "grand?pa", "granny"
)
"""Who is called by what they are, and so by it alone: "Mum"."""

KIN = one_of(
    *("(?:grand|step|god)?(?:mother|father|son|daughter)", "(?:step)?(?:sister|brother)"),
    CALLED_SO,
    *("aunt(?:ie|y)?", "uncle", "cousin", "niece", "nephew", "wife", "husband", "partner"),
    *("girlfriend", "boyfriend", "fianc[e\u00e9]e?", "baby", "child", "kid", "parent"),
)
_ROLE = one_of(
    *("friend", "neighbou?r", "room-?mate", "flat-?mate", "boss", "manager", "co-?worker"),
    *("colleague", "teacher", "doctor", "dentist", "nurse", "lady", "guy", "girl", "boy"),
    *("(?:wo)?man", "person", "people", "(?:any|some|every)(?:one|body)", "nobody", "no one"),
)
_THE = one_of(
    *("the", "an?", "my", "our", "your", "their", "that", "this", "these", "those", "some", "any"),
    *("every", "each", "no", "another"),
)
_SPOKEN_OF = re.compile(rf"\b(?:{_THE}\s+\w+|(?:{KIN}|{_ROLE})\b)", re.IGNORECASE)
"""What may be meant itself by what follows: "Where did the nurse leave her keys?"."""

_WHO = re.compile(r"\b(?:who|which)\b", re.IGNORECASE)
_KIN_FOLLOWS = re.compile(rf"\s+{KIN}s?\b", re.IGNORECASE)

_LEAD_IN = one_of(
    *("and", "but", "so", "ok", "okay", "then", "also", "well", "oh", "yes", "no", "thanks")
)
_IN = one_of("in", "at", "on", "for", "since", "until", "from", "to", "with", "about", "by")
_BE = "(?:is|are|was|were)(?:n['\u2019]?t)?"
_DOES = one_of(
    "(?:did|does|has|had|is|was|would|could|should|might)(?:n['\u2019]?t)?",
    *("will", "won['\u2019]?t", "can(?:['\u2019]?t|not)?"),
)
_DO = one_of(
    "(?:did|do|have|had|are|were|was|would|could|should|might|must)(?:n['\u2019]?t)?",
    *("am", "shall", "will", "won['\u2019]?t", "can(?:['\u2019]?t|not)?"),
)
_WE = "(?:i|we|you)"
_SHORT = "(?:['\u2019](?:s|d|ll)|s)"
"""How "is", "did" and "will" end a word: "what's"."""

_MORE = (
    rf"(?: (?!(?:{_DOES}|{_DO}|{_WE}|they|it|that|if|when|who|because|as)\b)"
    r"[\w'\u2019-]+){0,5}"
)
"""Words of what is asked for, "times" in "how many times": no verb that another may be behind."""

_AS_ASKED = r"(?:when|where|why)(?: else| exactly)?"
_WHAT = f"(?:what|how|whose){_MORE}"
_WHICH = f"(?:who|whom)(?: else| exactly)?|which{_MORE}"

_LED = re.compile(rf"(?:{_LEAD_IN},? ){{0,3}}", re.IGNORECASE)
_SUBJECT = re.compile(
    rf"{_LED.pattern}(?:(?:(?:{_IN} )?(?:{_AS_ASKED}|{_WHAT}|{_WHICH}) )?{_DOES}"
    rf"|(?:what|where|who|how|when|why){_SHORT}) ",
    re.IGNORECASE,
)
"""What stands before "she": "And what recipes has", "who's"."""

_EVER = one_of(
    *("ever", "also", "already", "last", "not", "never", "still", "just", "really", "actually"),
    *("usually", "often", "always", "even", "first", "both", "all"),
)
_TO = one_of(
    *("to", "about", "with", "for", "from", "of", "at", "on", "in", "into", "by", "near", "after"),
    *("before", "behind", "over", "up", "out", "off", "down", "back", "without"),
)
_MADE = one_of(
    *("[a-z]+ed", "made", "brought", "got", "took", "led", "drove", "kept", "gave", "held", "let"),
    *("put", "told", "taught", "hurt", "cost"),
)
_OBJECT = re.compile(
    rf"{_LED.pattern}(?:(?:(?:{_IN} )?(?:{_AS_ASKED}|{_WHAT}|who) )?{_BE}(?: (?:it|this|that))?"
    rf"|(?:what|where|who|how|when){_SHORT}"
    rf"|(?:(?:{_IN} )?(?:{_AS_ASKED}|{_WHAT}) )?{_DO} {_WE}(?: {_EVER}){{0,2}}"
    rf" (?!(?:{_EVER}|{_TO})\b)[a-z]+(?: {_TO}){{0,2}}"
    rf"|what {_MADE}) ",
    re.IGNORECASE,
)
"""What stands before "her": "How old is", "What did I tell", "Did we ever talk about"."""

_SENTENCE_ENDS = re.compile(r"(?<=[.?!:;\u2026])\s+|\n")
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")
_ASKING = rf"(?:what|when|where|why|how|whose|who|whom|which){_SHORT}?|i(?:['\u2019]\w+)?"
_NO_NAME = re.compile(_ASKING, re.IGNORECASE)
_NO_FIRST_NAME = re.compile(
    one_of(
        *(_ASKING, _DOES, _DO, _LEAD_IN, _IN, "these", "those"),
        "(?:we|you|it|they|this|that|there)(?:['\u2019]\\w+)?",
    ),
    re.IGNORECASE,
)

_HERSELF = re.compile(
    r"\W*(?:\Z|[^\w\s]|(?:about|after|again|also|and|at|before|by|everything|for|from|how|if|in|not"
    r"|on|or|out|than|that|the|there|to|today|tomorrow|tonight|too|what|when|where|which|who|why"
    r"|with|yesterday|yet|an?|last|next|this)\b"
    r"|(?:back|first|most)(?:\W*\Z|\s*[^\w\s]|\s+(?:about|after|and|at|before|by|for|from|in|on|or"
    r"|that|to|when|with|yesterday)\b))",
    re.IGNORECASE,
)
"""What follows "her" where it is a person, not something of hers."""

_TOLD = frozenset(
    """
    ask asked asking call called calling gave give given giving help helped helping invite invited
    inviting lend lending lent meet meeting met paid pay paying remind reminded reminding saw see
    seeing seen send sending sent show showed showing shown taught teach teaching tell telling
    thank thanked thanking told visit visited visiting
    """.split()
)
"""Behind these "her" is a person."""

_IS = re.compile(rf"(?:{_BE}|(?:what|where|who|how|when){_SHORT})\Z", re.IGNORECASE)
"""Behind this it is not: "What is her first name?"."""


def points_at_somebody(question: str) -> bool:
    """Whether it is about somebody whom it does not name; it may name others behind."""
    found = _SOMEBODY.search(question[:_READ])
    if found is None or len(question) > _READ or not _is_pronoun(question, found):
        return False
    *said, clause = _SENTENCE_ENDS.split(question[: found.start()])
    return (
        _leads_to(found, " ".join(clause.split()), first=not any(map(str.strip, said)))
        and not any(map(_WHO.search, said))
        and not any(map(_may_name, [*said, clause]))
    )


def says_she(question: str) -> bool:
    """Whether who is meant is a woman, where it points at somebody."""
    found = _SOMEBODY.search(question)
    return found is not None and found[0].casefold() in {"she", "her", "hers"}


def before_somebody(question: str) -> str:
    """What stands before that."""
    found = _SOMEBODY.search(question)
    return question[: found.start()] if found else question


def named_instead(question: str, name: str) -> str:
    """The same with a name where it points at somebody first."""
    found = _SOMEBODY.search(question)
    if found is None:
        return question
    owns = found["whose"] or (found["her"] and not _is_herself(question, found))
    ending = "'s" if owns else ""
    return f"{question[: found.start()]}{name}{ending}{question[found.end() :]}"


def _is_pronoun(question: str, found: re.Match[str]) -> bool:
    """Whether it is spelled as one, alone: not "(s)he", nor "HIS", nor "His Dark Materials"."""
    word, before = found[0], question[: found.start()]
    if _MEANS_NOBODY.match(question, found.end()) or before[-1:].strip():
        return False
    if word.islower():
        return True
    return word[1:].islower() and not before.strip() and not _IN_A_TITLE.match(question, len(word))


def _leads_to(found: re.Match[str], clause: str, *, first: bool) -> bool:
    """Whether the pronoun may stand behind this; behind nothing, in the first sentence only."""
    clause = f"{clause} ".lstrip()
    if _LED.fullmatch(clause):
        return first
    return bool((_SUBJECT if found["does"] else _OBJECT).fullmatch(clause))


def _may_name(text: str) -> bool:
    """Whether a sentence may name somebody, or speak of them."""
    words: Sequence[str] = _WORD.findall(text)
    if not words:
        return False
    others = (word for word in words[1:] if not _NO_NAME.fullmatch(word))
    unknown = [] if _NO_FIRST_NAME.fullmatch(words[0]) else words[:1]
    capitals = any(word[0].isalpha() and not word[0].islower() for word in [*unknown, *others])
    return capitals or _SPOKEN_OF.search(text) is not None


def _is_herself(question: str, found: re.Match[str]) -> bool:
    """Whether "her" is a person: "Did I tell her about it?", not "Did I tell her sister?"."""
    behind = "".join(question[: found.start()].split()[-1:])
    if _KIN_FOLLOWS.match(question, found.end()):
        return False
    if behind.casefold() in _TOLD:
        return True
    return not _IS.match(behind) and _HERSELF.match(question, found.end()) is not None

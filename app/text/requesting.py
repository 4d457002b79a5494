"""
Requests of an assistant: "Show me the SQL for monthly revenue", "Explain generators".

They ask as questions do. Kept apart are those that only want to be told something, which say no
more than a question, from those to make something, which may tell of what is to be made. For
English, German, French and Spanish.
"""

import re

from app.text.patterns import one_of

_LONGEST = 200
"""Characters of a question or a request that tells nothing besides, at most."""

_FIRST = (
    r"\W*(?:(?:ok(?:ay)?|now|so|and|then|also|please|pls|bitte|just|quickly|"
    r"(?:can|could|would|will) you)\b[\s,]*)*"
)
_TOLD = one_of(
    r"(?:show|tell|give|read|teach|get|find)\s(?:me|us)",
    r"remind\s(?:me|us)\s(?:again\s)?(?:what|who|whose|when|where|which|how|why|of|about)",
    r"(?:show|list|find)\s(?:all|the|my|our|every|some|any)",
    r"(?:explain|describe|summari[sz]e|recap|outline|compare|translate|rephrase|paraphrase|define)",
    r"(?:recommend|suggest)\s(?:me|us|a|an|some|the|good|other|more)",
    r"(?:zeig|sag|gib|nenn|erklär)e?\s(?:mir|uns)", r"(?:erkläre?|vergleiche?)",
    r"(?:montre|dis|donne|explique)[sz]?-(?:moi|nous)", r"(?:explique|résume)[sz]?",
    r"(?:dime|dame|muéstrame|explícame|recuérdame)", r"(?:explica|resume)",
)  # fmt: skip
_MADE = one_of(
    r"(?:write|draft|compose|generate|create|make|build|design|plan|implement|give|add)\s"
    r"(?:me|us|a|an|some|the)",
    r"(?:rewrite|reword|proofread|convert|calculate|compute|debug|refactor|review|repeat|look\sup"
    r"|search|print|fix|optimi[sz]e|help\s(?:me|us))",
    r"(?:schreibe?|erstelle?|mache?)\s(?:mir|uns|eine?n?|das|die|den)",
    r"(?:écri[st]|rédige|cré[ée]|fais)[sz]?(?:-moi|-nous|\sune?)",
    r"(?:escríbeme|escribe|crea|haz|hazme)\suna?",
)  # fmt: skip
_WANTS_TOLD = re.compile(rf"{_FIRST}{_TOLD}\b", re.IGNORECASE)
_WANTS_ANY = re.compile(rf"{_FIRST}(?:{_TOLD}|{_MADE})\b", re.IGNORECASE)

_ENDS_BEFORE = re.compile(r"[.!?:]\s|\n")
"""The end of a sentence behind which another one begins."""

_NOD = one_of(
    "absolutely", "all right", "alright", "awesome", "certainly", "congrat(?:ulation)?s",
    "cool", "done", "excellent", "fantastic", "fine", "glad", "good", "got it", "great",
    "happy", "i see", "lovely", "makes sense", "nice", "no problem", "noted", "of course",
    "ok(?:ay)?", "perfect", "sorry", "sounds", "sure", "thanks?", "that's", "understood",
    "welcome", "will do", "wonderful", "wow", "alles klar", "freut", "gern", "gl[uü]ckwunsch",
    "gut", "klar", "nat[uü]rlich", "notiert", "perfekt", "prima", "sch[oö]n", "super",
    "verstanden", "verstehe", "bien", "compris", "d'accord", "entendu", "f[eé]licitations",
    "not[eé]", "parfait", "tr[eè]s", "anotado", "claro", "de acuerdo", "enhorabuena",
    "entendido", "genial", "perfecto", "vale", "capito", "certo", "ottimo", "perfetto",
    "хорошо", "отлично", "прекрасно", "замечательно", "конечно", "понятно", "понял[аи]?",
    "с удовольствием",  # noqa: RUF001  (Cyrillic)
    "va bene", "combinado", "perfeito", "begrepen", "duidelijk", "goed", "leuk",
)  # fmt: skip
_NODS = re.compile(rf"\s*(?:(?i:{_NOD})\b(?:,?[ '\u2019-][^\W\d_A-Z]+){{0,3}}\s?[.!]+\s+)+(?=\w)")
"""Sentences of a few words, in small letters but for the first."""

_PARTED = re.compile(r";\s")
"""What a request of one sentence has not, either."""


def requests(said: str) -> bool:
    """Whether all that is said is one request: to be told something, or to make it."""
    return _is_one(said) and bool(_WANTS_ANY.match(said))


def wants_told(said: str) -> bool:
    """Whether all that is said is one request to be told something."""
    return _is_one(said) and bool(_WANTS_TOLD.match(said))


def is_one_sentence(said: str) -> bool:
    """Whether it is one sentence, and a brief one."""
    return len(said) <= _LONGEST and not _ENDS_BEFORE.search(said.rstrip())


def behind_nods(said: str) -> str:
    """
    What stands behind the sentences of a few words, no figure and no name, by which somebody shows
    that they heard: "Great, got it! When is it?". All of it if it is long, or has none of them.
    """
    if len(said) > _LONGEST:
        return said
    heard = _NODS.match(said)
    return said[heard.end() :] if heard else said


def _is_one(said: str) -> bool:
    return is_one_sentence(said) and not _PARTED.search(said.rstrip())

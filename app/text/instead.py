"""
What is asked of something else that has no name: "Who has the ring?", "And the trident?".

Asked with both, what is known of the old one comes first, so the new one takes its place: "Who has
the trident?". For English, where one thing alone was spoken of that a word such as "the" or "my"
stands before; of several, nobody knows which.
"""

import re

from app.text.leaning import says_nothing
from app.text.patterns import one_of

_THE = one_of("the", "my", "our", "his", "her", "their", "your")

_NEW = re.compile(rf"{_THE}\s(?:[\w'\u2019-]+\s){{0,2}}[\w'\u2019-]+\W*", re.IGNORECASE)
"""A thing, and nothing else."""

_WHEN = re.compile(
    r"\b(?:days?|weeks?|weekends?|months?|years?|mornings?|evenings?|nights?|times?|before|after)\b",
    re.IGNORECASE,
)
"""A time takes the place of no thing."""

_OLD = re.compile(rf"\b{_THE}\s", re.IGNORECASE)
_WORD = re.compile(r"[\w'\u2019-]+")
_LEADS_ON = frozenset(
    """
    in on at to from for with about by near under behind after before during into over until when
    while that which who than today tomorrow yesterday now again still
    """.split()
)
"""Where what is called a thing ends; "of" is in it: "the ring of feather fall"."""

_SEVERAL = re.compile(r"\b(?:and|or)\b", re.IGNORECASE)

_MOST = 4
"""Words of a thing, but "the"."""

_HELPS = re.compile(
    r"\b(?:do|does|did|can|could|will|would|shall|should|may|might|must)(?:n['\u2019]?t)?\W*\Z",
    re.IGNORECASE,
)
"""What stands before a thing that does something, which is told by the word behind it."""

_DONE = re.compile(r"\w{2,}ed", re.IGNORECASE)
"""What is done to a thing: "When was the roof repaired?"."""


def with_other_thing(before: str, rest: str) -> str | None:
    """
    What was asked `before`, of the thing that the `rest` of a question names instead, behind the
    "and what about" that it begins with; None where it is none, or may stand for several.
    """
    if not _NEW.fullmatch(rest) or says_nothing(rest) or _WHEN.search(rest):
        return None
    old = list(_OLD.finditer(before))
    if len(old) != 1 or _SEVERAL.search(before):
        return None
    start = old[0].start()
    words = _called_so(before, old[0].end())
    kept = _doing(before[:start], [each[0] for each in words])
    if kept is None or not words[: len(words) - kept]:
        return None
    stop = words[-1 - kept].end()
    new = " ".join(_WORD.findall(rest))
    return f"{before[:start]}{new}{before[stop:]}"


def _called_so(text: str, start: int) -> list[re.Match[str]]:
    """The words from there on, up to the one that leads on to something else."""
    words = list[re.Match[str]]()
    end = start
    for each in _WORD.finditer(text, start):
        if each[0].casefold() in _LEADS_ON or text[end : each.start()].strip():
            break
        words.append(each)
        end = each.end()
    return words


def _doing(led: str, words: list[str]) -> int | None:
    """How many of the last words tell what a thing does, or what is done; None if that is open."""
    if _HELPS.search(led):
        return 1 if len(words) == len(("thing", "does")) else None
    if len(words) > _MOST:
        return None
    return int(len(words) > 1 and bool(_DONE.fullmatch(words[-1])))

"""What is spelled as headings are, and whom and what they name."""

import re
from collections.abc import Iterator, Sequence

from app.distil.entities.kinds import is_given
from app.distil.language.lexicon import EXCLAMATIONS, NO_NAMES
from app.distil.language.sentences import Sentence
from app.distil.language.surnames import is_surname
from app.distil.language.world import MOST_WORDS, WORLD
from app.domain.entities import EntityType

WORD = re.compile(r"[^\W\d_][\w'\u2019-]*")
_PHRASE = re.compile(r"[^*:;|()\[\]\"\u201c\u201d\u2013\u2014\n]{3,200}")

_ITEM = re.compile(r"(?:\A|\n)\s*(?:[-*+\u2022]|\d{1,3}[.)])\s+\Z")

_GREETS = EXCLAMATIONS | frozenset("hi hello hey dear thanks thank sorry oh yes no ok okay".split())
_JOINS = frozenset(
    """a an and as at by for from if in into of on or out over per the to up via vs with within
    without your my our their its his her is are be""".split()
)
_SMALL_IN_HEADINGS = _JOINS | NO_NAMES


def heading_around(at: int, headings: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    return next((each for each in headings if each[0] <= at < each[1]), None)


def headings(content: str, sentence: Sentence) -> Sequence[tuple[int, int]]:
    """Phrases of a sentence that are set in bold, labels or list items, all in capitals."""
    is_item = bool(_ITEM.search(content[max(sentence.start - 12, 0) : sentence.start]))
    if not is_item and not any(mark in sentence.text for mark in "*:["):
        return ()
    return [
        found.span()
        for found in _PHRASE.finditer(content, sentence.start, sentence.stop)
        if _is_marked(content, found, sentence, is_item=is_item) and _has_capitals(found[0])
    ]


def _is_marked(content: str, phrase: re.Match[str], sentence: Sentence, *, is_item: bool) -> bool:
    before = content[max(phrase.start() - 1, sentence.start) : phrase.start()]
    after = content[phrase.end() : phrase.end() + 1]
    marked = before in ("*", ":", "[", "]") or after in ("*", ":", "]")
    return marked or (is_item and not before)


def _has_capitals(phrase: str) -> bool:
    """Whether all its words of weight have capitals, two at least; a greeting is no heading."""
    said = phrase.strip()
    words = WORD.findall(said)
    if len(words) < 2 or said[-1] in ".!?" or "," in said or words[0].casefold() in _GREETS:
        return False
    return all(map(may_be_in_title, words))


def names_in_heading(
    content: str, run: re.Match[str], heading: tuple[int, int]
) -> Iterator[tuple[int, str, EntityType]]:
    """
    Who is called by a given name, with a family name that is known as one, and who made a work.

    A name that is all of a heading, or stands behind "by", is whole: "Author: Anna Doe".
    """
    start, name = run.start(), run[0]
    words = name.split(" ")
    by = content.endswith("by ", heading[0], start)
    alone = content[heading[0] : heading[1]].strip() == name
    if by and len(words) > 1:
        yield start, name, EntityType.UNKNOWN
    elif alone and len(words) > 1 and is_given(words[0]):
        yield start, name, EntityType.PERSON
    else:
        yield from _known_in(run)


def may_be_in_title(word: str) -> bool:
    return word[0].isupper() or word in _SMALL_IN_HEADINGS


def _known_in(run: re.Match[str]) -> Iterator[tuple[int, str, EntityType]]:
    """Given names, with a family name that is known as one, and names that all know."""
    words, end = list(WORD.finditer(run[0])), 0
    for at, word in enumerate(words):
        if word.start() < end:
            continue
        stop, kind = _end_of_person(words[at : at + 2]), EntityType.PERSON
        if stop is None:
            stop, kind = _end_in_world(run[0], words[at : at + MOST_WORDS])
        if stop is not None:
            end = stop
            yield run.start() + word.start(), run[0][word.start() : end], kind


def _end_of_person(words: Sequence[re.Match[str]]) -> int | None:
    if not is_given(words[0][0]):
        return None
    of_two = len(words) > 1 and (is_surname(words[1][0]) or is_given(words[1][0]))
    return words[1 if of_two else 0].end()


def _end_in_world(said: str, words: Sequence[re.Match[str]]) -> tuple[int | None, EntityType]:
    """Where the longest name ends that is known to all, and what it is of."""
    for last in reversed(words):
        name = said[words[0].start() : last.end()].casefold()
        if name in WORLD:
            return last.end(), WORLD[name]
    return None, EntityType.UNKNOWN

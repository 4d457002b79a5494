"""Sentences that are too long to be told are cut where their clauses end."""

import re
from collections.abc import Iterator, Sequence

from app.distil.language.sentences import Sentence

LONGEST = 360
"""Characters of a sentence that can be told as it is."""

_WANTED = 180
"""Characters of a part that its next clause may still join."""

_CLAUSE = re.compile(
    r"[;:]\s+|[\uff1b\uff1a]|(?<!\s)\s+[-\u2013\u2014]\s+"
    r"|,\s+(?=(?:and|but|so|because|then|or|while|which|although|und|aber|denn|weil|sondern)\b)"
)
"""Blanks are looked through from the first of them on: once, however many there are."""

_COMMA = re.compile(r",\s+|\uff0c")


def shortened(sentence: Sentence) -> Sequence[Sentence]:
    """
    The sentence, or where it is too long its clauses, as it has them, a few to a part.

    Commas end one only where clauses are too long still; what has none either is left out. Nothing
    is cut inside of what is quoted.
    """
    if len(sentence.text) <= LONGEST:
        return [sentence]
    clauses = [
        piece
        for clause in _cut(_CLAUSE, sentence.plain, 0, len(sentence.plain))
        for piece in _short(sentence.plain, *clause)
    ]
    return [_part(sentence, *each) for each in _joined(sentence.plain, clauses)]


def _cut(end: re.Pattern[str], plain: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """The stretches between the ends, without these."""
    for found in end.finditer(plain, start, stop):
        yield start, found.start()
        start = found.end()
    yield start, stop


def _short(plain: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    if stop - start <= LONGEST:
        yield start, stop
    else:
        for piece in _cut(_COMMA, plain, start, stop):
            if piece[1] - piece[0] <= LONGEST:
                yield piece


def _joined(plain: str, clauses: Sequence[tuple[int, int]]) -> Sequence[tuple[int, int]]:
    """As few parts as can be; what stands between the clauses of one is in it."""
    parts: list[tuple[int, int]] = []
    for start, stop in clauses:
        if parts and stop - parts[-1][0] <= _WANTED:
            parts[-1] = parts[-1][0], stop
        elif plain[start:stop].strip():
            parts.append((start, stop))
    return parts


def _part(sentence: Sentence, start: int, stop: int) -> Sentence:
    said = sentence.text[start:stop]
    start, stop = stop - len(said.lstrip()), start + len(said.rstrip())
    begin = sentence.start
    return Sentence(
        begin + start, begin + stop, sentence.text[start:stop], sentence.plain[start:stop]
    )

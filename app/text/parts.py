"""The small parts that chunks are made of, each with what it costs and how well it begins one."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

CountTokens = Callable[[str], int]

_MOST = 25
"""Tokens of a part: an overlap can be made of such to within as many. More is cut further."""

_SURELY_LONG = 200
"""Characters of a sentence or line that is not counted before it is cut."""

_STRETCH = 60
"""Characters of what a long one is cut into, between words where there are any."""

_SLIVER = 7
"""Characters that are never more than 28 tokens: no character has more than four bytes."""


class Seam(IntEnum):
    """Where a part begins; the higher, the better a chunk begins there too."""

    INSIDE = 0
    WORD = 1
    SENTENCE = 2
    LINE = 3
    PARAGRAPH = 4


@dataclass(frozen=True, slots=True)
class Part:
    """
    text[start:stop], which begins and ends with something to see.

    `tokens` are its own, `joined` what it adds to a chunk: itself and the blanks before it.
    """

    start: int
    stop: int
    tokens: int
    joined: int
    seam: Seam


_SENTENCES = re.compile(
    r"""
    (?P<blank>\s*)
    (?P<said>\S[^\r\n]*?
      (?: (?<=[.!?…]) ["'\u201d\u2019)\]]* (?=\s)  # the end of a sentence
        | (?<=[\u3002\uff01\uff1f])  # which needs no blank behind it in every script
        | (?=[\r\n])
        | \Z ))
    """,
    re.VERBOSE,
)
_LINES = re.compile(r"(?P<blank>\s*)(?P<said>\S[^\r\n]*)")
_STRETCHES = re.compile(
    rf"(?P<blank>\s*)(?P<said>\S(?:[^\r\n]{{0,{_STRETCH - 1}}}(?!\S)|\S{{0,{_STRETCH - 1}}}))"
)
_SLIVERS = re.compile(rf"(?P<blank>\s*)(?P<said>\S{{1,{_SLIVER}}})")
_DEFINITION = re.compile(
    r"(?:@|(?:async |export |default |public |private |protected |static |pub )*"
    r"(?:def|class|function|func|fn|interface|struct|impl|enum|trait|module|type)\b)"
)

_CUTS = (_STRETCHES, _SLIVERS)


def prose_parts(text: str, start: int, stop: int, count: CountTokens) -> Iterator[Part]:
    """The parts of text[start:stop] in order: sentences, and pieces of long ones."""
    for found in _found(_SENTENCES, text, start, stop):
        yield from _cut(found, _prose_seam(found["blank"]), count, _CUTS)


def code_parts(text: str, start: int, stop: int, count: CountTokens) -> Iterator[Part]:
    """The parts of text[start:stop] in order: lines, and pieces of long ones."""
    for found in _found(_LINES, text, start, stop):
        yield from _cut(found, _code_seam(found["blank"], found["said"]), count, _CUTS)


def _found(pattern: re.Pattern[str], text: str, start: int, stop: int) -> Iterator[re.Match[str]]:
    """Blanks at the end belong to no part, and are looked at only once."""
    return pattern.finditer(text, start, start + len(text[start:stop].rstrip()))


def _cut(
    found: re.Match[str], seam: Seam, count: CountTokens, cuts: Sequence[re.Pattern[str]]
) -> Iterator[Part]:
    """What was found as one part, or cut again where it is too long."""
    start, stop = found.span("said")
    surely_long = stop - start > _SURELY_LONG
    tokens = 0 if surely_long else count(found["said"])
    if cuts and (surely_long or tokens > _MOST):
        for piece in _found(cuts[0], found.string, found.start(), stop):
            first = piece.start() == found.start()
            yield from _cut(piece, seam if first else _word_seam(piece), count, cuts[1:])
    else:
        joined = tokens + (count(found["blank"]) if len(found["blank"]) > 1 else 0)
        yield Part(start, stop, tokens, joined, seam)


def _word_seam(piece: re.Match[str]) -> Seam:
    return Seam.WORD if piece["blank"] else Seam.INSIDE


def _prose_seam(blank: str) -> Seam:
    lines = _line_ends(blank)
    return (Seam.SENTENCE, Seam.LINE, Seam.PARAGRAPH)[min(lines, 2)]


def _code_seam(blank: str, line: str) -> Seam:
    """Best where something begins that stands by itself."""
    outermost = not blank or blank[-1] in "\r\n"
    begins = _line_ends(blank) > 1 or bool(_DEFINITION.match(line))
    if begins:
        return Seam.PARAGRAPH if outermost else Seam.LINE
    return Seam.SENTENCE


def _line_ends(blank: str) -> int:
    return max(blank.count("\n"), blank.count("\r"))

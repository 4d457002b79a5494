"""The sentences of a message: prose only, each with its place, what is quoted in it blanked out."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from app.text.blocks import blocks_of

QUOTED = "\x00"
"""Stands for each character of what somebody else said, or of code: no rule matches it."""

_LINE = re.compile(r"[^\r\n]+")
_NO_PROSE = re.compile(
    r"\s*(?:[>|#]|\s{4}|(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:"
    r"|(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL)\b))"
)
_BULLET = re.compile(r"\s*(?:[-*+•]\s+|\d{1,3}[.)]\s+)?")
_END = re.compile(r"[.!?…]{1,9}[\"'\u201d\u2019)\]*]{0,3}(?=\s)|[\u3002\uff01\uff1f]")
_NO_END = re.compile(
    r"(?:\b(?i:mr|mrs|ms|dr|prof|st|vs|etc|e\.g|i\.e|[af]\.k\.a|approx|fig|inc|ltd|u\.s)|\A\d{1,3}|\b[A-Z])\.\Z"
)
_LOOKED_BACK = 8
_HELD_CHARACTERS = 100_000
"""The sentences of what is longer are found anew each time: they take many times its room."""

_CODE = re.compile(r"`([^`\n]{1,200})`")
_QUOTE = re.compile(
    r"\"[^\"\n]{1,1000}\"|\u201c[^\u201d\u201c\n]{1,1000}\u201d|\u00ab[^\u00bb\u00ab\n]{1,1000}\u00bb"
    r"|\u201e[^\u201c\u201e\n]{1,1000}\u201c|\u300c[^\u300d\u300c\n]{1,1000}\u300d"
    r"|(?<!\w)['\u2018][^'\u2018\u2019\n]{1,300}['\u2019](?!\w)"
)
_ASKING = re.compile(r"[?\uff1f\u061f]\W*\Z")


@dataclass(frozen=True, slots=True)
class Sentence:
    """
    content[start:stop] of a message.

    `plain` is as long, has straight apostrophes, and QUOTED for all that somebody quotes.
    """

    start: int
    stop: int
    text: str
    plain: str

    @property
    def asks(self) -> bool:
        return bool(_ASKING.search(self.text[-20:]))


def sentences_of(content: str) -> Iterable[Sentence]:
    """The sentences of `content` in order, without blanks around; a line ends one too."""
    return _held(content) if len(content) <= _HELD_CHARACTERS else _sentences(content)


@lru_cache(maxsize=8)  # each rule asks for those of the same message, one after the other
def _held(content: str) -> Sequence[Sentence]:
    return tuple(_sentences(content))


def _sentences(content: str) -> Iterator[Sentence]:
    for block in blocks_of(content):
        if not block.code:
            for line in _LINE.finditer(content, block.start, block.stop):
                yield from _in_line(line)


def _in_line(line: re.Match[str]) -> Iterator[Sentence]:
    text = line[0]
    if _NO_PROSE.match(text):
        return
    plain = _plain(text)
    bullet = _BULLET.match(text)
    start = bullet.end() if bullet else 0
    for stop in _ends(plain, start):
        said = text[start:stop]
        first = start + len(said) - len(said.lstrip())
        last = start + len(said.rstrip())
        if first < last:
            at = line.start()
            yield Sentence(at + first, at + last, text[first:last], plain[first:last])
        start = stop


def _ends(plain: str, start: int) -> Iterator[int]:
    for end in _END.finditer(plain, start):
        before = plain[max(0, end.end() - _LOOKED_BACK) : end.end()]
        if not _NO_END.search(before):
            yield end.end()
    yield len(plain)


def _plain(text: str) -> str:
    without_code = _CODE.sub(_bare_code, text) if "`" in text else text
    blanked = _QUOTE.sub(lambda found: QUOTED * len(found[0]), without_code)
    return blanked.replace("\u2019", "'")


def _bare_code(found: re.Match[str]) -> str:
    """A single name is as good as one in prose; more than that is code."""
    name = found[1]
    return QUOTED * len(found[0]) if " " in name.strip() else f" {name} "

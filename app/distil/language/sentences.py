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
    r"(?:\b(?i:mr|mrs|ms|dr|prof|st|vs|etc|e\.g|i\.e|[af]\.k\.a|approx|fig|inc|ltd|u\.s|z\.\s?b|d\.\s?h)"
    r"|\b(?:ca|bzw|ggf|evtl|inkl|exkl|zzgl|bspw|vgl|sog|o\.ä|Nr|Hr|Mio|Mrd|Sra?|Mme|núm|pág|aprox)"
    r"|\A\d{1,3}|\b[A-Z])\.\Z"
)
_MAY_GO_ON = re.compile(
    r"\b(?:(?P<day>\d{1,2})|(?P<letter>[zduio])|(?P<numbered>\w{0,9}[Ss]tr|Tel|Abs)"
    r"|(?P<month>Jan|Feb|Mrz|Mär|Apr|Jun|Jul|Aug|Sept?|Okt|Oct|Nov|Dez|Dec))\.\Z"
)
_GOES_ON = {
    "day": re.compile(
        r"\s+(?:(?:und|oder|bis|og|eller|til)\s+\d{1,2}\.\s+)?(?:januar|jänner|februar|feber|märz|april"
        r"|mai|juni|juli|august|september|oktober|november|dezember|marts|mars|maj|desember|december"
        r"|(?:jan|feb|mrz|apr|jun|jul|aug|sept?|okt|nov|dez)\.|quartal|halbjahr|jahrhundert)(?!\w)",
        re.IGNORECASE,
    ),
    "letter": re.compile(r"\s(?:B|b|h|a|U|ä|d)\."),
    "numbered": re.compile(r"\s+[\d+(]"),
    "month": re.compile(r"\s+[\da-zäöü]"),
}
"""By what may go on what must follow it: "am 30." goes on before a month."""

_LOOKED_BACK = 12
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
        if not _goes_on(plain, end.end()):
            yield end.end()
    yield len(plain)


def _goes_on(plain: str, at: int) -> bool:
    before = plain[max(0, at - _LOOKED_BACK) : at]
    if _NO_END.search(before):
        return True
    found = _MAY_GO_ON.search(before)
    return bool(found and _GOES_ON[str(found.lastgroup)].match(plain, at))


def _plain(text: str) -> str:
    without_code = _CODE.sub(_bare_code, text) if "`" in text else text
    blanked = _QUOTE.sub(lambda found: QUOTED * len(found[0]), without_code)
    return blanked.replace("\u2019", "'")


def _bare_code(found: re.Match[str]) -> str:
    """A single name is as good as one in prose; more than that is code."""
    name = found[1]
    return QUOTED * len(found[0]) if " " in name.strip() else f" {name} "

"""
Cutting an export into its records without reading any of them.

A parser of the whole would end at the first mistake; here what lies between two mistakes is found.
"""

import re
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field

from app.formats.found import Rejected

_SPACE = b" \t\r\n"
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["\[\]{},]', re.DOTALL)
_STRING_ENDS = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_BOM = b"\xef\xbb\xbf"
_BETWEEN = re.compile(rb"[ \t\r\n\xef\xbb\xbf]*+")
"""What may stand between two lists: the second of two files that were joined has its own mark."""


@dataclass(frozen=True, slots=True)
class Piece:
    """The bytes of a record, and where they stand."""

    at: str
    raw: bytes


def lines(chunks: Iterable[bytes], *, most: int) -> Iterator[Piece | Rejected]:
    """The lines that hold anything, counted from 1; one of more than `most` bytes is rejected."""
    number, kept, size = 0, bytearray(), 0
    for chunk in chunks:
        *ended, rest = chunk.split(b"\n")
        for each in ended:
            number += 1
            size += len(each)
            yield from _line(number, bytes(kept + each), size, most)
            kept, size = bytearray(), 0
        size += len(rest)
        if size <= most:
            kept += rest
    yield from _line(number + 1, bytes(kept), size, most)


def _line(number: int, raw: bytes, size: int, most: int) -> Iterator[Piece | Rejected]:
    at = f"line {number}"
    if size > most:
        yield Rejected(at, f"more than {most} bytes")
    elif stripped := raw.removeprefix(_BOM).strip(_SPACE):
        yield Piece(at, stripped)


def elements(chunks: Iterable[bytes], *, most: int) -> Iterator[Piece | Rejected]:
    """
    The elements of a JSON array, counted from 0; one of more than `most` bytes is rejected.

    Those of further arrays behind it are counted on; where anything else follows, that is told.
    Only strings, brackets and commas are looked at, so an element that is no JSON is a piece too.
    """
    scan = _Scan(most=most)
    for chunk in chunks:
        yield from scan.feed(chunk)
        if scan.ended:
            return
    yield from scan.end()


@dataclass(slots=True)
class _Scan:
    """How far an array has been read; `buffer` holds what is still to be given out."""

    most: int
    buffer: bytearray = field(default_factory=bytearray)
    start: int = 0
    """Where in the buffer the element begins."""
    at: int = 0
    """Where in the buffer to go on."""
    open: bytearray = field(default_factory=bytearray)
    """The brackets around this place, the array's own first."""
    inside: Counter[int] = field(default_factory=Counter)
    """How many of each kind those are without the array's own: no depth makes a bracket dear."""
    in_string: bool = False
    count: int = 0
    dropped: bool = False
    """The element is too large; its beginning is not kept."""
    between: bool = False
    """The list has ended; another one may follow."""
    ended: bool = False

    def feed(self, chunk: bytes) -> Iterator[Piece | Rejected]:
        self.buffer += chunk
        while not (yield from self._ends_here()) and (token := self._next()) is not None:
            yield from self._take(token)
        self.dropped = self.dropped or len(self.buffer) - self.start > self.most
        given_out = self.at if self.dropped else self.start
        del self.buffer[:given_out]
        self.at -= given_out
        self.start = 0

    def end(self) -> Iterator[Rejected]:
        if not (self.ended or self.between):
            yield Rejected(f"[{self.count}]", "the file ends here, in the middle of the list")

    def _ends_here(self) -> Generator[Rejected, None, bool]:
        """Whether no more is to be read; behind a list that goes on only with another one."""
        if self.between:
            space = _BETWEEN.match(self.buffer, self.at)
            self.start = self.at = self.at if space is None else space.end()
            self.between = self.at == len(self.buffer)
            if not self.between and self.buffer[self.at] != _LIST:
                self.ended = True
                yield Rejected(f"[{self.count}]", "the list ends before, and no list follows")
        return self.ended or self.between

    def _next(self) -> int | None:
        """The next bracket or comma that is not in a string; None: more is to be read first."""
        while True:
            if self.in_string:
                closing = _STRING_ENDS.match(self.buffer, self.at)
                if closing is None:
                    self.at = len(self.buffer) - _backslashes(self.buffer, self.at) % 2
                    return None
                self.in_string, self.at = False, closing.end()
            token = _TOKEN.search(self.buffer, self.at)
            if token is None:
                self.at = len(self.buffer)
                return None
            self.at = token.end()
            found = self.buffer[token.start()]
            if found != _QUOTE:
                return found
            self.in_string = token.end() == token.start() + 1

    def _take(self, token: int) -> Iterator[Piece | Rejected]:
        if token in _CLOSES:
            self._close(_CLOSES[token])
            if not self.open:
                yield from self._element(last=True)
                self.between = True
        elif token != _COMMA:
            if token == _OBJECT and self._was_cut_off():
                yield from self._element()
                self.start -= 1
                del self.open[1:]
                self.inside.clear()
            self.inside[token] += bool(self.open)
            self.open.append(token)
            if len(self.open) == 1:
                self._cut()
        elif len(self.open) == 1:
            yield from self._element()

    def _was_cut_off(self) -> bool:
        """Whether an object begins behind a comma of another: that one was never closed."""
        if len(self.open) != 2 or self.open[1] != _OBJECT:
            return False
        at = self.at - 2
        while at >= self.start and self.buffer[at] in _SPACE:
            at -= 1
        return at >= self.start and self.buffer[at] == _COMMA

    def _close(self, opening: int) -> None:
        """Up to the bracket that this one closes: one that was left open ends with it."""
        if self.inside[opening] or self.open == bytes([opening]):
            while (closed := self.open.pop()) != opening:
                self.inside[closed] -= 1
            if self.open:
                self.inside[opening] -= 1

    def _element(self, *, last: bool = False) -> Iterator[Piece | Rejected]:
        at = f"[{self.count}]"
        raw = self._cut()
        if self.dropped or len(raw) > self.most:
            yield Rejected(at, f"more than {self.most} bytes")
        elif raw:
            yield Piece(at, raw)
        elif last:
            return
        else:
            yield Rejected(at, "there is nothing")
        self.dropped = False
        self.count += 1

    def _cut(self) -> bytes:
        """What lies before the last token."""
        raw = bytes(self.buffer[self.start : self.at - 1])
        self.start = self.at
        return raw.strip(_SPACE)


_QUOTE, _COMMA, _OBJECT, _LIST = b'",{['
_CLOSES = {b"]"[0]: _LIST, b"}"[0]: _OBJECT}


def _backslashes(buffer: bytearray, start: int) -> int:
    """How many of them end the buffer, from `start` on."""
    return len(buffer) - max(start, len(buffer.rstrip(b"\\")))

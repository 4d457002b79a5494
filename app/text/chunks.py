"""
Chunks: spans of a message that are small enough to be found and shown by themselves.

Tokens are counted once for each small part of a text and added up, so the time is linear. (Of the
splitters there are, the best kept one leaves almost half of the seams without any overlap, and
needs a minute for 260,000 characters that have no blanks between them.)
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from app.text.blocks import blocks_of
from app.text.parts import CountTokens, Part, code_parts, prose_parts

SHORT = 300
"""Tokens of a message that needs no chunks, unless it has code beside prose."""

_CAPTION = 30
"""Tokens of prose beside code that go with it: by themselves they would say little."""

_CRUMB = 10
"""Tokens of code, with its fences, that goes with the code before it: a call, or nothing at all."""

_LAST = 100
"""Tokens that a cut leaves for what follows, where it can."""


class Kind(StrEnum):
    """What a chunk consists of."""

    CODE = "code"
    PROSE = "prose"


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """content[start:stop] of a message, in code points; `language` is what a fence says."""

    start: int
    stop: int
    kind: Kind
    language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sizes:
    """Tokens of a chunk, and how many of the one before it are said again."""

    least: int
    most: int
    overlap: tuple[int, int]


# A little inside of what is promised: the tokens of a whole may differ from those of its parts.
_PROSE = _Sizes(least=205, most=295, overlap=(32, 59))
_CODE = _Sizes(least=300, most=495, overlap=(0, 0))
_WHOLE_CODE = 500


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Prose or one code block, with its tokens."""

    span: Span
    tokens: int


def chunks_of(content: str, tokens: int, count: CountTokens) -> Sequence[Span]:
    """
    The chunks of a message, in order; none where the message itself is the smallest piece.

    Every character that is not blank is in a chunk. A code block is kept whole up to 500 tokens,
    else cut where definitions or paragraphs begin, without overlap. Prose is cut between
    paragraphs, else lines, sentences, words: 200 to 300 tokens (the last may have less), the
    first 30 to 60 of which the chunk before has too. A few words beside code go with it, and code
    of next to nothing goes with the code before it.

    Args:
        content: What was said.
        tokens: Of `content`.
        count: Counts tokens.
    """
    if tokens <= SHORT and "```" not in content and "~~~" not in content:
        return []
    stretches = _captioned(_stretches(content, count))
    if tokens <= SHORT and len({each.span.kind for each in stretches}) < len(Kind):
        return []
    spans = [span for each in stretches for span in _spans(content, each, count)]
    return spans if len(spans) > 1 else []


def _stretches(content: str, count: CountTokens) -> Iterator[_Stretch]:
    for block in blocks_of(content):
        text = content[block.start : block.stop]
        start = block.start + len(text) - len(text.lstrip())
        stop = block.start + len(text.rstrip())
        if start < stop:
            kind = Kind.CODE if block.code else Kind.PROSE
            span = Span(start=start, stop=stop, kind=kind, language=block.language)
            yield _Stretch(span, count(content[start:stop]))


def _captioned(stretches: Iterator[_Stretch]) -> list[_Stretch]:
    """
    The same, with captions as a part of the code that they stand before, else behind, and crumbs as
    a part of the code before them: however many there are, they make few chunks.
    """
    done: list[_Stretch] = []
    for each in stretches:
        if done and _is_caption(done[-1]) and _has_room(each, done[-1]):
            each = _joined(done.pop(), each, like=each)  # noqa: PLW2901  (it has become more)
        if done and _is_crumb(each) and _has_room(done[-1], each):
            each = _joined(done[-1], each, like=done.pop())  # noqa: PLW2901  (as above)
        done.append(each)
    return _closed(done)


def _closed(stretches: list[_Stretch]) -> list[_Stretch]:
    """A caption that is the last of all goes with the code before it."""
    if len(stretches) > 1:
        before, last = stretches[-2:]
        if _is_caption(last) and _has_room(before, last):
            return [*stretches[:-2], _joined(before, last, like=before)]
    return stretches


def _joined(first: _Stretch, second: _Stretch, *, like: _Stretch) -> _Stretch:
    span = replace(like.span, start=first.span.start, stop=second.span.stop)
    return _Stretch(span, first.tokens + second.tokens)


def _is_caption(stretch: _Stretch) -> bool:
    return stretch.span.kind is Kind.PROSE and stretch.tokens <= _CAPTION


def _is_crumb(stretch: _Stretch) -> bool:
    return stretch.span.kind is Kind.CODE and stretch.tokens <= _CRUMB


def _has_room(code: _Stretch, caption: _Stretch) -> bool:
    """Whether it is code that does not have to be cut because of the caption."""
    cut_anyway = code.tokens > _WHOLE_CODE
    return code.span.kind is Kind.CODE and (
        cut_anyway or code.tokens + caption.tokens < _WHOLE_CODE
    )


def _spans(content: str, stretch: _Stretch, count: CountTokens) -> Iterator[Span]:
    span = stretch.span
    is_code = span.kind is Kind.CODE
    if stretch.tokens <= (_WHOLE_CODE if is_code else SHORT):
        yield span
        return
    parts_of = code_parts if is_code else prose_parts
    row = _Row(parts_of(content, span.start, span.stop, count))
    for first, end in _runs(row, _CODE if is_code else _PROSE):
        yield replace(span, start=row.starts[first], stop=row.stops[end - 1])


def _runs(row: "_Row", sizes: _Sizes) -> Iterator[tuple[int, int]]:
    """Runs from `first` to before `end` that hold all of a row, of the sizes that are wanted."""
    first, end = 0, 0
    while end < len(row.starts):
        end = row.end(first, sizes)
        yield first, end
        first = row.next_first(first, end, sizes)


class _Row:
    """
    Parts in a row, and what any run of them costs.

    They are kept as columns of numbers: a million objects would have the garbage collector hold up
    every thread each time that it looks through them.
    """

    def __init__(self, parts: Iterable[Part]) -> None:
        self.starts, self.stops = array("q"), array("q")
        self._seams, self._blanks, self._until = array("b"), array("q"), array("q", [0])
        for part in parts:
            self.starts.append(part.start)
            self.stops.append(part.stop)
            self._seams.append(part.seam)
            self._blanks.append(part.joined - part.tokens)
            self._until.append(self._until[-1] + part.joined)

    def end(self, first: int, sizes: _Sizes) -> int:
        """Where the run from `first` ends: at the best seam, the first of several."""
        least, most = (self._reaching(first, size) for size in (sizes.least, sizes.most + 1))
        most = max(most - 1, first + 1)
        if most >= len(self.starts):
            return len(self.starts)
        ends = range(min(least, most), most + 1)
        roomy = [end for end in ends if self._until[-1] - self._until[end] >= _LAST]
        return max(roomy or ends, key=self._seams.__getitem__)

    def next_first(self, first: int, end: int, sizes: _Sizes) -> int:
        """Where the next run begins: before `end`, so that they overlap as wanted, or there."""
        least, most = sizes.overlap
        if end >= len(self.starts) or most == 0:
            return end
        starts = [
            start
            for start in range(max(first + 1, end - most), end)
            if least <= self._tokens(start, end) <= most
        ]
        best = max(starts, key=self._seams.__getitem__, default=end)
        return best if self._tokens(best, end + 1) <= sizes.most else end

    def _tokens(self, first: int, end: int) -> int:
        """The blanks before a part are not in a run that begins with it."""
        return self._until[end] - self._until[first] - self._blanks[first]

    def _reaching(self, first: int, tokens: int) -> int:
        """The first end at which the run has at least so many tokens; past the last for none."""
        return bisect_left(
            self._until, self._until[first] + self._blanks[first] + tokens, lo=first + 1
        )

"""
Echoes: what is said only because it was put into a prompt from a bundle of ours.

A text is cut into segments (about a sentence each), and each segment is known by its words alone,
so that quoting, lists, JSON and line breaks make no difference. What a bundle showed is kept as the
fingerprints of its segments; a text that comes back is held against them.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import accumulate, groupby
from operator import itemgetter

from app.text.introduction import profiles_in

Stretch = tuple[int, int]
"""text[start:stop], in code points."""

_BOUNDARY = re.compile(r"[\r\n\u2028\"“”。！？]|\\n|(?<=[.!?:;])\s+")  # noqa: RUF001  (full width on purpose)
_WORD = re.compile(r"\w+")
_LINE = re.compile(r"[^\n]*\n?")
_QUOTED = re.compile(r"\s*>")
_ABOVE_A_QUOTE = re.compile(
    r"\s*(?:#.*|.{1,160}:|Quoted from memory \(.*|Preferences and background that the user .*)\s*"
)

_TELLING = 16
"""Bytes of words; who says less than this again says it by chance."""

_COPIED = 160
"""Bytes of words that nobody says again by heart: without quotation marks, less is no echo."""

_ABOVE = 5
"""Lines above a quote that tell whose it is: two of the preamble, two headings, name."""

_LONGEST_ABOVE = 300
"""Characters of such a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A stretch of a text, known by its words; `size` is their bytes."""

    start: int
    stop: int
    fingerprint: int
    size: int


def fingerprints(text: str) -> frozenset[int]:
    """What `text` will be recognised by, should it come back: signed 64-bit integers."""
    return frozenset(each.fingerprint for each in segments(text))


def segments(text: str) -> Iterator[Segment]:
    """The segments of `text` that hold any word, in order, one by one: there may be a million."""
    return (found for start, stop in _stretches(text) if (found := _segment(text, start, stop)))


def may_echo(found: Iterable[Segment], text: str) -> bool:
    """Whether `text`, of these segments, could be an echo at all: it quotes, or says much."""
    return _tells(found) or any(map(_QUOTED.match, text.splitlines())) or tells_of(text)


def tells_of(text: str) -> bool:
    """Whether a profile of ours is in `text`, which is an echo whoever it is of, and for ever."""
    return any(profiles_in(text))


def echoes(text: str, found: Iterable[Segment], known: Collection[int]) -> Sequence[Stretch]:
    """
    The stretches of `text` that repeat what was shown, in order, apart from each other.

    A quote is an echo if at least half of it is known, with the lines above that say whose it is.
    What is not marked as a quote has to be long: people repeat a sentence by themselves. A profile
    is known by its form.

    Args:
        text: What came in.
        found: Its segments, gone through once, and only if any is known.
        known: Those of their fingerprints that were shown before.
    """
    profiles = [_with_heading(text, each) for each in profiles_in(text)]
    if not known:
        return _joined(text, profiles)
    quotes = list(_quotes(text))
    deciding, said = _looked_through(found, known, quotes)
    matched = [each for each in deciding if each.fingerprint in known]
    shown = _sizes(matched, quotes)
    echoed = [quote for quote, size in shown.items() if 2 * size >= said[quote]]
    plain = [each for each in matched if _around(each, echoed) is None]
    copies = _copies(deciding, known) if _tells(plain) else []
    return _joined(text, [*(_with_heading(text, each) for each in echoed), *copies, *profiles])


def own_words(text: str, echo: Sequence[Stretch]) -> str:
    """What `text` says by itself, without its echoes."""
    if not echo:
        return text
    return "\n".join(text[start:stop].strip() for start, stop in own_stretches(text, echo))


def blanked(text: str, echo: Sequence[Stretch]) -> str:
    """The same, with each place where it is in `text`."""
    for start, stop in echo:
        text = text[:start] + "\n" * (stop - start) + text[stop:]
    return text


def own_stretches(text: str, echo: Sequence[Stretch]) -> Sequence[Stretch]:
    """Where `text` speaks for itself: what lies between the echoes and holds any word."""
    starts = [0, *(stop for _, stop in echo)]
    stops = [*(start for start, _ in echo), len(text)]
    pairs = zip(starts, stops, strict=True)
    return [(start, stop) for start, stop in pairs if _WORD.search(text, start, stop)]


def _stretches(text: str) -> Iterator[Stretch]:
    start = 0
    for boundary in _BOUNDARY.finditer(text):
        yield start, boundary.start()
        start = boundary.end()
    yield start, len(text)


def _segment(text: str, start: int, stop: int) -> Segment | None:
    words = " ".join(_WORD.findall(text, start, stop)).casefold().encode("utf-8", "replace")
    if not words:
        return None
    digest = blake2b(words, digest_size=8).digest()
    fingerprint = int.from_bytes(digest, "little", signed=True)
    return Segment(start=start, stop=stop, fingerprint=fingerprint, size=len(words))


def _tells(found: Iterable[Segment]) -> bool:
    """Whether those that are long enough to tell anything are so much that nobody repeats it."""
    told = accumulate(each.size for each in found if each.size >= _TELLING)
    return any(size >= _COPIED for size in told)


def _looked_through(
    found: Iterable[Segment], known: Collection[int], quotes: Sequence[Stretch]
) -> tuple[Sequence[Segment], Mapping[Stretch, int]]:
    """
    The segments that decide, and the bytes of words in each of `quotes`.

    Known ones decide, and behind each run of them the first other one that tells anything.
    """
    deciding: list[Segment] = []
    said, ended = Counter[Stretch](), True
    for each in found:
        if (quote := _around(each, quotes)) is not None:
            said[quote] += each.size
        is_known = each.fingerprint in known
        if is_known or (not ended and each.size >= _TELLING):
            deciding.append(each)
            ended = not is_known
    return deciding, said


def _quotes(text: str) -> Iterator[Stretch]:
    """Runs of lines that begin with ">"."""
    lines = ((line.span(), bool(_QUOTED.match(line[0]))) for line in _LINE.finditer(text))
    for is_quoted, run in groupby(lines, key=lambda each: each[1]):
        spans = [span for span, _ in run]
        if is_quoted:
            yield spans[0][0], spans[-1][1]


def _sizes(found: Iterable[Segment], quotes: Sequence[Stretch]) -> Mapping[Stretch, int]:
    """The bytes of words in each of `quotes` that has any, in order."""
    sizes = Counter[Stretch]()
    for each in found:
        if (quote := _around(each, quotes)) is not None:
            sizes[quote] += each.size
    return sizes


def _around(segment: Segment, stretches: Sequence[Stretch]) -> Stretch | None:
    """The one of `stretches`, which are in order, that `segment` lies in."""
    at = bisect_right(stretches, segment.start, key=itemgetter(0)) - 1
    return stretches[at] if at >= 0 and segment.start < stretches[at][1] else None


def _with_heading(text: str, quote: Stretch) -> Stretch:
    """A quote with the lines above it that belong to it, and the blank ones between."""
    start = at = quote[0]
    for _ in range(2 * _ABOVE):
        line_start = text.rfind("\n", max(0, at - 1 - _LONGEST_ABOVE), at - 1) + 1 if at else 0
        line = text[line_start:at]
        if not line or not (line.isspace() or _ABOVE_A_QUOTE.fullmatch(line)):
            break
        at = line_start
        start = start if line.isspace() else at
    return start, quote[1]


def _copies(found: Sequence[Segment], known: Collection[int]) -> Iterator[Stretch]:
    """Runs of known segments; what is too short to tell goes with those on both its sides."""
    run: list[Segment] = []
    for each in found:
        if each.fingerprint in known and (run or each.size >= _TELLING):
            run.append(each)
        elif each.size >= _TELLING and run:
            yield run[0].start, run[-1].stop
            run = []
    if run:
        yield run[0].start, run[-1].stop


def _joined(text: str, stretches: Sequence[Stretch]) -> Sequence[Stretch]:
    """In order, those that touch or have no word between them as one."""
    joined: list[Stretch] = []
    for start, stop in sorted(stretches):
        last = joined[-1] if joined else None
        if last and (start <= last[1] or not _WORD.search(text, last[1], start)):
            joined[-1] = (last[0], max(last[1], stop))
        else:
            joined.append((start, stop))
    return joined

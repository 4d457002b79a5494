"""The smallest pieces that serve: which chunk stands for a message, and what is said only once."""

from bisect import insort
from collections.abc import Hashable, Iterable, Sequence

import numpy as np

from app.domain.ids import MessageKey
from app.ranking.bm25 import Bags, bm25
from app.ranking.pool import Recalled, unpack_vectors
from app.ranking.query import QueryView


@np.errstate(invalid="ignore")
def best_of_each(query: QueryView, chunks: Recalled, *, dimension: int) -> list[int]:
    """The index of the best chunk of each message: by cosine, then BM25, then the first."""
    cosines = np.zeros(len(chunks), dtype=np.float32)
    if query.vector is not None:
        cosines = unpack_vectors(chunks.vectors, dimension).dot(query.vector)
    bags = Bags.unpack(chunks.bags)
    lexical = bm25(bags.frequencies(query.terms), bags.length, query.idf, query.average_length)
    best: dict[MessageKey, int] = {}
    for at in np.lexsort((-lexical, -cosines)).tolist():
        best.setdefault(chunks.messages[at], at)
    return sorted(best.values())


def wholes(recalled: Recalled) -> list[int]:
    """The indexes of messages that have chunks."""
    return [at for at, pieces in enumerate(recalled.pieces) if pieces]


def chunks_in(recalled: Recalled) -> list[int]:
    """The indexes of chunks."""
    return [at for at, kind in enumerate(recalled.kinds) if kind]


def without_pieces(recalled: Recalled, wholes: Sequence[int]) -> set[MessageKey]:
    """Those of these messages of which no chunk is there."""
    there = {recalled.messages[at] for at in chunks_in(recalled)}
    return {recalled.messages[at] for at in wholes} - there


Stretch = tuple[Hashable, int, int]
"""Of which message, from where, to where."""


def said_once(stretches: Iterable[Stretch | None]) -> list[tuple[int, int] | None]:
    """
    What is left of each stretch when what those before it say is taken off its ends.

    None for what is no stretch of anything, as it was; an empty one where nothing is left.
    Stretches of one message may overlap at their ends; none lies inside another.
    """
    told: dict[Hashable, list[tuple[int, int]]] = {}
    left: list[tuple[int, int] | None] = []
    for stretch in stretches:
        if stretch is None:
            left.append(None)
            continue
        message, start, stop = stretch
        before = told.setdefault(message, [])
        start, stop = _left_of(start, stop, before)
        insort(before, (start, stop))
        left.append((start, stop))
    return left


def _left_of(start: int, stop: int, before: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """What of a stretch is in none of those before it, which are in order."""
    for begin, end in before:
        if begin <= start < end:
            start = end
    later = [begin for begin, _ in before if begin > start]
    return start, max(start, min([stop, *later]))

"""
BM25 over bags of words that were counted at write.

The full-text indexes only find; this scores, so that both databases rank alike and every
candidate has a score, whichever source found it.

Source: Robertson, Zaragoza: "The Probabilistic Relevance Framework: BM25 and Beyond", 2009.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from app.ranking import Floats

K1 = 1.2
B = 0.75

_BAG = np.dtype([("term", "<u4"), ("count", "u1")])


def pack_terms(terms: Sequence[str]) -> bytes:
    """A bag of words in 5 bytes per distinct term: its CRC-32 and its count (255 at most)."""
    counts = Counter(map(_number, terms))
    bag = np.array([(term, min(counts[term], 255)) for term in sorted(counts)], dtype=_BAG)
    return bag.tobytes()


def _number(term: str) -> int:
    return crc32(term.encode())


def term_numbers(terms: Sequence[str]) -> NDArray[np.uint32]:
    """What the t `terms` are called in bags, shape (t,)."""
    return np.array([*map(_number, terms)], dtype=np.uint32)


def numbers_in_order(terms: Sequence[str]) -> NDArray[np.uint32]:
    """The same of each distinct term, ascending: what `Bags.holding` looks for."""
    return np.unique(term_numbers(terms))


@dataclass(frozen=True, slots=True)
class Bags:
    """
    The bags of n documents as flat arrays.

    `term` and `count` hold every (document, distinct term) pair, `document` (0 to n - 1) whose
    it is, and `length` the number of terms of each document, shape (n,).
    """

    term: NDArray[np.uint32]
    count: NDArray[np.uint8]
    document: NDArray[np.intp]
    length: Floats

    @classmethod
    def unpack(cls, packed: Sequence[bytes]) -> Self:
        sizes = np.array([len(bag) // _BAG.itemsize for bag in packed], dtype=np.intp)
        flat = np.frombuffer(b"".join(packed), dtype=_BAG)
        document = np.repeat(np.arange(len(packed)), sizes)
        length = np.bincount(document, weights=flat["count"], minlength=len(packed))
        return cls(flat["term"], flat["count"], document, length.astype(np.float32))

    def frequencies(self, terms: Sequence[str]) -> Floats:
        """How often each of the t `terms` stands in each of the n documents, shape (n, t)."""
        table = np.zeros((len(self.length), len(terms)), dtype=np.float32)
        there = np.flatnonzero(term_numbers(terms)[:, None] == self.term)
        if len(there):
            column, pair = np.divmod(there, len(self.term))
            table[self.document[pair], column] = self.count[pair]
        return table

    def holding(self, numbers: NDArray[np.uint32]) -> NDArray[np.bool_]:
        """True for the documents that hold one of these (ascending), shape (n,)."""
        if not len(numbers):
            return np.zeros(len(self.length), dtype=np.bool_)
        at = np.minimum(np.searchsorted(numbers, self.term), len(numbers) - 1)
        there = self.document[numbers[at] == self.term]
        held: NDArray[np.bool_] = np.bincount(there, minlength=len(self.length)) > 0
        return held

    def sharing(
        self, document: int, *, most: int, but_for: NDArray[np.uint32]
    ) -> NDArray[np.bool_]:
        """True for those that hold a term of this one which at most so many hold, shape (n,)."""
        own = self.term[self.document == document]
        own = own[~np.isin(own, but_for)]
        theirs = self.term[np.isin(self.term, own)]
        holders = np.bincount(np.searchsorted(own, theirs), minlength=len(own))
        return self.holding(own[holders <= most])


def idf(documents: int, document_frequency: Sequence[int]) -> Floats:
    """
    How telling each term is, shape (t,), above zero.

    Args:
        documents: Documents in the scope; raised to the largest frequency where it lags behind.
        document_frequency: Documents that hold each term, shape (t,).
    """
    frequency = np.asarray(document_frequency, dtype=np.float64)
    total = max(float(documents), float(frequency.max(initial=0.0)))
    return np.log1p((total - frequency + 0.5) / (frequency + 0.5)).astype(np.float32)


def bm25(frequencies: Floats, length: Floats, weights: Floats, average_length: float) -> Floats:
    """
    Score n documents against t terms.

    Args:
        frequencies: Term frequencies, shape (n, t).
        length: Terms of each document, shape (n,).
        weights: The idf of each term, shape (t,).
        average_length: Terms of the scope's average document; 0 counts as 1.

    Returns:
        Scores, shape (n,), at least 0 and below (K1 + 1) * weights.sum().
    """
    return np.asarray(
        saturation(frequencies, length, average_length).dot(weights), dtype=np.float32
    )


def saturation(frequencies: Floats, length: Floats, average_length: float) -> Floats:
    """What each term would add to `bm25` with an idf of 1, shape (n, t), in [0, K1 + 1)."""
    norm: Floats = length * np.float32(K1 * B / max(average_length, 1.0)) + np.float32(K1 - K1 * B)
    saturated: Floats = frequencies * np.float32(K1 + 1) / (frequencies + norm[:, None])
    return saturated

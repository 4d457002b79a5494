"""
Words of a query compared with words of the candidates: late interaction.

One vector stands for all that a message says. Here each word of the query is looked for by itself,
by what it means where it stands: the "injury" that is asked about in "I twisted my ankle".

Source: Khattab, Zaharia: "ColBERT: Efficient and Effective Passage Search via Contextualized Late
Interaction over BERT", SIGIR 2020.
"""

from collections.abc import Sequence

import numpy as np

from app.ranking import Floats, Words
from app.ranking.lines import filled
from app.ranking.pool import Among

_LENGTH = np.float32(127)
"""Of the vectors of words."""


def pack_words(words: Words) -> bytes | None:
    """None where no model gives any; empty where it does, and a text has none."""
    return words.tobytes() if words.shape[1] else None


def word_by_word(words: Words, packed: Sequence[bytes | None], among: Among) -> Floats:
    """
    The mean over the `words` of a query of the cosine of the nearest one of each of n candidates,
    shape (n,).

    What has none, or some of another dimension, counts as the mean of what has, of those `among`.
    Without any on either side all are alike.
    """
    count, dimension = words.shape
    sizes = np.array([_count(each, dimension) for each in packed], dtype=np.intp)
    there = np.flatnonzero(sizes)
    column = np.zeros(len(packed), dtype=np.float32)
    if not (count and len(there)):
        return column
    held = b"".join(packed[at] or b"" for at in there.tolist())
    said = np.frombuffer(held, dtype=np.int8).reshape(-1, dimension).astype(np.float32)
    cosines = said.dot(words.T.astype(np.float32) / (_LENGTH * _LENGTH))
    starts = np.cumsum(sizes[there]) - sizes[there]
    column[there] = np.maximum.reduceat(cosines, starts).mean(axis=1)
    return filled(column, sizes > 0, among)


def _count(packed: bytes | None, dimension: int) -> int:
    """How many words are packed there; 0 where they are of another dimension."""
    if not packed or not dimension or len(packed) % dimension:
        return 0
    return len(packed) // dimension

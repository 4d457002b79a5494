"""Leaving out what is said twice."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from app.ranking import Floats

SAME = 0.95
"""Above this cosine two items say the same."""


def duplicates(
    order: NDArray[np.intp], hashes: Sequence[bytes], vectors: Floats
) -> NDArray[np.bool_]:
    """
    Mark what an item before it in `order` already says: the same hash, or a cosine above SAME.

    Args:
        order: The n indexes, best first.
        hashes: Content hashes, one per item.
        vectors: Unit vectors, or zeros for what has none, shape (n, d).

    Returns:
        True for each duplicate, shape (n,), by index. The best of several equals is none.
    """
    similar = vectors.dot(vectors.T) > SAME
    np.fill_diagonal(similar, val=False)
    alike: NDArray[np.bool_] = np.any(similar, axis=1)
    marked = np.zeros(len(hashes), dtype=np.bool_)
    kept = np.zeros(len(hashes), dtype=np.bool_)
    seen: set[bytes] = set()
    for index in order:
        said = hashes[index] in seen
        marked[index] = said or (bool(alike[index]) and bool((similar[index] & kept).any()))
        if not marked[index]:
            seen.add(hashes[index])
            kept[index] = True
    return marked
